/** The version documents that clients discover the API with (compute-api.md 1). */
import { MAX, MIN } from '../../layers/domain/compute/versions.ts';
import { type Call, route, type Route } from './route.ts';

/** When v2.1 came; Nova says this of itself, and clients show it. */
const updated = '2013-07-23T11:33:21Z';

const versionDocument = (base: string, ...more: object[]) => ({
  id: 'v2.1',
  status: 'CURRENT',
  version: `2.${MAX}`,
  min_version: `2.${MIN}`,
  updated,
  links: [{ rel: 'self', href: `${base}/v2.1/` }, ...more],
});

const root = ({ base }: Call) => ({ versions: [versionDocument(base)] });

const v21 = ({ base }: Call) => ({
  version: {
    ...versionDocument(base, { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' }),
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' }],
  },
});

export const rootRoutes: readonly Route[] = [
  route({ at: 'GET /', policy: 'public', handle: async (_deps, call) => ({ body: root(call) }) }),
  route({ at: 'GET /v2.1', policy: 'public', handle: async (_deps, call) => ({ body: v21(call) }) }),
];
