/** Lists: what their query asks for, in which order, and the pages of them. */
import { Invalid } from '../../layers/domain/fault.ts';
import type { Field, Fields } from '../../layers/domain/fields.ts';
import type { Lookup } from '../../layers/domain/filters.ts';
import type { Shown } from '../../layers/domain/projection.ts';
import { bool, isUuid } from '../../layers/domain/values.ts';
import { indexesOf } from '../../layers/store/entries.ts';
import type { KindOf } from '../../layers/store/kinds/kind.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import type { Answer, Call, Deps } from './route.ts';
import { type Standard, viewOf, visible } from './view.ts';

/** Whether a record is one of those that are asked for; the values are those of a parameter that may be repeated. */
export type Keep<R> = (record: R, values: readonly string[]) => boolean;

/** What is listed. */
export type Listing<R extends Standard> = {
  /** Its name in paths and answers. */
  readonly collection: string;
  readonly rows: Fields;
  readonly kind: KindOf<R>;
  readonly shown: Shown<R>;
  /** Filters that are no field. */
  readonly filters?: Readonly<Record<string, Keep<R>>>;
  /** Where those are that a project sees besides its own. */
  readonly open?: readonly Lookup[];
};

type Query = Call['query'];
type Tagged = { readonly tags?: readonly string[] };

/** Values of a query, of which each may be several with commas. */
export const words = (values: readonly string[]): string[] => values.flatMap((value) => value.split(','));

/** Filters by tags, which are the same everywhere. */
const tagFilters: Readonly<Record<string, Keep<Tagged>>> = {
  tags: ({ tags = [] }, values) => words(values).every((tag) => tags.includes(tag)),
  'tags-any': ({ tags = [] }, values) => words(values).some((tag) => tags.includes(tag)),
  'not-tags': ({ tags = [] }, values) => !words(values).every((tag) => tags.includes(tag)),
  'not-tags-any': ({ tags = [] }, values) => !words(values).some((tag) => tags.includes(tag)),
};

const pageNames = { limit: {}, marker: {}, page_reverse: {}, sort_key: {}, sort_dir: {}, fields: {} } as const;

/** The query parameters of a list. */
export const queryOf = <R extends Standard>({ rows, filters = {} }: Pick<Listing<R>, 'rows' | 'filters'>) => ({
  ...pageNames,
  ...Object.fromEntries(
    Object.keys(rows)
      .filter((name) => rows[name]!.filter)
      .map((name) => [name, {}]),
  ),
  ...Object.fromEntries([...Object.keys(tagFilters), ...Object.keys(filters)].map((name) => [name, {}])),
});

/** What a text of the query means for a field; undefined: no record has that. Throws Invalid (400). */
const meaning = (name: string, { schema }: Field, text: string): unknown => {
  const { success, data } = schema.safeParse(text);
  if (!success && schema === bool) throw Invalid(`Invalid value for ${name}: "${text}" is neither true nor false.`);
  return success ? data : text;
};

const valueOf = <R extends Standard>({ shown }: Listing<R>, call: Call, record: R, name: string): unknown =>
  shown[name] ? shown[name](record, call) : (record as Readonly<Record<string, unknown>>)[name];

/** An empty text asks for nothing in particular. */
const given = (query: Query, name: string): string[] => (query[name] ?? []).filter((text) => text !== '');

/** Refuses names that the caller does not see: whether a record is kept would tell its value. Throws Invalid (400). */
const refuseUnseen = (rows: Fields, { subject }: Call, names: readonly string[]): void => {
  const seen = visible(rows, subject);
  const unseen = names.find((name) => Object.hasOwn(rows, name) && !seen.includes(name));
  if (unseen !== undefined) throw Invalid(`${unseen} is invalid attribute for filter or sort_key.`);
};

/** Makes the function that keeps what the filters of the query ask for. Throws Invalid (400). */
const keeping = <R extends Standard>(listing: Listing<R>, call: Call): ((record: R) => boolean) => {
  const { rows, filters = {} } = listing;
  const { query } = call;
  const names = Object.keys(query).filter((name) => !Object.hasOwn(pageNames, name) && given(query, name).length > 0);
  refuseUnseen(rows, call, names);
  const tests = names.map((name): ((record: R) => boolean) => {
    const keep = filters[name] ?? (tagFilters[name] as Keep<R> | undefined);
    if (keep) return (record) => keep(record, given(query, name));
    const wanted = new Set(given(query, name).map((text) => meaning(name, rows[name]!, text)));
    return (record) => wanted.has(valueOf(listing, call, record, name));
  });
  return (record) => tests.every((test) => test(record));
};

type Sort = { readonly name: string; readonly descending: boolean };

const sortsOf = (rows: Fields, call: Call): Sort[] => {
  const [names, directions] = [given(call.query, 'sort_key'), given(call.query, 'sort_dir')];
  if (directions.length > names.length) throw Invalid('The number of sort_keys and sort_dirs must be same.');
  refuseUnseen(rows, call, names);
  const strange = names.find((name) => !Object.hasOwn(rows, name) || !rows[name]!.filter);
  if (strange !== undefined) throw Invalid(`${strange} is invalid attribute for sort_key.`);
  return names.map((name, at) => {
    const direction = directions[at] ?? 'asc';
    if (direction !== 'asc' && direction !== 'desc') {
      throw Invalid(`${direction} is invalid value for sort_dir, valid value is 'asc' and 'desc'.`);
    }
    return { name, descending: direction === 'desc' };
  });
};

/** A page that is larger is of this size. */
const maxLimit = 1000;

