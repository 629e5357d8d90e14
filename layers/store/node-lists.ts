/** Pages of the node list. */
import type { Listed, Selection } from '../domain/filters.ts';
import { NotFound } from '../domain/fault.ts';
import type { Page } from '../domain/page.ts';
import { indexName, indexPartition, listPartition, shards } from './indexes.ts';
import { readList, type Place } from './lists.ts';
import { instanceInfoKey, nodeKey, toNode, type StoredNode } from './nodes.ts';
import type { Item, Table } from './table.ts';

const everyShard = Array.from({ length: shards }, (_, shard) => shard);

/** The index partitions that hold what is selected. */
const placesOf = ({ lookups }: Selection): Place[] =>
  lookups
    ? lookups.flatMap(({ index, value }) =>
        everyShard.map((shard) => ({
          index: indexName(index),
          partition: indexPartition('node', index, value, shard),
        })),
      )
    : everyShard.map((shard) => ({ index: 'list', partition: listPartition('node', shard) }));

/** null comes before every value, as in a database that sorts ascending. */
const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  return (a as string) < (b as string) ? -1 : 1;
};

const unknownMarker = (marker: string) =>
  NotFound(`Node ${marker}, the marker of the page before, could not be found.`);

/** By another key all that is selected has to be read; the time grows with the fleet, not with the page. */
const sorted = async (table: Table, selection: Selection, page: Page): Promise<Item[]> => {
  const keep = (item: Item) => selection.keep(item as unknown as Listed);
  const all = await readList(table, placesOf(selection), { descending: false, limit: Infinity }, keep);
  const order = page.descending ? -1 : 1;
  // The sort is stable: equal values stay in the order of creation.
  all.sort((a, b) => order * compare(a[page.sort_key], b[page.sort_key]));
  const from = page.marker === undefined ? 0 : all.findIndex(({ uuid }) => uuid === page.marker) + 1;
  if (page.marker !== undefined && from === 0) throw unknownMarker(page.marker);
  return all.slice(from, from + page.limit);
};

const created = async (table: Table, selection: Selection, page: Page): Promise<Item[]> => {
  const marker = page.marker === undefined ? undefined : await table.get(nodeKey(page.marker));
  if (page.marker !== undefined && !marker) throw unknownMarker(page.marker);
  const span = { after: marker?.['position'] as string | undefined, descending: page.descending, limit: page.limit };
  return readList(table, placesOf(selection), span, (item) => selection.keep(item as unknown as Listed));
};

/**
 * One page of the nodes that are selected. In the order of creation it costs what it shows; other sort keys read all
 * that is selected. instance_info is a read of its own for each node, made only `withInfo`. Throws NotFound (404) for
 * an unknown marker.
 */
export const listNodes = async (
  table: Table,
  selection: Selection,
  page: Page,
  withInfo: boolean,
): Promise<StoredNode[]> => {
  const items = await (page.sort_key === 'id' ? created : sorted)(table, selection, page);
  const infos = withInfo ? await table.getMany(items.map(({ uuid }) => instanceInfoKey(uuid as string))) : [];
  return items.map((item, at) => toNode(item, infos[at]));
};
