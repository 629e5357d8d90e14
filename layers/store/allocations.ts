/**
 * Allocations: records that stand alone and, once they are active, name a node that names them. Both sides of that
 * link are written in one transaction.
 */
import { allocation as rows, released, taken, type Allocation } from '../domain/allocation.ts';
import { Conflict, isFault } from '../domain/fault.ts';
import { allocationRemoval } from './allocation-links.ts';
import { guardKey } from './guards.ts';
import { busyIndex, busyPartition, shardOf, shards } from './indexes.ts';
import { changeNode, isoTime, type StoredNode } from './nodes.ts';
import type { Platform } from '../platform/platform.ts';
import { records, type Keeping } from './records.ts';
import { runName } from './runs.ts';
import { isConditionFailed, type Table } from '../platform/table.ts';

export type StoredAllocation = Allocation & Keeping;

type Needs = Pick<Platform, 'table' | 'clock' | 'ids'>;

/** Find, list, create and change them. One that looks for a node is among what `sync` looks at. */
export const allocations = records<StoredAllocation>({
  name: 'allocation',
  title: 'Allocation',
  fields: rows,
  places: ({ uuid, state }): Record<string, string> =>
    state === 'allocating' ? { [busyIndex]: busyPartition(shardOf(uuid), 'allocation') } : {},
});

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

/**
 * Gives the node to an allocation as it was read: both name each other after one write. `permit` is asked of the node
 * as it is by then and refuses by throwing. Throws ConditionFailed if the allocation was changed since, Conflict (409)
 * if another node has its UUID as instance_uuid, NotFound (404) without the node.
 */
export const takeNode = async (
  needs: Needs,
  uuid: string,
  allocation: StoredAllocation,
  permit: (node: StoredNode) => void,
): Promise<StoredAllocation> => {
  const set = { state: 'active', node_uuid: uuid, last_error: null } as const;
  const { after, writes } = allocations.revision(allocation, set, isoTime(needs.clock.now()));
  await changeNode(needs, uuid, (node) => {
    permit(node);
    return {
      set: taken(allocation, node),
      events: [toldOn(`Allocated to allocation ${called(allocation)}.`)],
      also: writes,
    };
  });
  return after;
};

/**
 * Stores a new allocation together with the node that it is for (`permit` as above), which may have had the instance
 * for long. Throws Conflict (409) for a taken uuid or name.
 */
export const createWithNode = async (
  needs: Needs,
  uuid: string,
  allocation: StoredAllocation,
  permit: (node: StoredNode) => void,
): Promise<StoredAllocation> => {
  const record: StoredAllocation = { ...allocation, state: 'active', node_uuid: uuid };
  const writes = allocations.creation(record);
  const events = [toldOn(`Allocation ${called(record)} was made for it.`)];
  try {
    await changeNode(needs, uuid, (node) => {
      permit(node);
      return { set: taken(record, node), events, also: writes };
    });
    return record;
  } catch (error) {
    throw (isConditionFailed(error) && allocations.taken(record, writes[0])) || error;
  }
};

/** Takes its node from the allocation, which removes the allocation; false if the node is not its own (any more). */
const releaseNode = async (
  needs: Needs,
  { node_uuid: uuid, ...allocation }: StoredAllocation,
  permit: (node: StoredNode) => void,
): Promise<boolean> => {
  if (uuid === null) return false;
  const found: { linked?: boolean } = {};
  const decide = (node: StoredNode) => {
    found.linked = node.allocation_uuid === allocation.uuid;
    if (!found.linked) return undefined;
    permit(node);
    return { set: released(node), events: [toldOn(`Allocation ${allocation.name ?? allocation.uuid} was deleted.`)] };
  };
  await changeNode(needs, uuid, decide).catch((error: unknown) => {
    if (!isFault(error) || error.code !== 404) throw error;
    found.linked = false;
  });
  return found.linked === true;
};

/** How often a removal that lost to others is decided again; each loss means that somebody else has made progress. */
const maxTries = 20;

/**
 * Removes an allocation and frees its node; `permit` is asked of that node and refuses by throwing. Throws NotFound
 * (404), Conflict (409).
 */
export const removeAllocation = async (
  needs: Needs,
  uuid: string,
  permit: (node: StoredNode) => void,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const allocation = await allocations.find(needs.table, uuid);
    if (await releaseNode(needs, allocation, permit)) return;
    try {
      await needs.table.write(allocationRemoval(allocation));
      return;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      if (attempt >= maxTries) throw Conflict(`Allocation ${uuid} is being changed by others all the time, try again.`);
      await needs.clock.sleep(Math.random() * 5 * attempt);
    }
  }
};

/** Ends the search as failed. Does nothing for an allocation that is deleted or has ended its search already. */
export const failAllocation = async (needs: Needs, uuid: string, reason: string): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    const allocation = await allocations.read(needs.table, uuid);
    if (allocation?.state !== 'allocating') return false;
    const set = { state: 'error', last_error: reason } as const;
    const { writes } = allocations.revision(allocation, set, isoTime(needs.clock.now()));
    try {
      await needs.table.write(writes);
      return true;
    } catch (error) {
      if (!isConditionFailed(error) || attempt >= maxTries) throw error;
      await needs.clock.sleep(Math.random() * 5 * attempt);
    }
  }
};
