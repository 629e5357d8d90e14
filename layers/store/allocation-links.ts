/**
 * The end of an allocation with its node. Whoever clears `allocation_uuid` of a node, or removes the node, removes the
 * allocation in the same transaction: a node and its allocation name each other, or neither does.
 */
import { allocation as rows } from '../domain/allocation.ts';
import { guardChanges } from './guards.ts';
import { recordKey } from './references.ts';
import { equals, type Item, type Table, type Write } from '../platform/table.ts';

type Linked = { readonly uuid: string; readonly allocation_uuid: string | null };

/** The removal of an allocation as it was read, for a transaction; refused if somebody changed it since. */
export const allocationRemoval = (item: { readonly uuid: string; readonly revision: number }): Write[] => [
  { delete: recordKey('allocation', item.uuid), when: [equals('revision', item.revision)] },
  ...guardChanges(rows, item, undefined, {}),
];

/**
 * The removal of the allocation that the node loses when it becomes `after` (undefined: is removed); empty if it keeps
 * it or has none.
 */
export const lostAllocation = async (table: Table, before: Linked, after: Linked | undefined): Promise<Write[]> => {
  const uuid = before.allocation_uuid;
  if (uuid === null || after?.allocation_uuid === uuid) return [];
  const item = (await table.get(recordKey('allocation', uuid))) as
    | (Item & { uuid: string; revision: number })
    | undefined;
  return item?.['node_uuid'] === before.uuid ? allocationRemoval(item) : [];
};
