/**
 * Lists in the order of creation out of sharded index partitions (DESIGN.md 4). A page costs what it shows, however
 * large the fleet is: every shard is asked, in parallel, for its part of the page, and their answers are merged.
 */
import type { Item, Query, Table } from './table.ts';

export type Place = { readonly index: string; readonly partition: string };

export type Span = {
  /** Position of the item before the page; exclusive. */
  readonly after?: string | undefined;
  readonly descending: boolean;
  readonly limit: number;
};

type Source = { readonly place: Place; items: readonly Item[]; at: number; done: boolean; last: string | undefined };

/** Most items that one query asks for, so that an unlimited list does not hold a shard twice over. */
const maxChunk = 1000;

/** A shard's share of a page, with room for chance: few pages need a second query of a shard. */
const firstChunk = (limit: number, sources: number) => {
  const share = limit / sources;
  return Math.min(maxChunk, Math.ceil(share + 2 * Math.sqrt(share)) + 1);
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
  let chunk = firstChunk(span.limit, sources.length);
  let previous: string | undefined;
  while (result.length < span.limit) {
    const empty = sources.filter((source) => !source.done && source.at >= source.items.length);
    if (empty.length > 0) {
      await Promise.all(empty.map(async (source) => fill(table, source, span, chunk)));
      chunk = Math.min(maxChunk, chunk * 2);
    }
    const next = foremost(sources, span.descending);
    if (!next) break;
    const item = next.items[next.at]!;
    next.at += 1;
    if (item['position'] !== previous && keep(item)) result.push(item);
    previous = item['position'] as string;
  }
  return result;
};