const limitOf = ({ query }: Call): number => {
  const [text = '0'] = given(query, 'limit');
  if (!/^\d{1,9}$/.test(text)) throw Invalid(`Limit must be an integer 0 or greater and not '${text}'.`);
  return Math.min(Number(text) || maxLimit, maxLimit);
};

const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0;
  if ((a ?? null) === null) return -1;
  if ((b ?? null) === null) return 1;
  return (a as string) < (b as string) ? -1 : 1;
};

type Page = { readonly limit: number; readonly marker: string | undefined; readonly reverse: boolean };

/** The page of records that are all in hand. Throws Invalid (400) for a marker that is none of them. */
const cut = <R extends Standard>(records: readonly R[], { limit, marker, reverse }: Page): R[] => {
  const at = marker === undefined ? -1 : records.findIndex(({ uuid }) => uuid === marker);
  if (marker !== undefined && at === -1) throw Invalid(`The marker ${marker} is none of the list.`);
  if (!reverse) return records.slice(at + 1, at + 1 + limit);
  const end = marker === undefined ? records.length : at;
  return records.slice(Math.max(0, end - limit), end);
};

/** Where what is asked for is found without a look at all the rest: by a filter, or as what the caller sees. */
const lookupsOf = <R extends Standard>(
  { kind, open = [] }: Listing<R>,
  call: Call,
  all: boolean,
): readonly Lookup[] | undefined => {
  const indexes = indexesOf(kind);
  const names = Object.keys(call.query).filter((name) => indexes.has(name) && given(call.query, name).length > 0);
  // A project has more of them than a network or a server.
  const name = names.toSorted((a, b) => Number(a === 'project_id') - Number(b === 'project_id'))[0];
  if (name !== undefined) return given(call.query, name).map((value) => ({ index: name, value }));
  return all ? undefined : [{ index: 'project_id', value: call.subject.project }, ...open];
};

/** Those of these UUIDs, in the order of their creation. */
const byIds = async <R extends Standard>(
  { table }: Deps,
  { kind }: Listing<R>,
  ids: readonly string[],
): Promise<R[]> => {
  const uuids = [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))];
  const found = await Promise.all(uuids.map(async (uuid) => readRecord(table, kind, uuid)));
  return found.filter((one) => one !== undefined).toSorted((a, b) => compare(a.position, b.position));
};

/** Whom the caller sees: all there are, or those that `sees` says. */
export type Sight<R> = { readonly all: boolean; sees(record: R): boolean };

const select = async <R extends Standard>(deps: Deps, call: Call, listing: Listing<R>, sight: Sight<R>, page: Page) => {
  const asked = keeping(listing, call);
  const sorts = sortsOf(listing.rows, call);
  const keep = (record: R) => sight.sees(record) && asked(record);
  const ids = given(call.query, 'id');
  const { limit, marker, reverse } = page;
  const lookups = lookupsOf(listing, call, sight.all);
  const choice = { keep, sees: (record: R) => sight.sees(record), lookups };
  if (ids.length === 0 && sorts.length === 0) {
    const found = await listRecords(
      deps.table,
      listing.kind,
      { limit, marker, sort_key: 'id', descending: reverse },
      choice,
    );
    return reverse ? found.toReversed() : found;
  }
  const whole = { limit: Infinity, marker: undefined, sort_key: 'id', descending: false };
  const all =
    ids.length > 0
      ? (await byIds(deps, listing, ids)).filter(keep)
      : await listRecords(deps.table, listing.kind, whole, choice);
  const order = (a: R, b: R) =>
    sorts
      .map(
        ({ name, descending }) =>
          (descending ? -1 : 1) * compare(valueOf(listing, call, a, name), valueOf(listing, call, b, name)),
      )
      .find((difference) => difference !== 0) ?? 0;
  return cut(all.toSorted(order), page);
};

/** The links to the pages around this one. */
const linksOf = (
  { base, query }: Call,
  collection: string,
  { limit, marker, reverse }: Page,
  found: readonly Standard[],
) => {
  const kept = Object.entries(query)
    .filter(([name]) => !['marker', 'page_reverse', 'limit'].includes(name))
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  const link = (rel: 'next' | 'previous', at: Standard): object => {
    const back: [string, string][] = rel === 'previous' ? [['page_reverse', 'True']] : [];
    const search = new URLSearchParams([...kept, ['limit', String(limit)], ['marker', at.uuid], ...back]);
    return { rel, href: `${base}/v2.0/${collection}?${search.toString()}` };
  };
  const [first, last] = [found[0], found.at(-1)];
  const isFull = found.length === limit;
  const next = last && (reverse ? marker !== undefined : isFull) ? [link('next', last)] : [];
  const previous = first && (reverse ? isFull : marker !== undefined) ? [link('previous', first)] : [];
  return [...next, ...previous];
};

/** A page of what the caller sees, as the query asks for it. Throws Invalid (400), NotFound (404) for a strange marker. */
export const answerList = async <R extends Standard>(
  deps: Deps,
  call: Call,
  listing: Listing<R>,
  sight: Sight<R>,
): Promise<Answer> => {
  const { collection, rows, shown } = listing;
  const reverse = given(call.query, 'page_reverse')[0]?.toLowerCase() === 'true';
  const page = { limit: limitOf(call), marker: given(call.query, 'marker')[0]?.toLowerCase(), reverse };
  const found = await select(deps, call, listing, sight, page);
  const links = linksOf(call, collection, page, found);
  const view = viewOf(rows, shown, call, words(given(call.query, 'fields')));
  return { body: { [collection]: found.map(view), ...(links.length > 0 && { [`${collection}_links`]: links }) } };
};
