/** Nodes by what they have: an instance, a project, a parent, a shard. */
import type { Lookup } from '../domain/filters.ts';
import { placesOfProject } from '../domain/node-filters.ts';
import type { Table } from '../platform/table.ts';
import { apartKey } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import type { ListedNode, StoredNode } from './nodes.ts';
import { readRecordBy } from './records/find.ts';
import { eachRecord } from './records/list.ts';

/** The nodes with their instance_info: a read of its own for each, made only if it is `needed`; else it is empty. */
export const withInfo = async (table: Table, nodes: readonly ListedNode[], needed: boolean): Promise<StoredNode[]> => {
  const keys = nodes.map(({ uuid }) => apartKey(kinds.node, uuid, 'instance_info'));
  const infos = needed ? await table.getMany(keys) : [];
  return nodes.map((node, at) => ({ ...node, instance_info: infos[at]?.['values'] ?? {} }) as StoredNode);
};

/** The node that an instance is on; at most one, found by its guard. */
export const nodeOfInstance = async (table: Table, instance: string): Promise<StoredNode | undefined> =>
  readRecordBy(table, kinds.node, 'instance_uuid', instance.toLowerCase());

const nodesIn = async (table: Table, lookups: readonly Lookup[]): Promise<ListedNode[]> => {
  const found: ListedNode[] = [];
  await eachRecord<ListedNode>(table, kinds.node, lookups, (node) => found.push(node));
  return found;
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
 * How many nodes each shard has; null: those in none. A pass over the fleet: there is nothing that counts, because a
 * counter would be one item that every change of a node waits for.
 */
export const countShards = async (table: Table): Promise<Map<string | null, number>> => {
  const counts = new Map<string | null, number>();
  await eachRecord<ListedNode>(table, kinds.node, undefined, ({ shard }) =>
    counts.set(shard, (counts.get(shard) ?? 0) + 1),
  );
  return counts;
};
