/**
 * Lists in the order of creation out of sharded index partitions (DESIGN.md 4). A page costs what it shows, however
 * large the fleet is: every shard is asked, in parallel, for its part of the page, and their answers are merged.
 */
import { NotFound, type Fault } from '../domain/fault.ts';
import type { Page } from '../domain/page.ts';
import { shards } from './indexes.ts';
import type { Item, Query, Table } from '../platform/table.ts';

export type Place = { readonly index: string; readonly partition: string };

/** The places of an index partition that is split into shards. */
export const everyShard = (index: string, partition: (shard: number) => string): Place[] =>
  Array.from({ length: shards }, (_, shard) => ({ index, partition: partition(shard) }));

export type Span = {
  /** Position of the item before the page; exclusive. */
  readonly after?: string | undefined;
  readonly descending: boolean;
  readonly limit: number;
};

type Source = { readonly place: Place; items: readonly Item[]; at: number; done: boolean; last: string | undefined };

/** Most items that one query asks for, so that an unlimited list does not hold a shard twice over. */
const maxChunk = 1000;

/**
 * A shard's share of what is still missing, with room for chance: few pages need a second query of a shard. `kept` is
 * the part of what was read that the filter kept.
 */
const chunkFor = (missing: number, sources: number, kept: number) => {
  const share = missing / sources / Math.max(kept, 0.01);
  return Math.min(maxChunk, Math.ceil(share + Math.sqrt(share)) + 1);
};

const fill = async (table: Table, source: Source, span: Span, size: number): Promise<void> => {
  const { place, last } = source;
  const bound: Partial<Query> = last === undefined ? {} : span.descending ? { before: last } : { after: last };
  source.items = await table.query({ ...place, ...bound, descending: span.descending, limit: size });
  source.at = 0;
  source.done = source.items.length < size;
  source.last = source.items.at(-1)?.['position'] as string | undefined;
};

const head = ({ items, at }: Source) => items[at]?.['position'] as string | undefined;

const foremost = (sources: readonly Source[], descending: boolean): Source | undefined => {
  let best: Source | undefined;
  for (const source of sources) {
    const here = head(source);
    if (here === undefined) continue;
    const there = best && head(best)!;
    if (there === undefined || (descending ? here > there : here < there)) best = source;
  }
  return best;
};

/**
 * The first `limit` items of these places that `keep` keeps, in order of `position`; an item that is in two places
 * comes once. What `keep` refuses is read all the same, so a filter without an index costs a pass over the places.
 */
export const readList = async (
  table: Table,
  places: readonly Place[],
  span: Span,
  keep: (item: Item) => boolean = () => true,
): Promise<Item[]> => {
  const sources: Source[] = places.map((place) => ({ place, items: [], at: 0, done: false, last: span.after }));
  const result: Item[] = [];
  let read = 0;
  let previous: string | undefined;
  while (result.length < span.limit) {
    const empty = sources.filter((source) => !source.done && source.at >= source.items.length);
    if (empty.length > 0) {
      const size = chunkFor(span.limit - result.length, sources.length, read === 0 ? 1 : result.length / read);
      await Promise.all(empty.map(async (source) => fill(table, source, span, size)));
    }
    const next = foremost(sources, span.descending);
    if (!next) break;
    const item = next.items[next.at]!;
    next.at += 1;
    read += 1;
    if (item['position'] !== previous && keep(item)) result.push(item);
    previous = item['position'] as string;
  }
  return result;
};

/** null comes before every value, as in a database that sorts ascending. */
const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  return (a as string) < (b as string) ? -1 : 1;
};

/** What a page after an item that is not there answers (404). */
export const unknownMarker = (marker: string): Fault =>
  NotFound(`The marker ${marker}, last item of the page before, was not found.`);

/**
 * The page out of items that are all in hand; those that hide their sort key come as those with null do. Throws
 * NotFound (404) for an unknown marker.
 */
export const cutPage = <T extends object>(
  items: readonly T[],
  { sort_key, marker, limit, descending }: Page,
  hides: (item: T) => boolean = () => false,
): T[] => {
  const key = (sort_key === 'id' ? 'position' : sort_key) as keyof T;
  const order = descending ? -1 : 1;
  const hiding = new Set(items.filter(hides));
  const valueOf = (item: T) => (hiding.has(item) ? null : item[key]);
  // The sort is stable: equal values stay in the order of creation.
  const all = items.toSorted((a, b) => order * compare(valueOf(a), valueOf(b)));
  const from = marker === undefined ? 0 : all.findIndex((item) => item['uuid' as keyof T] === marker) + 1;
  if (marker !== undefined && from === 0) throw unknownMarker(marker);
  return all.slice(from, from + limit);
};

/** What of these places a caller is shown. */
export type Shown = {
  readonly keep: (item: Item) => boolean;
  /** Reads the item of a marker; undefined as well for one that the caller may not see. */
  readonly find: (uuid: string) => Promise<Item | undefined>;
  /** Whether the caller may not see the value that an item is sorted by: order would tell what is withheld. */
  readonly hides?: ((item: Item) => boolean) | undefined;
};

/**
 * One page of what these places hold. In the order of creation it costs what it shows; by another key everything in
 * the places is read. Throws NotFound (404) for an unknown marker.
 */
export const readPage = async (
  table: Table,
  places: readonly Place[],
  page: Page,
  { keep, find, hides }: Shown,
): Promise<Item[]> => {
  const { marker, descending, limit, sort_key } = page;
  if (sort_key !== 'id') {
    return cutPage(await readList(table, places, { descending: false, limit: Infinity }, keep), page, hides);
  }
  const last = marker === undefined ? undefined : await find(marker);
  if (marker !== undefined && !last) throw unknownMarker(marker);
  return readList(table, places, { after: last?.['position'] as string | undefined, descending, limit }, keep);
};
