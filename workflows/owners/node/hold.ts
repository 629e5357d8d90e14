/** Before a phase: the run has the lock, and the start is marked. */
import { isFault } from '../../../layers/domain/fault.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import { requireLock, resume } from '../../../layers/store/reservation.ts';
import { aboutJob, type Job } from './call.ts';
import { createHardware } from './hardware.ts';
import { phaseEnded, phaseStarted } from '../../run/history.ts';
import type { PhaseContext, World } from './phase.ts';
import { bootsOf, nextBoot, planOf } from './plan.ts';
import { startSuccessor } from './successor.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { isMarked } from '../../run/phase.ts';

/** The lock, as the change it needs. A run that only locks got it from the API and can only lose it. */
const take = (node: StoredNode, { row, call: { run } }: Job): Partial<StoredNode> | undefined => {
  if (row.takes === 'node') return resume(node, run);
  requireLock(node, run);
  return undefined;
};

/** A phase that a call of the agent ended is closed by its successor. */
const endOfLast = (node: StoredNode, job: Job, now: number): NodeEvent[] => {
  const last = node.phase;
  if (!last || last.run !== job.call.run || last.name === job.call.phase) return [];
  return [phaseEnded({ ...aboutJob(job), phase: last.name }, last.started_at, now)];
};

/** Takes the lock and marks the start, once: a repeated attempt writes nothing. */
const begin = async (world: World, job: Job): Promise<StoredNode> => {
  const { after } = await changeRecord(world, kinds.node, job.call.uuid, (node) => {
    const { run, phase: name } = job.call;
    const lock = take(node, job);
    const started = isMarked(node, job.call);
    if (!lock && started) return undefined;
    const now = world.clock.now();
    const mark = { run, name, started_at: isoTime(now) };
    const start = phaseStarted({ ...aboutJob(job), piece: job.phase.piece?.(node) });
    return {
      set: { ...lock, ...job.phase.shows?.({ ...node, ...lock }), ...(!started && { phase: mark }) },
      events: started ? [] : [...endOfLast(node, job, now), start],
    };
  });
  return after;
};

/** A repetition finds that the node was handed over already, but not whether the successor was started. */
const handedOver = async (world: World, job: Job): Promise<void> => {
  const node = job.row.successor === undefined ? undefined : await readRecord(world.table, kinds.node, job.call.uuid);
  if (node) await startSuccessor(world, job, node);
};

/** Which step it is for, and how often the ramdisk was booted for the plan: phases come again in one run. */
const roundOf = ({ call, row: { steps } }: Job, node: StoredNode): (string | number)[] => {
  if (!steps) return [];
  const index = planOf(node, steps)?.index ?? 0;
  const boots = call.phase === 'PowerOff' ? nextBoot(node, steps) : bootsOf(node);
  return [...(index > 0 ? [index] : []), ...(boots > 0 ? [`ramdisk${boots}`] : [])];
};

/** Names the wanted effect. To boot the ramdisk again, for the next step or because it was missed, is another. */
const effectOf = (job: Job, node: StoredNode): string => {
  const { run, phase, boot = 1 } = job.call;
  return [run, phase, ...roundOf(job, node), ...(boot > 1 ? [`boot${boot}`] : [])].join('/');
};

/** Milliseconds. Long enough for a BMC that thinks, short enough that the proxy ends before this function is cut off. */
export const deadline = ({ invocation, phase: { slow } }: Job) =>
  Math.max(1000, Math.min(slow ? Infinity : 60_000, invocation.remaining_ms() - 10_000));

/** Throws Superseded once the node is another run's, NodeLocked while a power action is in between. */
export const hold = async (world: World, job: Job): Promise<PhaseContext> => {
  const node = await begin(world, job).catch(async (error: unknown) => {
    if (isFault(error) && error.name === 'Superseded') await handedOver(world, job);
    throw error;
  });
  const { run, timeout = null } = job.call;
  const hardware = createHardware(world, { node, op_id: effectOf(job, node), deadline_ms: deadline(job) });
  const { functions, images, settings } = world;
  const bootImages: PhaseContext['bootImages'] = async (wanted) =>
    functions.invoke('boot-image', wanted) as ReturnType<PhaseContext['bootImages']>;
  return { node, run, about: aboutJob(job), hardware, images, bootImages, platform: world, settings, timeout };
};
