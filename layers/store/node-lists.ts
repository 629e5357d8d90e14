/** Nodes by what they have: an instance, a project, a parent, a shard. */
import type { Lookup } from '../domain/filters.ts';
import { placesOfProject } from '../domain/node-filters.ts';
import type { Table } from '../platform/table.ts';
import { apartKey } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import type { ListedNode, StoredNode } from './nodes.ts';
import { readRecordBy } from './records/find.ts';
import { eachRecord, uuidsIn } from './records/list.ts';

/** The nodes with their instance_info: a read of its own for each, made only if it is `needed`; else it is empty. */
export const withInfo = async (table: Table, nodes: readonly ListedNode[], needed: boolean): Promise<StoredNode[]> => {
  const keys = nodes.map(({ uuid }) => apartKey(kinds.node, uuid, 'instance_info'));
  const infos = needed ? await table.getMany(keys) : [];
  return nodes.map((node, at) => ({ ...node, instance_info: infos[at]?.['values'] ?? {} }) as StoredNode);
};

/** The node that an instance is on; at most one, found by its guard. */
export const nodeOfInstance = async (table: Table, instance: string): Promise<StoredNode | undefined> =>
  readRecordBy(table, kinds.node, 'instance_uuid', instance.toLowerCase());

/** The nodes that these lookups find, in the order of creation and without instance_info. `reads`: see Choice. */
const nodesIn = async (
  table: Table,
  lookups: readonly Lookup[],
  reads: readonly string[] | undefined,
): Promise<ListedNode[]> => {
  const found: ListedNode[] = [];
  await eachRecord<ListedNode>(table, kinds.node, { lookups, reads }, (node) => found.push(node));
  return found;
};

/** All nodes whose indexed field has one of these values, in the order of creation and without instance_info. */
export const nodesBy = async (table: Table, field: string, values: readonly string[]): Promise<ListedNode[]> =>
  nodesIn(
    table,
    values.map((value) => ({ index: field, value })),
    undefined,
  );

/** The nodes that a project owns or leases, in the order of creation, with what is read of them. */
export const nodesOfProject = async (table: Table, project: string, reads?: readonly string[]): Promise<ListedNode[]> =>
  nodesIn(table, placesOfProject(project), reads);

/** The UUIDs of all nodes whose indexed field has one of these values. */
export const nodesWith = async (table: Table, field: string, values: readonly string[]): Promise<Set<string>> =>
  new Set(
    await uuidsIn(
      table,
      kinds.node,
      values.map((value) => ({ index: field, value })),
    ),
  );

/** The children of a node (by UUID), in the order of creation. */
export const childrenOf = async (table: Table, uuid: string): Promise<ListedNode[]> =>
  nodesBy(table, 'parent_node', [uuid]);

/**
 * How many nodes each shard has; null: those in none. A pass over the briefs of the fleet: there is nothing that counts,
 * because a counter would be one item that every change of a node waits for.
 */
export const countShards = async (table: Table): Promise<Map<string | null, number>> => {
  const counts = new Map<string | null, number>();
  await eachRecord<ListedNode>(table, kinds.node, { reads: ['shard'] }, ({ shard }) =>
    counts.set(shard, (counts.get(shard) ?? 0) + 1),
  );
  return counts;
};
