/** Lists of records: out of index entries alone where those tell enough, else out of what they lead to. */
import type { Lookup } from '../../domain/filters.ts';
import type { Page } from '../../domain/page.ts';
import type { Item, Table } from '../../platform/table.ts';
import {
  entryPartition,
  entrySort,
  everything,
  placeIn,
  placesOf,
  shards as shardCount,
  tellsAll,
  uuidOfEntry,
} from '../entries.ts';
import { storedForm, toBrief, toListed } from '../kinds/form.ts';
import { keyOf, type Kept, type KindOf } from '../kinds/kind.ts';
import { cutPage, readList, unknownMarker, type Found, type Resolve, type Shard, type Span } from '../lists.ts';
import { needLists } from '../reached.ts';
import { itemOf } from './find.ts';

/** What a list shows; all if nothing is said. */
export type Choice<R> = {
  keep?(record: R): boolean;
  /** Whether the caller may see a record at all: the marker of a page may be one that filters no longer keep. */
  sees?(record: R): boolean;
  /** Whether the caller may not see the value that a record is sorted by: order would tell what is withheld. */
  hides?(record: R): boolean;
  /** Where those are that `keep` can keep; without it everywhere. */
  readonly lookups?: readonly Lookup[] | undefined;
  /** The fields that anybody reads of the records, these functions included; without it all. */
  readonly reads?: readonly string[] | undefined;
};

/** Where a place is: the shards of its entries. */
const shardsOf = (
  kind: KindOf<Kept>,
  lookups: readonly Lookup[] = [{ index: everything, value: '' }],
): Shard<string>[] =>
  lookups
    .map(({ index, value }) => placeIn(index, value))
    .flatMap((place) =>
      Array.from({ length: shardCount }, (_, shard) => ({ partition: entryPartition(kind, place, shard), place })),
    );

const isIn = (kind: KindOf<Kept>, record: Kept, place: string): boolean => {
  const form = storedForm(record);
  // Items of another form may say nothing of their places, or of others.
  return (form?.schema === kind.schema ? form.places : placesOf(kind, record)).includes(place);
};

/**
 * The records that entries lead to; undefined for one that is gone, or has left that place meanwhile. A read that may be
 * a moment old costs half: what does not fit its entry is read once more.
 */
const behind =
  <R extends Kept>(table: Table, kind: KindOf<R>): Resolve<string, R> =>
  async (found) => {
    const keys = found.map(({ entry }) => keyOf(kind, uuidOfEntry(entry), entry.home));
    const fitting = ({ place }: Found<string>, item: Item | undefined): R | undefined => {
      const record = item && toListed(kind, item);
      return record && isIn(kind, record, place) ? record : undefined;
    };
    const items = await table.getMany(keys, { stale: true });
    const records = found.map((one, at) => fitting(one, items[at]));
    const odd = records.flatMap((record, at) => (record ? [] : [at]));
    if (odd.length === 0) return records;
    const again = await table.getMany(odd.map((at) => keys[at]!));
    odd.forEach((at, index) => (records[at] = fitting(found[at]!, again[index])));
    return records;
  };

const briefs =
  <R extends Kept>(kind: KindOf<R>): Resolve<string, R> =>
  async (found) =>
    found.map(({ entry }) => toBrief(kind, entry));

const resolverFor = <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  { lookups, reads }: Choice<R>,
): Resolve<string, R> => {
  const indexes = lookups?.map(({ index }) => index) ?? [everything];
  const enough = reads && indexes.every((index) => tellsAll(kind, index, reads));
  return enough ? briefs(kind) : behind(table, kind);
};

const fromStart: Span = { descending: false, limit: Infinity };

/** Reads a list of this kind. Throws Unavailable (503) while it might miss records; that is asked beside. */
const readOf = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  ...how: [readonly Shard<string>[], Span, Resolve<string, R>, ((record: R) => boolean)?]
): Promise<R[]> => {
  const [found] = await Promise.all([readList(table, ...how), needLists(table, kind)]);
  return found;
};

/**
 * One page of the records, without what is kept apart of them. In the order of creation it costs what it shows; other
 * sort keys read all that is looked up. Throws NotFound (404) for a marker that is unknown or that the caller may not
 * see.
 */
export const listRecords = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  page: Page,
  choice: NoInfer<Choice<R>> = {},
): Promise<R[]> => {
  const { keep, sees, hides, lookups, reads } = choice;
  const { marker, descending, limit, sort_key } = page;
  const shards = shardsOf(kind, lookups);
  const read = async (span: Span, names: Choice<R>['reads']) =>
    readOf(table, kind, shards, span, resolverFor(table, kind, { ...choice, reads: names }), keep);
  if (sort_key !== 'id') {
    return cutPage(await read(fromStart, reads && [...reads, sort_key, 'position']), page, hides);
  }
  if (marker === undefined) return read({ descending, limit }, reads);
  const item = await itemOf(table, kind, marker.toLowerCase());
  const last = item && toListed(kind, item);
  if (!last || sees?.(last) === false) throw unknownMarker(marker);
  return read({ after: entrySort(last), descending, limit }, reads);
};

/**
 * Calls `see` with every record, or with those looked up, in the order of creation. It holds a part of them at a time.
 * `reads`: the fields that it reads; without it all.
 */
export const eachRecord = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  { lookups, reads }: Pick<Choice<R>, 'lookups' | 'reads'>,
  see: (record: R) => void,
): Promise<void> => {
  const resolve = resolverFor(table, kind, { lookups, reads });
  await readOf(table, kind, shardsOf(kind, lookups), fromStart, resolve, (record) => {
    see(record);
    return false;
  });
};

/** The UUIDs of the records with a value, in the order of creation. */
export const uuidsIn = async (table: Table, kind: KindOf<Kept>, lookups: readonly Lookup[]): Promise<string[]> => {
  const found: string[] = [];
  await eachRecord<Kept>(table, kind, { lookups, reads: ['uuid'] }, ({ uuid }) => found.push(uuid));
  return found;
};

/** Whether there is a record with this value. */
export const isAny = async (table: Table, kind: KindOf<Kept>, lookup: Lookup): Promise<boolean> => {
  const found = await readOf(table, kind, shardsOf(kind, [lookup]), { descending: false, limit: 1 }, briefs(kind));
  return found.length > 0;
};

/** The records with a value, in parts of so many, one shard of them after the other in the order that `arrange` gives. */
export async function* recordsIn<R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  lookup: Lookup,
  { chunk, arrange }: { readonly chunk: number; arrange<T>(shards: readonly T[]): readonly T[] },
): AsyncGenerator<R[]> {
  await needLists(table, kind);
  const resolve = behind(table, kind);
  for (const { partition, place } of arrange(shardsOf(kind, [lookup]))) {
    let after: string | undefined;
    for (;;) {
      const entries = await table.query({ partition, limit: chunk, ...(after !== undefined && { after }) });
      const records = await resolve(entries.map((entry) => ({ entry, place })));
      yield records.filter((record) => record !== undefined);
      after = entries.at(-1)?.sk;
      if (entries.length < chunk) break;
    }
  }
}
