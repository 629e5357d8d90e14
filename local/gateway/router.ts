/** Which function answers a path, by the rows of an API; the most specific row wins, as on API Gateway. */
import type { RouteRow } from '../../infra/manifest.ts';
import { createTree, type Params, paramsOf } from '../../layers/http/tree.ts';

/** The rows at a path. `params` are percent-decoded; null if there are none. */
export type Place = {
  readonly rows: readonly RouteRow[];
  readonly params: Params | null;
  /** The row of this method, or of any. */
  row(method: string): RouteRow | undefined;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Makes the function that finds the place of a path, undefined without one. One trailing slash makes no difference. */
export const createRouter = (rows: readonly RouteRow[]): ((path: string) => Place | undefined) => {
  const find = createTree(rows);
  return (path) => {
    const parts = path.split('/').slice(1);
    if (parts.at(-1) === '') parts.pop();
    const found = find(parts);
    if (!found) return undefined;
    const { leaves, values } = found;
    const all = [...leaves.values()];
    const { names } = all[0]!;
    return {
      rows: all.map(({ row }) => row),
      params: names.length > 0 ? paramsOf(names, values.map(decode)) : null,
      row: (method) => (leaves.get(method) ?? leaves.get('ANY'))?.row,
    };
  };
};
