/**
 * Lists in the order of creation out of sharded partitions of entries (DESIGN.md 4). A page costs what it shows, however
 * large the fleet is: every shard is asked, in parallel, for its part of the page, and their answers are merged.
 */
import { NotFound, type Fault } from '../domain/fault.ts';
import type { Page } from '../domain/page.ts';
import type { Query, Table } from '../platform/table.ts';
import type { Entry } from './entries.ts';

export type Span = {
  /** Sort key of the entry before the page; exclusive. */
  readonly after?: string | undefined;
  readonly descending: boolean;
  readonly limit: number;
};

/** A shard of what is merged; `place` is for whoever reads what its entries lead to. */
export type Shard<P> = { readonly partition: string; readonly place: P };

/** An entry with where it was found. */
export type Found<P> = { readonly entry: Entry; readonly place: P };

type Source<P> = {
  readonly shard: Shard<P>;
  entries: readonly Entry[];
  at: number;
  done: boolean;
  last: string | undefined;
};

/** Most entries that one query asks for, and that are looked at in one go, so that no list is held whole. */
const maxChunk = 1000;

/**
 * A shard's share of what is still missing, with room for chance: few pages need a second query of a shard.
 */
const chunkFor = (missing: number, sources: number) => {
  const share = missing / sources;
  return Math.min(maxChunk, Math.ceil(share + Math.sqrt(share)) + 1);
};

const fill = async <P>(table: Table, source: Source<P>, span: Span, size: number): Promise<void> => {
  const { shard, last } = source;
  const bound: Partial<Query> = last === undefined ? {} : span.descending ? { before: last } : { after: last };
  const { partition } = shard;
  source.entries = await table.query({ partition, ...bound, descending: span.descending, limit: size });
  source.at = 0;
  source.done = source.entries.length < size;
  source.last = source.entries.at(-1)?.sk ?? last;
};

const head = ({ entries, at }: Source<unknown>) => entries[at]?.sk;

const foremost = <P>(sources: readonly Source<P>[], descending: boolean): Source<P> | undefined => {
  let best: Source<P> | undefined;
  for (const source of sources) {
    const here = head(source);
    if (here === undefined) continue;
    const there = best && head(best)!;
    if (there === undefined || (descending ? here > there : here < there)) best = source;
  }
  return best;
};

/** Makes the function that answers the next so many entries of these shards in order; fewer at their end. */
const merge = <P>(table: Table, shards: readonly Shard<P>[], span: Span) => {
  const sources = shards.map((shard): Source<P> => ({ shard, entries: [], at: 0, done: false, last: span.after }));
  let previous: string | undefined;
  return async (count: number): Promise<Found<P>[]> => {
    const found: Found<P>[] = [];
    while (found.length < count) {
      const empty = sources.filter((source) => !source.done && source.at >= source.entries.length);
      if (empty.length > 0) {
        const size = chunkFor(count - found.length, sources.length);
        await Promise.all(empty.map(async (source) => fill(table, source, span, size)));
      }
      const next = foremost(sources, span.descending);
      if (!next) break;
      const entry = next.entries[next.at]!;
      next.at += 1;
      // What is in two places comes once.
      if (entry.sk !== previous) found.push({ entry, place: next.shard.place });
      previous = entry.sk;
    }
    return found;
  };
};

/** What the entries lead to, in their order; undefined for what is there no more, or not as the entry says. */
export type Resolve<P, T> = (found: readonly Found<P>[]) => Promise<readonly (T | undefined)[]>;

/**
 * The first `limit` of what the entries of these shards lead to that `keep` keeps, in the order of creation. What `keep`
 * refuses is read all the same, so a filter without an index costs a pass over the shards.
 */
export const readList = async <P, T>(
  table: Table,
  shards: readonly Shard<P>[],
  span: Span,
  resolve: Resolve<P, T>,
  keep: (one: T) => boolean = () => true,
): Promise<T[]> => {
  const next = merge(table, shards, span);
  const result: T[] = [];
  let read = 0;
  while (result.length < span.limit) {
    const kept = read === 0 ? 1 : Math.max(result.length / read, 0.01);
    const count = Math.min(maxChunk, Math.ceil((span.limit - result.length) / kept));
    const found = await next(count);
    for (const one of await resolve(found)) {
      if (one !== undefined && result.length < span.limit && keep(one)) result.push(one);
    }
    read += found.length;
    if (found.length < count) break;
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

/** What a page after a record that is not there answers (404). */
export const unknownMarker = (marker: string): Fault =>
  NotFound(`The marker ${marker}, last item of the page before, was not found.`);

/**
 * The page out of records that are all in hand; those that hide their sort key come as those with null do. Throws
 * NotFound (404) for an unknown marker.
 */
export const cutPage = <T extends object>(
  records: readonly T[],
  { sort_key, marker, limit, descending }: Page,
  hides: (record: T) => boolean = () => false,
): T[] => {
  const key = (sort_key === 'id' ? 'position' : sort_key) as keyof T;
  const order = descending ? -1 : 1;
  const hiding = new Set(records.filter((record) => hides(record)));
  const valueOf = (record: T) => (hiding.has(record) ? null : record[key]);
  // The sort is stable: equal values stay in the order of creation.
  const all = records.toSorted((a, b) => order * compare(valueOf(a), valueOf(b)));
  const from = marker === undefined ? 0 : all.findIndex((record) => record['uuid' as keyof T] === marker) + 1;
  if (marker !== undefined && from === 0) throw unknownMarker(marker);
  return all.slice(from, from + limit);
};
