/** The end of a run as failed, for the Fail state and for executions that ended without it. */
import { isFault, NodeLocked } from '../../../layers/domain/fault.ts';
import { forget } from '../../../layers/domain/notes.ts';
import type { Invocation } from '../../../layers/platform/platform.ts';
import { NodeLost } from '../../../layers/store/reservation.ts';
import type { Failure } from '../../run/failure.ts';
import type { Keeping } from '../../run/owner.ts';
import { leftRamdisk } from './agent.ts';
import { removeAgentMedium } from './agent-medium.ts';
import { lastError } from './failure.ts';
import { createHardware, isFake } from './hardware.ts';
import { runFailed } from './history.ts';
import type { World } from './phase.ts';
import type { NodeWorkflow } from './workflow.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';

/** Which run of which node is to end. */
export type Failing = {
  readonly uuid: string;
  readonly run: string;
  readonly row: NodeWorkflow;
  readonly failure: Failure;
};

/** Throws Superseded if the node is another run's, NodeLocked while somebody else works on it. */
const requireOwned = (node: StoredNode, { row, run }: Failing): void => {
  const owned = row.takes === 'lock' ? node.reservation : node.run;
  if (owned !== run) throw NodeLost(node, run);
  if (node.reservation !== null && node.reservation !== run) throw NodeLocked(node.uuid, node.reservation);
};

/** The machine was switched off, and the medium of its agent is removed. */
const switchedOff = (node: StoredNode): Partial<StoredNode> => ({
  ...leftRamdisk(node),
  ...forget(node, 'agent', 'medium'),
});

/** Failure state, `last_error`, event, lock and ownership gone, in one write. `off`: the machine was switched off. */
const record = async (platform: Keeping, failing: Failing, off: boolean): Promise<StoredNode> => {
  const { uuid, run, row, failure } = failing;
  const message = lastError(row, failure);
  const { after } = await changeRecord(platform, kinds.node, uuid, (before) => {
    requireOwned(before, failing);
    const gone = off ? switchedOff(before) : {};
    const node = { ...before, ...gone };
    const set: Partial<StoredNode> = {
      ...gone,
      last_error: message,
      ...row.failed(node, message),
      ...(row.takes === 'node' && { run: null, run_workflow: null }),
      reservation: null,
      phase: null,
    };
    const about = { event_type: row.event_type, run, phase: failure.phase };
    return {
      set,
      events: [runFailed(about, message)],
      also: row.leftovers.map((key) => ({ delete: key(uuid) })),
    };
  });
  return after;
};

/**
 * Ends a run that nobody is at any more. What it leaves in the object store goes when it is sure that it still had the
 * node; what cannot be removed is swept later. Throws Superseded, NodeLocked.
 */
export const fail = async (platform: Keeping, failing: Failing): Promise<void> => {
  const node = failing.row.discard && (await readRecord(platform.table, kinds.node, failing.uuid));
  await record(platform, failing, false);
  if (node) await failing.row.discard!(platform, node);
};

/** Takes the lock back so that the machine can be switched off before the run ends; the state does not change. */
const takeBack = async (platform: Keeping, failing: Failing): Promise<StoredNode> => {
  const { after } = await changeRecord(platform, kinds.node, failing.uuid, (node) => {
    requireOwned(node, failing);
    if (node.reservation === failing.run) return undefined;
    return { set: { reservation: failing.run, generation: node.generation + 1 } };
  });
  return after;
};

/** After these the BMC must not be asked again: a wrong password would lock its account. */
const neverAskAgain = ['BmcAuthFailed', 'BmcTlsMismatch', 'TargetForbidden'];

const mayPowerOff = (node: StoredNode, { error }: Failure): boolean =>
  !node.disable_power_off && !isFake(node, 'power') && !neverAskAgain.includes(error);

/** As in Ironic a machine that runs a ramdisk of ours is switched off. That must not hide why the work failed. */
const powerOff = async (world: World, { run }: Failing, node: StoredNode, deadline_ms: number): Promise<boolean> => {
  const hardware = createHardware(world, { node, op_id: `${run}/Fail`, deadline_ms });
  try {
    await hardware.ask('power.ensure', { target: 'power off' });
  } catch (error) {
    world.log.warn('After a failure the machine could not be switched off.', { node: node.uuid, error });
    return false;
  }
  await hardware.ask('vmedia.eject', { slot: 'all' }).catch((error: unknown) => {
    world.log.warn('After a failure the boot media could not be ejected.', { node: node.uuid, error });
  });
  return true;
};

/** The stored objects must not outlive the references to them, which are cleared next. */
const discard = async (world: World, { row }: Failing, node: StoredNode): Promise<void> => {
  await row.discard?.(world, node).catch((error: unknown) => {
    if (!isFault(error)) world.log.error('What a run left could not be removed.', { node: node.uuid, error });
  });
};

/**
 * The Fail state: every workflow's Catch leads here. A machine in our ramdisk is switched off first. Answers
 * `last_error`. Throws Superseded, NodeLocked.
 */
export const abandon = async (world: World, failing: Failing, invocation: Invocation): Promise<string> => {
  const node = await takeBack(world, failing);
  const deadline_ms = Math.max(1000, Math.min(30_000, Math.floor(invocation.remaining_ms() / 3)));
  const mayTry = failing.row.leavesRamdisk?.(node) === true && mayPowerOff(node, failing.failure);
  const off = mayTry && (await powerOff(world, failing, node, deadline_ms));
  if (off) await removeAgentMedium({ platform: world, node });
  await discard(world, failing, node);
  const after = await record(world, failing, off);
  return after.last_error ?? '';
};
