/** The route that describes an API at the version of the request. An addition of ours; it tells no secret. */
import type { Platform } from '../../platform/platform.ts';
import type { Endpoint, Route } from '../route.ts';
import type { Book } from './book.ts';
import type { Row } from './operation.ts';

/** What makes the document is loaded by the first who asks for it: no other request needs it. */
const load = async () => import('./document.ts');

/**
 * The route `at` that describes `rows`; `book` loads what they do not say. Documents are kept by version: they never
 * change.
 */
export const openapiRoute = <Deps extends Pick<Platform, 'log'>>(
  at: Endpoint['at'],
  rows: readonly Row[],
  book: () => Promise<Book>,
): Route<Deps, never> => {
  const kept = new Map<string, string>();
  return {
    at,
    policy: 'public',
    doc: 'the API as OpenAPI 3.1',
    handle: async (_deps, { version, base }) => {
      const key = `${version} ${base}`;
      const json = kept.get(key) ?? JSON.stringify((await load()).describe(await book(), rows, version, base));
      if (kept.size > 200) kept.clear();
      kept.set(key, json);
      return { json };
    },
  };
};
