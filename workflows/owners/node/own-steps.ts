/**
 * Steps that need no agent: reserved names, and those that BMCs do (layers/domain/machine-steps.ts). One that takes
 * several goes says how far it has got; that is written to the node before the next go begins, so none is done twice.
 */
import {
  argumentsOf,
  isReserved,
  nameOf,
  type BmcStep,
  type bmcSteps,
  type ReservedStep,
} from '../../../layers/domain/machine-steps.ts';
import { note } from '../../../layers/domain/notes.ts';
import type { PlannedStep } from '../../../layers/domain/steps.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type * as z from 'zod';
import { agentCalled, forgetAgent, poweredOff } from './agent.ts';
import { Pending } from './hardware.ts';
import type { PhaseContext } from './phase.ts';
import { bootsOf, stageOf } from './plan.ts';
import { refreshBios } from './read-settings.ts';

type Change = (node: StoredNode) => Partial<StoredNode>;

/** How a go ended. `reboot`: into the ramdisk. `heartbeat`: when the agent calls next, it goes on. */
export type Go =
  | { readonly is: 'ended'; readonly change?: Change; readonly events?: readonly NodeEvent[] }
  | { readonly is: 'stage'; readonly stage: string; readonly change?: Change; readonly reboot?: true }
  | { readonly is: 'hold' }
  | { readonly is: 'heartbeat' };

type Work<Args> = (context: PhaseContext, args: Args) => Promise<Go>;

const ended = (change?: Change): Go => ({ is: 'ended', ...(change && { change }) });
const poweredOn: Change = () => ({ power_state: 'power on' });

/** Whether the ramdisk runs, or ran: the machine has to come back into it. */
const inRamdisk = (node: StoredNode): boolean => bootsOf(node) > 0;

const switchOff = async ({ hardware }: PhaseContext): Promise<void> => {
  await hardware.ask('power.ensure', { target: 'power off' }, 'off');
};

const switchOn = async ({ hardware }: PhaseContext): Promise<void> => {
  await hardware.ask('power.ensure', { target: 'power on' }, 'on');
};

/**
 * Off and on again; through the named states that boot the ramdisk if that is where the machine is. A machine that must
 * not be switched off is restarted, or stays off until the next stage if it is.
 */
const restart = async (context: PhaseContext): Promise<Go> => {
  if (inRamdisk(context.node)) return { is: 'stage', stage: 'restarted', reboot: true };
  if (context.node.disable_power_off) {
    await context.hardware.ask('power.restart', { how: 'hard' });
    return { is: 'stage', stage: 'off', change: forgetAgent };
  }
  await switchOff(context);
  return { is: 'stage', stage: 'off', change: poweredOff };
};

const restartStages: { readonly [stage: string]: (context: PhaseContext) => Promise<Go> } = {
  restart,
  off: async (context) => {
    await switchOn(context);
    return { is: 'stage', stage: 'restarted', change: poweredOn };
  },
};

/** Restarts the machine stage by stage; undefined once it was restarted. */
const restarting = async (context: PhaseContext): Promise<Go | undefined> =>
  restartStages[stageOf(context.node) ?? '']?.(context);

/** Seconds. Longer waits are cut short, because the lock of the node is held meanwhile. */
const longestWait = 600;

const startedAt = ({ node }: PhaseContext): number => Date.parse(node.phase?.started_at ?? '');

/** So many seconds; without a number until the agent calls again, if there is one. */
const wait: Work<{ seconds?: number }> = async (context, { seconds }) => {
  const { node, platform } = context;
  if (seconds === undefined && agentCalled(node)) {
    const last = Date.parse(note(node, 'agent_last_heartbeat') ?? '');
    return last > startedAt(context) ? ended() : { is: 'heartbeat' };
  }
  const rest = startedAt(context) + Math.min(seconds ?? 30, longestWait) * 1000 - platform.clock.now();
  if (rest > 0) throw Pending(`A step waits for ${Math.ceil(rest / 1000)} s more.`);
  return ended();
};

const reserved: { readonly [S in ReservedStep]: Work<never> } = {
  power_on: async (context) => {
    await switchOn(context);
    return ended(poweredOn);
  },
  power_off: async (context) => {
    await switchOff(context);
    return ended(poweredOff);
  },
  reboot: async (context) =>
    (await restarting(context)) ?? (stageOf(context.node) === undefined ? restart(context) : ended()),
  wait,
  hold: async () => ({ is: 'hold' }),
};

type Args<S extends BmcStep> = z.output<(typeof bmcSteps)[S]['args']>;

/** Clients compare what is stored with what they asked for, and ask again until it is the same. */
const biosEnded = async (context: PhaseContext): Promise<Go> => ({
  is: 'ended',
  events: await refreshBios(context),
});

const bmc: { readonly [S in BmcStep]: Work<Args<S>> } = {
  'bios.apply_configuration': async (context, { settings }) => {
    const going = await restarting(context);
    if (going) return going;
    const stage = stageOf(context.node);
    const observed = await context.hardware.ask('bios.ensure', { settings }, stage);
    if (!observed?.reboot_needed) return biosEnded(context);
    if (stage === undefined) return { is: 'stage', stage: 'restart' };
    throw Pending('The machine was started anew, and its BIOS does not show the new settings yet.');
  },
  'bios.factory_reset': async (context) => {
    const going = await restarting(context);
    if (going) return going;
    if (stageOf(context.node) !== undefined) return biosEnded(context);
    const observed = await context.hardware.ask('bios.reset', {});
    return observed?.reboot_needed ? { is: 'stage', stage: 'restart' } : biosEnded(context);
  },
  'management.set_boot_device': async ({ hardware }, { boot_device: device, persistent }) => {
    await hardware.ask('boot.ensure', { device, persistence: persistent ? 'continuous' : 'once' });
    return ended();
  },
  'management.set_boot_mode': async ({ hardware }, { mode }) => {
    await hardware.ask('mode.ensure', { mode });
    return ended(() => ({ boot_mode: mode }));
  },
  'management.set_secure_boot': async ({ hardware }, { enabled }) => {
    await hardware.ask('secure_boot.ensure', { enabled });
    return ended(() => ({ secure_boot: enabled }));
  },
};

/** One go of a step whose place is `workflow` or `bmc`. Throws Pending, Invalid, and the faults of the BMC. */
export const goOn = async (context: PhaseContext, step: PlannedStep): Promise<Go> => {
  const work = (isReserved(step.step) ? reserved[step.step] : bmc[nameOf(step) as BmcStep]) as Work<object>;
  return work(context, argumentsOf(step));
};
