/** The version documents that clients discover the API with (compute-api.md 9). */
import { type Call, route, type Route } from './route.ts';

/**
 * What clients may count on: as a Glance without a cache and without several stores. 2.17 brought locations that are added
 * with a hash.
 */
export const newest = '2.17';

const numbers = [newest, '2.15', '2.9', '2.7', '2.6', '2.5', '2.4', '2.3', '2.2', '2.1', '2.0'];

const versions = ({ base }: Call) => ({
  versions: numbers.map((number, at) => ({
    id: `v${number}`,
    status: at === 0 ? 'CURRENT' : 'SUPPORTED',
    links: [{ rel: 'self', href: `${base}/v2/` }],
  })),
});

const at = (path: '' | 'v2' | 'versions', status: number): Route =>
  route({
    at: `GET /${path}`,
    status,
    policy: 'public',
    doc: 'versions',
    handle: async (_deps, call) => ({ body: versions(call) }),
  });

/** Glance answers 300 where a client has not chosen a version. */
export const rootRoutes: readonly Route[] = [at('', 300), at('v2', 300), at('versions', 200)];
