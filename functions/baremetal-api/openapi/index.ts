/** GET /v1/openapi.json: the API at the microversion of the request. An addition of ours; it tells no secret. */
import { route, type Route } from '../route.ts';
import type { Row } from './operation.ts';

/** What makes the document is loaded by the first who asks for it: no other request needs it. */
const load = async () => import('./document.ts');

/** The route that describes `routes`. Documents are kept by version: they never change. */
export const openapiRoutes = (routes: readonly Row[]): Route[] => {
  const kept = new Map<string, string>();
  return [
    route({
      at: 'GET /v1/openapi.json',
      policy: 'public',
      handle: async (_deps, { version, base }) => {
        const key = `${version} ${base}`;
        const json = kept.get(key) ?? JSON.stringify((await load()).describe(routes, version, base));
        if (kept.size > 200) kept.clear();
        kept.set(key, json);
        return { json };
      },
    }),
  ];
};
