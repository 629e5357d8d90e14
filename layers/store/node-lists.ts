/** Pages of the node list, and the node of an instance. */
import type { Lookup, Selection } from '../domain/filters.ts';
import { placesOfProject, type Listed } from '../domain/node-filters.ts';
import type { Page } from '../domain/page.ts';
import { guardKey } from './guards.ts';
import { indexName, indexPartition, listPartition } from './indexes.ts';
import { everyShard, readList, readPage, type Place } from './lists.ts';
import { instanceInfoKey, nodeKey, readNode, type StoredNode } from './nodes.ts';
import type { Item, Table } from '../platform/table.ts';

/** The index partitions that hold what is selected. */
const placesOf = (lookups: readonly Lookup[] | undefined): Place[] =>
  lookups
    ? lookups.flatMap(({ index, value }) =>
        everyShard(indexName(index), (shard) => indexPartition('node', index, value, shard)),
      )
    : everyShard('list', (shard) => listPartition('node', shard));

/** A node as a list finds it. It may be shared with others who read it, so it is never changed. */
export type ListedNode = Readonly<Omit<StoredNode, 'instance_info'>>;

/**
 * One page of the nodes that are selected, without instance_info. In the order of creation it costs what it shows;
 * other sort keys read all that is selected. `hides`: see Shown. Throws NotFound (404) for an unknown marker.
 */
export const listNodes = async (
  table: Table,
  selection: Selection<Listed> & { sees?(node: Listed): boolean },
  page: Page,
  hides?: (node: ListedNode) => boolean,
): Promise<ListedNode[]> => {
  const keep = (item: Item) => selection.keep(item as unknown as Listed);
  const find = async (uuid: string) => {
    const item = await table.get(nodeKey(uuid));
    return item && (selection.sees?.(item as unknown as Listed) ?? true) ? item : undefined;
  };
  const shown = { keep, find, hides: hides && ((item: Item) => hides(item as unknown as ListedNode)) };
  const items = await readPage(table, placesOf(selection.lookups), page, shown);
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

const nodesIn = async (table: Table, lookups: readonly Lookup[]): Promise<ListedNode[]> => {
  const all = { descending: false, limit: Infinity };
  return (await readList(table, placesOf(lookups), all)) as unknown as ListedNode[];
};

/** All nodes whose indexed field has one of these values, in the order of creation and without instance_info. */
export const nodesBy = async (table: Table, field: string, values: readonly string[]): Promise<ListedNode[]> =>
  nodesIn(
    table,
    values.map((value) => ({ index: field, value })),
  );

/** The nodes that a project owns or leases, in the order of creation. */
export const nodesOfProject = async (table: Table, project: string): Promise<ListedNode[]> =>
  nodesIn(table, placesOfProject(project));

/** The UUIDs of all nodes whose indexed field has one of these values. */
export const nodesWith = async (table: Table, field: string, values: readonly string[]): Promise<Set<string>> =>
  new Set((await nodesBy(table, field, values)).map(({ uuid }) => uuid));

/** The children of a node (by UUID), in the order of creation. */
export const childrenOf = async (table: Table, uuid: string): Promise<ListedNode[]> =>
  nodesBy(table, 'parent_node', [uuid]);

/**
 * How many nodes each shard has; null: those in none. A pass over the fleet that holds a part of it at a time: there
 * is nothing that counts, because a counter would be one item that every change of a node waits for.
 */
export const countShards = async (table: Table): Promise<Map<string | null, number>> => {
  const counts = new Map<string | null, number>();
  const count = ({ shard }: Pick<ListedNode, 'shard'>) => counts.set(shard, (counts.get(shard) ?? 0) + 1);
  await readList(table, placesOf(undefined), { descending: false, limit: Infinity }, (item) => {
    count(item as unknown as ListedNode);
    return false;
  });
  return counts;
};
