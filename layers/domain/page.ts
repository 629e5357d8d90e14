/** Paging, sorting and field selection of lists, the same for every collection (ironic-api.md 1.5). */
import { Invalid } from './fault.ts';
import { refuseNewer, type Field, type Fields } from './fields.ts';
import type { Want } from './projection.ts';
import { bool } from './values.ts';

export type Query = Readonly<Record<string, readonly string[]>>;

export type Page = {
  readonly limit: number;
  /** UUID of the last item of the page before. */
  readonly marker: string | undefined;
  /** `id` is the order of creation. */
  readonly sort_key: string;
  readonly descending: boolean;
};

/** A larger limit is silently this one. */
const maxLimit = 1000;

/** The query parameters that every list has. */
export const pageQuery = {
  limit: {},
  marker: {},
  sort_key: {},
  sort_dir: {},
  fields: { since: 8 },
  detail: { since: 43, tooOld: 400 },
} as const;

const limitOf = (text: string | undefined): number => {
  if (text === undefined) return maxLimit;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw Invalid(`Invalid value for limit: "${text}" is not a positive number.`);
  return Math.min(limit, maxLimit);
};

/** Neither what is computed nor JSON has an order. */
const isSortable = (row: Field) =>
  !row.computed && !row.masked && (typeof row.default !== 'object' || row.default === null);

const sortKeyOf = (rows: Fields, version: number, key: string): string => {
  if (key === 'id') return key;
  const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
  if (!row || !isSortable(row)) throw Invalid(`The sort_key "${key}" is not possible for this list.`);
  refuseNewer(rows, version, [key]);
  return key;
};

/** Reads limit, marker and order. Throws Invalid (400), NotAcceptable (406) for a sort key that is too new. */
export const readPage = (rows: Fields, version: number, query: Query): Page => {
  const direction = query['sort_dir']?.[0] ?? 'asc';
  if (direction !== 'asc' && direction !== 'desc') {
    throw Invalid(`Invalid value for sort_dir: "${direction}" is neither asc nor desc.`);
  }
  return {
    limit: limitOf(query['limit']?.[0]),
    marker: query['marker']?.[0],
    sort_key: sortKeyOf(rows, version, query['sort_key']?.[0] ?? 'id'),
    descending: direction === 'desc',
  };
};

/** true or false of a query parameter; undefined when it is not there. Throws Invalid (400). */
export const readBool = (query: Query, name: string): boolean | undefined => {
  const value = query[name]?.[0];
  if (value === undefined) return undefined;
  const result = bool.safeParse(value);
  if (!result.success) throw Invalid(`Invalid value for ${name}: "${value}" is neither true nor false.`);
  return result.data;
};

/** The pieces of a comma list that may also be repeated: trimmed, in lower case, each once. */
export const readList = (values: readonly string[]): string[] => [
  ...new Set(
    values
      .flatMap((value) => value.split(','))
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean),
  ),
];

/**
 * The names of `fields=`; undefined when it is not there. Throws Invalid (400) for an unknown one, NotAcceptable (406)
 * for one that is too new.
 */
export const readFields = (rows: Fields, version: number, query: Query): string[] | undefined => {
  if (!query['fields']) return undefined;
  const names = readList(query['fields']);
  const strange = names.filter((name) => !Object.hasOwn(rows, name));
  if (strange.length > 0) throw Invalid(`Field(s) "${strange.join(', ')}" are not valid here.`);
  refuseNewer(rows, version, names);
  return names;
};

/**
 * The link to the next page; undefined unless this one is full. It keeps everything that was asked for: upstream loses
 * most filters here, which no client can want. `path` is the collection's, such as /v1/nodes.
 */
export const nextLink = (
  base: string,
  path: string,
  query: Query,
  limit: number,
  items: readonly { readonly uuid: string }[],
): string | undefined => {
  if (items.length < limit) return undefined;
  const kept = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'marker')
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  const search = new URLSearchParams([...kept, ['limit', String(limit)], ['marker', items.at(-1)!.uuid]]);
  return `${base}${path}?${search.toString()}`;
};

/**
 * What of each item a list shows: the named fields, all with `detail`, else the brief form. Throws Invalid (400) when
 * both are asked for.
 */
export const readWant = (rows: Fields, version: number, query: Query): Want => {
  const names = readFields(rows, version, query);
  const detail = readBool(query, 'detail') ?? false;
  if (names && detail) throw Invalid('fields and detail can not be used together.');
  return names ?? (detail ? 'all' : 'summary');
};
