/** allocate: finds a node for an allocation (ironic-api.md 8). It works on no node until it takes one. */
import { fits } from '../../layers/domain/allocation.ts';
import { Conflict, Fault, isFault, NodeLocked } from '../../layers/domain/fault.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { type AllocationPhase, SearchOver } from '../owners/allocation/index.ts';
import { findCandidates } from './candidates.ts';
import { failAllocation, nodeWithInstance, takeNode } from '../../layers/store/allocations.ts';
import { kinds, type StoredAllocation } from '../../layers/store/kinds/kinds.ts';
import type { ListedNode, StoredNode } from '../../layers/store/nodes.ts';

type Needs = Pick<Platform, 'table' | 'clock' | 'chance' | 'ids' | 'log'>;

const answers = { is: ['active', 'error'] } as const;
type Found = (typeof answers.is)[number];

/** Somebody else took the node, or it changed. */
const Unsuitable = (node: StoredNode) =>
  new Fault('Unsuitable', 409, `Node ${node.uuid} does not fit the allocation any more.`);

const readAllocating = async ({ table }: Needs, uuid: string): Promise<StoredAllocation> => {
  const allocation = await readRecord(table, kinds.allocation, uuid);
  if (allocation?.state !== 'allocating') throw SearchOver(uuid);
  return allocation;
};

const permit = (node: StoredNode, allocation: StoredAllocation) => {
  if (allocation.state !== 'allocating') throw SearchOver(allocation.uuid);
  if (!fits(node, allocation)) throw Unsuitable(node);
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
};

/** What taking a node ended in. A fault: the node is locked. */
type Attempt = 'taken' | 'lost' | Fault;

const attempt = async (platform: Needs, allocation: StoredAllocation, { uuid }: ListedNode): Promise<Attempt> => {
  try {
    await takeNode(platform, { node: uuid, allocation: allocation.uuid }, permit);
    return 'taken';
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.name === 'NodeLocked') return error;
    if (error.name === 'Unsuitable' || error.name === 'NotFound') return 'lost';
    throw error;
  }
};

/** Tries one node after the other until one is taken. If none is and some were locked, it answers the lock of one. */
const takeFirst = async (
  platform: Needs,
  allocation: StoredAllocation,
  nodes: readonly ListedNode[],
): Promise<Attempt> => {
  let result: Attempt = 'lost';
  for (const node of nodes) {
    const ended = await attempt(platform, allocation, node);
    if (ended === 'taken') return ended;
    if (ended !== 'lost') result = ended;
  }
  return result;
};

/** An index may lag behind by a second on AWS, so a search that finds nothing is made again after one. */
const rounds = 3;
const pause = 1000;

const giveUp = async (platform: Needs, uuid: string, reason: string): Promise<Found> => {
  if (!(await failAllocation(platform, uuid, reason))) throw SearchOver(uuid);
  platform.log.info('An allocation found no node.', { allocation: uuid, reason });
  return 'error';
};

/** The UUID becomes the instance_uuid of the node, which no two nodes can share. */
const takenBy = async ({ table }: Needs, uuid: string): Promise<string | undefined> => {
  const node = await nodeWithInstance(table, uuid);
  return node && `Node ${node} has instance_uuid ${uuid} already. Create the allocation with another UUID.`;
};

/** Clients look for Ironic's words (ironic-api.md 8). */
const nothingFits = ({ uuid, resource_class: wanted }: StoredAllocation): string =>
  `Failed to process allocation ${uuid}: no available nodes match the resource class ${wanted}.`;

const next = 'Delete the allocation, and create it again when there is such a node.';

/**
 * Takes a node that fits. While all that fit are locked, or others take them first, it throws NodeLocked or Conflict,
 * which the ASL tries again. Without a node that fits the allocation ends in `error`. Throws Superseded.
 */
const pickNode = async (platform: Needs, uuid: string): Promise<Found> => {
  for (let round = 1; ; round += 1) {
    const allocation = await readAllocating(platform, uuid);
    const conflict = await takenBy(platform, uuid);
    if (conflict) return giveUp(platform, uuid, conflict);
    const { nodes, reason } = await findCandidates(platform, allocation);
    const ended = await takeFirst(platform, allocation, nodes);
    if (ended === 'taken') return 'active';
    if (round >= rounds) {
      if (nodes.length === 0) return giveUp(platform, uuid, `${nothingFits(allocation)} ${reason} ${next}`);
      if (isFault(ended)) throw ended;
      throw Conflict(`Others took every node that fits allocation ${uuid}; it is tried again.`);
    }
    await platform.clock.sleep(platform.chance.number() * pause);
  }
};

/** By the names of the states in allocate.asl.json. */
export const phases = {
  PickNode: {
    answers,
    run: async ({ platform, allocation }) => ({ is: 'done', output: { is: await pickNode(platform, allocation) } }),
  } satisfies AllocationPhase<typeof answers>,
};
