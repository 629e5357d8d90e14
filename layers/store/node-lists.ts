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

/** A node as a list finds it. It may be shared with others who read it, so it is never changed. */
export type ListedNode = Readonly<Omit<StoredNode, 'instance_info'>>;

/**
 * One page of the nodes that are selected, without instance_info. In the order of creation it costs what it shows;
 * other sort keys read all that is selected. Throws NotFound (404) for an unknown marker.
 */
export const listNodes = async (table: Table, selection: Selection, page: Page): Promise<ListedNode[]> => {
  const keep = (item: Item) => selection.keep(item as unknown as Listed);
  const items = await readPage(table, placesOf(selection), page, keep, async (uuid) => table.get(nodeKey(uuid)));
  // What shows them leaves their index attributes aside.
  return items as unknown as ListedNode[];
};

/** The nodes with their instance_info: a read of its own for each, made only if it is `needed`; else it is empty. */
export const withInfo = async (table: Table, nodes: readonly ListedNode[], needed: boolean): Promise<StoredNode[]> => {
  const infos = needed ? await table.getMany(nodes.map(({ uuid }) => instanceInfoKey(uuid))) : [];
  return nodes.map((node, at) => ({ ...node, instance_info: infos[at]?.['values'] ?? {} }) as StoredNode);
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
