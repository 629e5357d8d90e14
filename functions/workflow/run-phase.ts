/** One phase: lock and mark the start, run it, write its change together with its end. */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import { isRetryable } from '../../layers/bmc/faults.ts';
import { eventWrite, type NodeEvent } from '../../layers/store/events.ts';
import { changeNode, isoTime, readNode, type StoredNode } from '../../layers/store/nodes.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import { powerRequestKey } from '../../layers/store/power-requests.ts';
import { rescuePasswordKey } from '../../layers/store/rescue-passwords.ts';
import { onlyLocks, pause, requireLock, resume, Superseded } from '../../layers/store/reservation.ts';
import { PhaseTimeout } from '../../workflows/failure.ts';
import { createHardware } from '../../workflows/hardware.ts';
import { phaseAttempted, phaseEnded, phaseStarted, transitionEvents } from '../../workflows/history.ts';
import type { Outcome, Phase } from '../../workflows/phase.ts';
import { workflows } from '../../workflows/steps/index.ts';
import { bootsOf, isStepKind, nextBoot, planOf } from '../../workflows/plan.ts';
import { waitKey, waitWrite } from '../../workflows/wait.ts';
import type { Call, Deps } from './call.ts';
import type { Config } from './config.ts';

const defaultLimit = 900;

const phaseOf = ({ workflow, phase }: Call): Phase => {
  const phases: { readonly [name: string]: Phase } = workflows[workflow];
  const found = Object.hasOwn(phases, phase) ? phases[phase] : undefined;
  if (!found) throw new Fault('PhaseUnknown', 400, `Workflow ${workflow} has no phase ${phase}.`);
  return found;
};

/** The lock, as the change it needs. A run that only locks got it from the API and can only lose it. */
const take = (node: StoredNode, { workflow, run }: Call): Partial<StoredNode> | undefined => {
  if (!onlyLocks(workflow)) return resume(node, run);
  if (node.reservation !== run) throw Superseded(node, run);
  return undefined;
};

/** A phase that a call of the agent ended is closed by its successor. */
const endOfLast = (node: StoredNode, call: Call, now: number): NodeEvent[] => {
  const last = node.phase;
  if (!last || last.run !== call.run || last.name === call.phase) return [];
  return [phaseEnded({ ...call, phase: last.name }, last.started_at, now)];
};

/** Takes the lock and marks the start, once: a repeated attempt writes nothing. Throws Superseded, NodeLocked. */
const begin = async (platform: Deps, call: Call, phase: Phase): Promise<StoredNode> => {
  const { after } = await changeNode(platform, call.node, (node) => {
    const lock = take(node, call);
    const started = node.phase?.run === call.run && node.phase.name === call.phase;
    if (!lock && started) return undefined;
    const now = platform.clock.now();
    const locked = { ...node, ...lock };
    const mark = { run: call.run, name: call.phase, started_at: isoTime(now) };
    return {
      set: { ...lock, ...phase.shows?.(locked), ...(!started && { phase: mark }) },
      events: [
        ...transitionEvents(node, lock ?? {}, call.run),
        ...(started ? [] : [...endOfLast(node, call, now), phaseStarted({ ...call, piece: phase.piece?.(node) })]),
      ],
    };
  });
  return after;
};

/** Items that only a run that goes on has use for. */
const leftovers = (set: Partial<StoredNode>, { workflow }: Call) => [
  ...(set.run === null ? [waitKey] : []),
  ...(set.run === null && workflow === 'rescue' ? [rescuePasswordKey] : []),
  ...(set.target_power_state === null ? [powerRequestKey] : []),
];

/** The change and the end of the phase in one write. */
const complete = async (
  platform: Deps,
  call: Call,
  { piece }: Phase,
  { change, more }: Outcome & { is: 'done' },
): Promise<StoredNode> => {
  const { after } = await changeNode(platform, call.node, (node) => {
    requireLock(node, call.run);
    const set = change?.(node) ?? {};
    const now = platform.clock.now();
    const about = { ...call, piece: piece?.(node) };
    const ended = phaseEnded(about, node.phase?.started_at ?? isoTime(now), now);
    return {
      set: { ...set, phase: null },
      events: [...(more?.events ?? []), ended, ...transitionEvents(node, set, call.run)],
      also: [...leftovers(set, call).map((key) => ({ delete: key(call.node) })), ...(more?.also ?? [])],
    };
  });
  return after;
};

const requireToken = ({ token, phase }: Call): string => {
  if (!token) throw new Fault('PhaseUnknown', 400, `Phase ${phase} waits, but the ASL sent no task token.`);
  return token;
};

