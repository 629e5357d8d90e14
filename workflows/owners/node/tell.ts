/** After a phase: its change and its end in one write, the lock let go while the agent is waited for, or why it failed. */
import { isRetryable } from '../../../layers/bmc/faults.ts';
import { Fault, isFault } from '../../../layers/domain/fault.ts';
import { eventWrite } from '../../../layers/store/events.ts';
import { pause, requireLock } from '../../../layers/store/reservation.ts';
import type { Answers } from '../../run/phase.ts';
import { aboutJob, type Job } from './call.ts';
import { phaseEnded } from '../../run/history.ts';
import { phaseAttempted } from './history.ts';
import type { Outcome, PhaseContext, World } from './phase.ts';
import { startSuccessor } from './successor.ts';
import { called, waitWrite } from './wait.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';

/** Seconds that hardware may take. */
const defaultLimit = 900;

/** What nobody has use for any more if this change ends the run. */
const leftovers = (set: Partial<StoredNode>, { row, call }: Job) => {
  const isOver = row.takes === 'lock' ? set.reservation === null : set.run === null;
  return isOver ? row.leftovers.map((key) => ({ delete: key(call.uuid) })) : [];
};

const complete = async (
  world: World,
  job: Job,
  { change, more }: Outcome<Answers> & { is: 'done' },
): Promise<StoredNode> => {
  const { after } = await changeRecord(world, kinds.node, job.call.uuid, (node) => {
    const { run } = job.call;
    requireLock(node, run);
    const set = change?.(node) ?? {};
    const now = world.clock.now();
    const about = { ...aboutJob(job), piece: job.phase.piece?.(node) };
    const ended = phaseEnded(about, node.phase?.started_at ?? isoTime(now), now);
    return {
      set: { ...set, phase: null },
      events: [...(more?.events ?? []), ended],
      also: [...leftovers(set, job), ...(more?.also ?? [])],
    };
  });
  return after;
};

/**
 * Lets the lock go until the agent calls: token and free lock appear in one write. If the agent called while the phase
 * was looking, the run keeps the lock and continues itself at once.
 */
const waitForCall = async (world: World, { call }: Job, { came }: Outcome<Answers> & { is: 'wait' }): Promise<void> => {
  const { uuid, run, phase, token } = call;
  if (!token) throw new Fault('PhaseUnknown', 500, `Phase ${phase} waits, but the ASL sent no task token.`);
  const { after: node } = await changeRecord(world, kinds.node, uuid, (fresh) => {
    requireLock(fresh, run);
    if (came(fresh)) return undefined;
    const wait = { token, phase, run, since: isoTime(world.clock.now()) };
    return { set: pause(fresh), also: [waitWrite(uuid, wait)] };
  });
  if (node.reservation === run) await world.workflows.succeed(token, called);
};

/** Throws Superseded once the node is another run's. */
export const tell = async (world: World, job: Job, outcome: Outcome<Answers>): Promise<void> => {
  if (outcome.is === 'wait') await waitForCall(world, job, outcome);
  else await startSuccessor(world, job, await complete(world, job, outcome));
};

/** A phase that hardware did not finish within its limit. */
const PhaseTimeout = (seconds: number, reason: string) =>
  new Fault('PhaseTimeout', 504, `The machine has not done within ${seconds} seconds what it was asked: ${reason}`);

/** Waiting for hardware has an end; other faults that are tried again leave a line in the history. */
export const judge = async (world: World, job: Job, { node }: PhaseContext, error: unknown): Promise<unknown> => {
  const { workflow, phase, run, timeout } = job.call;
  if (!isFault(error)) {
    world.log.error('A phase met something unexpected.', { workflow, phase, node: node.uuid, run, error });
  }
  if (isFault(error) && error.name === 'Pending') {
    const limit = job.phase.limit?.(timeout ?? null) ?? defaultLimit;
    const since = Date.parse(node.phase?.started_at ?? '');
    if (world.clock.now() - since > limit * 1000) return PhaseTimeout(limit, error.message);
  }
  if (isRetryable(error)) {
    const event = phaseAttempted(aboutJob(job), (error as Fault).message);
    await world.table.write([eventWrite(node, event, isoTime(world.clock.now()), world.ids)]);
  }
  return error;
};
