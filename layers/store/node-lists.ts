/** Pages of the node list, and the node of an instance. */
import type { Listed, Selection } from '../domain/filters.ts';
import type { Page } from '../domain/page.ts';
import { guardKey } from './guards.ts';
import { indexName, indexPartition, listPartition } from './indexes.ts';
import { everyShard, readList, readPage, type Place } from './lists.ts';
import { instanceInfoKey, nodeKey, readNode, type StoredNode } from './nodes.ts';
import type { Item, Table } from './table.ts';

/** The index partitions that hold what is selected. */
const placesOf = ({ lookups }: Pick<Selection, 'lookups'>): Place[] =>
  lookups
    ? lookups.flatMap(({ index, value }) =>
        everyShard(indexName(index), (shard) => indexPartition('node', index, value, shard)),
      )
    : everyShard('list', (shard) => listPartition('node', shard));

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
  const keep = (item: Item) => selection.keep(item as unknown as Listed);
  const items = await readPage(table, placesOf(selection), page, keep, async (uuid) => table.get(nodeKey(uuid)));
  const infos = withInfo ? await table.getMany(items.map(({ uuid }) => instanceInfoKey(uuid as string))) : [];
  // The items are fresh copies, and what shows them leaves their index attributes aside.
  return items.map(
    (item, at) => Object.assign(item, { instance_info: infos[at]?.['values'] ?? {} }) as unknown as StoredNode,
  );
};

/** The node that an instance is on; at most one, found by its guard. */
export const nodeOfInstance = async (table: Table, instance: string): Promise<StoredNode | undefined> => {
  const guard = await table.get(guardKey('instance_uuid', instance.toLowerCase()));
  return guard && readNode(table, guard['node'] as string);
};

/** The UUIDs of all nodes whose indexed field has one of these values. */
export const nodesWith = async (table: Table, field: string, values: readonly string[]): Promise<Set<string>> => {
  const places = placesOf({ lookups: values.map((value) => ({ index: field, value })) });
  const items = await readList(table, places, { descending: false, limit: Infinity });
  return new Set(items.map(({ uuid }) => uuid as string));
};