/**
 * Lets the lock go until the agent calls: token and free lock appear in one write. If the agent called while the phase
 * was looking, the run keeps the lock and continues itself at once.
 */
const waitForCall = async (platform: Deps, call: Call, { came }: Outcome & { is: 'wait' }): Promise<void> => {
  const token = requireToken(call);
  const { after: node } = await changeNode(platform, call.node, (fresh) => {
    requireLock(fresh, call.run);
    if (came(fresh)) return undefined;
    const set = pause(fresh);
    const wait = { token, phase: call.phase, run: call.run, since: isoTime(platform.clock.now()) };
    return { set, events: transitionEvents(fresh, set, call.run), also: [waitWrite(call.node, wait)] };
  });
  if (node.reservation === call.run) await platform.workflows.succeed(token, { is: 'heartbeat' });
};

/** Starts the successor that the node was handed to, also when a repetition finds that done already. */
const startSuccessor = async (platform: Deps, uuid: string, workflow: string): Promise<void> => {
  const node = await readNode(platform.table, uuid);
  if (node?.run && node.run_workflow === workflow) await platform.workflows.start(workflow, node.run, { node: uuid });
};

/** Waiting for hardware has an end; other faults that are tried again leave a line in the history. */
const judge = async (platform: Deps, call: Call, phase: Phase, node: StoredNode, error: unknown): Promise<unknown> => {
  if (!isFault(error)) platform.log.error('A phase met something unexpected.', { ...about(call), error });
  if (isFault(error) && error.name === 'Pending') {
    const limit = phase.limit?.(call.timeout ?? null) ?? defaultLimit;
    const since = Date.parse(node.phase?.started_at ?? '');
    if (platform.clock.now() - since > limit * 1000) return PhaseTimeout(limit, error.message);
  }
  if (isRetryable(error)) {
    const event = phaseAttempted(call, (error as Fault).message);
    await platform.table.write([eventWrite(node, event, isoTime(platform.clock.now()), platform.ids)]);
  }
  return error;
};

const about = ({ workflow, phase, node, run }: Call) => ({ workflow, phase, node, run });

/** Long enough for a BMC that thinks, short enough that the proxy ends before this function is cut off. */
const deadline = (invocation: Invocation, { slow }: Phase) =>
  Math.max(1000, Math.min(slow ? Infinity : 60_000, invocation.remaining_ms() - 10_000));

/** Which step it is for, and how often the ramdisk was booted for the plan: phases come again in one run. */
const roundOf = ({ workflow, phase }: Call, node: StoredNode): (string | number)[] => {
  if (!isStepKind(workflow)) return [];
  const index = planOf(node, workflow)?.index ?? 0;
  const boots = phase === 'PowerOff' ? nextBoot(node, workflow) : bootsOf(node);
  return [...(index > 0 ? [index] : []), ...(boots > 0 ? [`ramdisk${boots}`] : [])];
};

/** Names the wanted effect. To boot the ramdisk again, for the next step or because it was missed, is another. */
const effectOf = (call: Call, node: StoredNode): string => {
  const { run, phase, boot = 1 } = call;
  return [run, phase, ...roundOf(call, node), ...(boot > 1 ? [`boot${boot}`] : [])].join('/');
};

const outcomeOf = async (platform: Deps, config: Config, call: Call, phase: Phase, invocation: Invocation) => {
  const node = await begin(platform, call, phase);
  const hardware = createHardware(platform, {
    node,
    op_id: effectOf(call, node),
    deadline_ms: deadline(invocation, phase),
  });
  try {
    return await phase.run({
      node,
      run: call.run,
      hardware,
      platform,
      settings: config,
      timeout: call.timeout ?? null,
    });
  } catch (error) {
    throw await judge(platform, call, phase, node, error);
  }
};

/** Throws Pending, NodeLocked, Superseded and the faults of layers/bmc/faults.ts; see `create`. */
export const runPhase = async (platform: Deps, config: Config, call: Call, invocation: Invocation): Promise<object> => {
  const phase = phaseOf(call);
  try {
    const outcome = await outcomeOf(platform, config, call, phase, invocation);
    if (outcome.is === 'wait') {
      await waitForCall(platform, call, outcome);
      return {};
    }
    await complete(platform, call, phase, outcome);
    const output = outcome.output ?? {};
    if (call.token) await platform.workflows.succeed(call.token, output);
    return output;
  } finally {
    if (phase.starts) await startSuccessor(platform, call.node, phase.starts);
  }
};
