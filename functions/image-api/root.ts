/** The version documents that clients discover the API with (compute-api.md 9). */
import { type Call, route, type Route } from './route.ts';

/** What clients may count on: with 2.9, all but images in several stores. */
const versions = ({ base }: Call) => ({
  versions: [{ id: 'v2.9', status: 'CURRENT', links: [{ rel: 'self', href: `${base}/v2/` }] }],
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
