/** The version documents that clients discover the API with (compute-api.md 9). */
import { route, type Route } from './route.ts';

/** A collection of the API: its name in paths, and that of one of it. */
type Collection = { readonly collection: string; readonly name: string };

/** The documents at the root and at /v2.0; the latter tells of `collections`. */
export const rootRoutes = (collections: readonly Collection[]): readonly Route[] => [
  route({
    at: 'GET /',
    policy: 'public',
    handle: async (_deps, { base }) => ({
      body: { versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${base}/v2.0/` }] }] },
    }),
  }),
  route({
    at: 'GET /v2.0',
    policy: 'public',
    handle: async (_deps, { base }) => ({
      body: {
        resources: collections.map((row) => ({
          ...row,
          links: [{ rel: 'self', href: `${base}/v2.0/${row.collection}` }],
        })),
      },
    }),
  }),
];
