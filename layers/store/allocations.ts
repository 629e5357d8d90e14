/**
 * Allocations and their nodes. Once one is active it names a node that names it; both sides of that link are written in
 * one transaction.
 */
import { released, taken, type Allocation } from '../domain/allocation.ts';
import { isFault } from '../domain/fault.ts';
import type { Table } from '../platform/table.ts';
import { busyIndex, busyPartition, shards } from './indexes.ts';
import { guardKey } from './kinds/key.ts';
import { kinds, type StoredAllocation } from './kinds/kinds.ts';
import type { StoredNode } from './nodes.ts';
import { changeRecord, createRecord, removeRecord, type Needs } from './records/change.ts';
import { missing, readToChange } from './records/find.ts';
import { beside } from './records/plan.ts';
import { runName } from './runs.ts';

/** The run that looks for a node; an allocation that was deleted and created again under its UUID has another. */
export const allocationRun = ({ uuid, position }: Pick<StoredAllocation, 'uuid' | 'position'>): string =>
  runName(uuid, position);

/** UUIDs of the allocations that look for a node; on AWS one of the last second may be missing. */
export const allocatingNow = async (table: Table): Promise<string[]> => {
  const found = await Promise.all(
    Array.from({ length: shards }, async (_, shard) =>
      table.query({ index: busyIndex, partition: busyPartition(shard, 'allocation') }),
    ),
  );
  return found.flat().map(({ uuid }) => uuid as string);
};

/** The UUID of the node that has this instance; undefined if none has. */
export const nodeWithInstance = async (table: Table, instance: string): Promise<string | undefined> =>
  (await table.get(guardKey('instance_uuid', instance)))?.['node'] as string | undefined;

const toldOn = (message: string) =>
  ({ kind: 'request', severity: 'INFO', event_type: 'provisioning', message }) as const;

const called = ({ name, uuid }: Allocation) => (name === null ? uuid : `${name} (${uuid})`);

type Permit = (node: StoredNode, allocation: StoredAllocation) => void;

/** The change that gives a node to an allocation, beside that of the allocation itself. Throws NotFound (404). */
const taking = async (table: Table, uuid: string, allocation: StoredAllocation, permit: Permit, line: string) => {
  const node = await readToChange(table, kinds.node, uuid);
  if (!node) throw missing(kinds.node, uuid);
  permit(node, allocation);
  return [beside(kinds.node, node, { set: taken(allocation, node), events: [toldOn(line)] })];
};

/**
 * Gives the node to an allocation: both name each other after one write. `permit` is asked of both as they are by then
 * and refuses by throwing. Throws Conflict (409) if another node has its UUID as instance_uuid, NotFound (404) without
 * either.
 */
export const takeNode = async (
  needs: Needs,
  { node, allocation }: { readonly node: string; readonly allocation: string },
  permit: Permit,
): Promise<void> => {
  await changeRecord(needs, kinds.allocation, allocation, async (stored) => ({
    set: { state: 'active', node_uuid: node, last_error: null },
    beside: await taking(needs.table, node, stored, permit, `Allocated to allocation ${called(stored)}.`),
  }));
};

/**
 * Stores a new allocation together with the node that it is for (`permit` as above), which may have had the instance
 * for long. Throws Conflict (409) for a taken uuid or name, NotFound (404) without the node.
 */
export const createWithNode = async (
  needs: Needs,
  uuid: string,
  allocation: StoredAllocation,
  permit: Permit,
): Promise<StoredAllocation> => {
  const record: StoredAllocation = { ...allocation, state: 'active', node_uuid: uuid };
  await createRecord(needs, kinds.allocation, record, async () => ({
    beside: await taking(needs.table, uuid, record, permit, `Allocation ${called(record)} was made for it.`),
  }));
  return record;
};

/** The node that the allocation names, if that names it too. */
const nodeOf = async (table: Table, { uuid, node_uuid: node }: StoredAllocation): Promise<StoredNode | undefined> => {
  const found = node === null ? undefined : await readToChange(table, kinds.node, node);
  return found?.allocation_uuid === uuid ? found : undefined;
};

/**
 * Removes an allocation and frees its node; `permit` is asked of that node and refuses by throwing. Throws NotFound
 * (404), Conflict (409).
 */
export const removeAllocation = async (needs: Needs, uuid: string, permit: Permit): Promise<void> => {
  await removeRecord(needs, kinds.allocation, uuid, async (allocation) => {
    const node = await nodeOf(needs.table, allocation);
    if (!node) return {};
    permit(node, allocation);
    const events = [toldOn(`Allocation ${allocation.name ?? allocation.uuid} was deleted.`)];
    return { beside: [beside(kinds.node, node, { set: released(node), events })] };
  });
};

/** Ends the search as failed. False for an allocation that is deleted or has ended its search already. */
export const failAllocation = async (needs: Needs, uuid: string, reason: string): Promise<boolean> => {
  const set = { state: 'error', last_error: reason } as const;
  try {
    const { before, after } = await changeRecord(needs, kinds.allocation, uuid, ({ state }) =>
      state === 'allocating' ? { set } : undefined,
    );
    return before !== after;
  } catch (error) {
    if (isFault(error) && error.code === 404) return false;
    throw error;
  }
};
