/** The pages of lists (compute-api.md 3). */
import { Invalid } from '../../layers/domain/fault.ts';
import type { Call } from './route.ts';

/** A larger limit is silently this one. */
const maxLimit = 1000;

/** How many records a page has; 0 is no limit of the client's. Throws Invalid (400). */
export const readLimit = ({ query }: Pick<Call, 'query'>): number => {
  const text = query['limit']?.[0];
  if (text === undefined) return maxLimit;
  if (!/^\d{1,9}$/.test(text)) throw Invalid(`Invalid value for limit: "${text}" is not a number of records.`);
  return Math.min(Number(text) || maxLimit, maxLimit);
};

/** The link to the page after `last`. `path`: such as /v2.1/os-keypairs. */
export const nextPage = ({ base, query }: Call, path: string, last: string) => {
  const kept = Object.entries(query)
    .filter(([key]) => key !== 'marker')
    .flatMap(([key, values]) => values.map((value): [string, string] => [key, value]));
  const search = new URLSearchParams([...kept, ['marker', last]]);
  return { rel: 'next', href: `${base}${path}?${search.toString()}` };
};

/** The same under the name that it has beside the list, if there is a next page. */
export const nextLinks = (call: Call, path: string, name: string, last: string | undefined): object =>
  last === undefined ? {} : { [`${name}_links`]: [nextPage(call, path, last)] };

/** What a list is sorted by: a key, and the other way round. */
export type Order<R> = readonly { readonly of: (record: R) => unknown; readonly descending: boolean }[];

/** Each key with its direction; one direction stands for all that come after it. Throws Invalid (400). */
export const readOrder = <R>(
  { query }: Pick<Call, 'query'>,
  keys: Readonly<Record<string, (record: R) => unknown>>,
  usual: { readonly key: string; readonly descending: boolean },
): Order<R> => {
  const names = query['sort_key'] ?? [usual.key];
  const directions = query['sort_dir'] ?? [usual.descending ? 'desc' : 'asc'];
  return names.map((name, at) => {
    const direction = (directions[at] ?? directions.at(-1)!).toLowerCase();
    if (!Object.hasOwn(keys, name)) throw Invalid(`Invalid value for sort_key: this list is not sorted by "${name}".`);
    if (direction !== 'asc' && direction !== 'desc') {
      throw Invalid(`Invalid value for sort_dir: "${direction}" is neither asc nor desc.`);
    }
    return { of: keys[name]!, descending: direction === 'desc' };
  });
};

/** Nothing comes before every value. */
const compare = (a: unknown, b: unknown): number => {
  const [one, other] = [a ?? null, b ?? null];
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return (one as string) < (other as string) ? -1 : 1;
};

/** Records by these keys; those that have the same values stay as they come. */
export const inOrder = <R>(records: readonly R[], order: Order<R>): R[] =>
  records.toSorted((a, b) => {
    for (const { of, descending } of order) {
      const result = compare(of(a), of(b));
      if (result !== 0) return descending ? -result : result;
    }
    return 0;
  });

/**
 * The page after the record that `marker` names, out of all; `next` is its last one's name, if more follow. Throws Invalid
 * (400) for a marker that is none of them.
 */
export const cutAfter = <R>(
  records: readonly R[],
  nameOf: (record: R) => string,
  limit: number,
  marker: string | undefined,
): { readonly page: readonly R[]; readonly next: string | undefined } => {
  const from = marker === undefined ? 0 : records.findIndex((record) => nameOf(record) === marker) + 1;
  if (marker !== undefined && from === 0) throw Invalid(`marker [${marker}] not found`);
  const page = records.slice(from, from + limit);
  return { page, next: from + limit < records.length && page.length > 0 ? nameOf(page.at(-1)!) : undefined };
};
