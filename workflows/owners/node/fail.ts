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

/** How the machine was left: switched off, its media out; `besides`: what could not be done with it. */
type Left = { readonly off: boolean; readonly ejected: boolean; readonly besides: readonly string[] };

const untouched: Left = { off: false, ejected: false, besides: [] };

/** Throws Superseded if the node is another run's, NodeLocked while somebody else works on it. */
const requireOwned = (node: StoredNode, { row, run }: Failing): void => {
  const owned = row.takes === 'lock' ? node.reservation : node.run;
  if (owned !== run) throw NodeLost(node, run);
  if (node.reservation !== null && node.reservation !== run) throw NodeLocked(node.uuid, node.reservation);
};

/** The machine was switched off, the medium of its agent is removed. */
const gone = (before: StoredNode, { off, ejected }: Left): Partial<StoredNode> => {
  const left = off ? leftRamdisk(before) : {};
  if (!off && !ejected) return left;
  return { ...left, ...forget({ ...before, ...left }, 'medium', ...(off ? (['agent'] as const) : [])) };
};

/** Failure state, `last_error`, event, lock and ownership gone, in one write. */
const record = async (platform: Keeping, failing: Failing, left: Left): Promise<StoredNode> => {
  const { uuid, run, row, failure } = failing;
  const message = lastError(row, failure, left.besides);
  const { after } = await changeRecord(platform, kinds.node, uuid, (before) => {
    requireOwned(before, failing);
    const undone = gone(before, left);
    const node = { ...before, ...undone };
    const set: Partial<StoredNode> = {
      ...undone,
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
  await record(platform, failing, untouched);
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

/** What a BMC that cannot be reached for one thing need not be asked for another. */
const nobodyThere = ['BmcUnreachable', 'BmcTimeout', ...neverAskAgain];

type Undo = { readonly what: string; readonly how: () => Promise<unknown> };

/** What is done with the machine, in this order: a ramdisk that is still being loaded must not lose its medium. */
const undoings = (world: World, { run }: Failing, node: StoredNode, off: boolean, deadline_ms: number) => {
  const { ask } = createHardware(world, { node, op_id: `${run}/Fail`, deadline_ms });
  const power: Undo = { what: 'be switched off', how: async () => ask('power.ensure', { target: 'power off' }) };
  const media: Undo = { what: 'give back the boot media', how: async () => ask('vmedia.eject', { slot: 'all' }) };
  const override: Undo = { what: 'be told not to boot from them', how: async () => ask('boot.clear', {}) };
  return { ...(off && { power }), media, override };
};

/**
 * As in Ironic a machine that runs a ramdisk of ours is switched off, or left to whoever looks into it; nobody who
 * switches it on later shall boot the ramdisk again. None of that hides why the work failed.
 */
const undo = async (world: World, failing: Failing, node: StoredNode, deadline_ms: number): Promise<Left> => {
  const leaves = failing.row.leavesRamdisk?.(node);
  // What must not be switched off has never booted anything of ours.
  const mayAsk = !node.disable_power_off && !neverAskAgain.includes(failing.failure.error);
  if (leaves === undefined || !mayAsk) return untouched;
  const mayPowerOff = leaves === 'off' && !isFake(node, 'power');
  const done = new Set<string>();
  const besides: string[] = [];
  for (const [name, { what, how }] of Object.entries(undoings(world, failing, node, mayPowerOff, deadline_ms))) {
    try {
      await how();
      done.add(name);
    } catch (error) {
      world.log.warn(`After a failure the machine could not ${what}.`, { node: node.uuid, error });
      besides.push(`Afterwards the machine could not ${what}: ${isFault(error) ? error.message : 'the log says why.'}`);
      if (isFault(error) && nobodyThere.includes(error.name)) break;
    }
  }
  return { off: done.has('power'), ejected: done.has('media'), besides };
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
  const deadline_ms = Math.max(1000, Math.min(30_000, Math.floor(invocation.remaining_ms() / 4)));
  const left = await undo(world, failing, node, deadline_ms);
  if (left.off || left.ejected) await removeAgentMedium({ platform: world, node });
  await discard(world, failing, node);
  const after = await record(world, failing, left);
  return after.last_error ?? '';
};
