/** Lists of records: what a page shows, out of the index partitions that hold it. */
import type { Lookup } from '../../domain/filters.ts';
import type { Page } from '../../domain/page.ts';
import type { Item, Table } from '../../platform/table.ts';
import { indexName, indexPartition, listPartition } from '../indexes.ts';
import type { Kept, KindOf } from '../kinds/kind.ts';
import { everyShard, readList, readPage, type Place } from '../lists.ts';
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
};

const placesOf = ({ name }: KindOf<Kept>, lookups: readonly Lookup[] | undefined): Place[] =>
  lookups
    ? lookups.flatMap(({ index, value }) =>
        everyShard(indexName(index), (shard) => indexPartition(name, index, value, shard)),
      )
    : everyShard('list', (shard) => listPartition(name, shard));

/** A record as lists find it: its item, which may be shared with others who read it, so it is never changed. */
const listed = <R extends Kept>(item: Item): R => item as unknown as R;

/**
 * One page of the records, without what is kept apart of them. In the order of creation it costs what it shows; other
 * sort keys read all that is looked up. Throws NotFound (404) for a marker that is unknown or that the caller may not
 * see.
 */
export const listRecords = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  page: Page,
  { keep, sees, hides, lookups }: NoInfer<Choice<R>> = {},
): Promise<R[]> => {
  const find = async (uuid: string) => {
    const item = await itemOf(table, kind, uuid.toLowerCase());
    return item && (sees?.(listed(item)) ?? true) ? item : undefined;
  };
  const shown = {
    keep: (item: Item) => keep?.(listed(item)) ?? true,
    find,
    hides: hides && ((item: Item) => hides(listed(item))),
  };
  return (await readPage(table, placesOf(kind, lookups), page, shown)).map((item) => listed<R>(item));
};

/**
 * Calls `see` with every record, or with those looked up, in the order of creation. It holds a part of them at a time.
 */
export const eachRecord = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  lookups: readonly Lookup[] | undefined,
  see: (record: R) => void,
): Promise<void> => {
  await readList(table, placesOf(kind, lookups), { descending: false, limit: Infinity }, (item) => {
    see(listed(item));
    return false;
  });
};
