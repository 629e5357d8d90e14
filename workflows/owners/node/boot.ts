/** Phases that several workflows share: bringing the machine up in the deploy ramdisk and down again. */
import { wantedBootMode } from '../../../layers/domain/capabilities.ts';
import { type Fault, Invalid, isFault } from '../../../layers/domain/fault.ts';
import { isWebUrl } from '../../../layers/domain/instance-image.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { agentCalled, leftRamdisk } from './agent.ts';
import { attachAgentMedium, removeAgentMedium } from './agent-medium.ts';
import type { Hardware } from './hardware.ts';
import { notUndone } from './history.ts';
import { done, type Phase } from './phase.ts';
import { isRejection } from '../../../layers/bmc/faults.ts';

/** Without waiting for the operating system; the agent's memory of the machine goes with it. */
export const powerOff: Phase = {
  run: async ({ hardware }) => {
    const observed = await hardware.ask('power.ensure', { target: 'power off' });
    return done(observed && leftRamdisk);
  },
};

/** On: the BMC has confirmed it. */
export const powerOn: Phase = {
  run: async ({ hardware }) => {
    const observed = await hardware.ask('power.ensure', { target: 'power on' });
    return done(observed && (() => ({ power_state: 'power on' })));
  },
};

/** The ISO with the agent goes into the virtual drive, and what only this agent may know onto a medium beside it. */
export const attachRamdisk = (field: string, isoOf: (info: StoredNode['driver_info']) => unknown): Phase => ({
  run: async (context) => {
    const image = isoOf(context.node.driver_info);
    if (!isWebUrl(image))
      throw Invalid(`driver_info.${field} must be the http or https URL of the ISO with the agent.`);
    await context.hardware.ask('vmedia.insert', { slot: 'cd', image });
    return attachAgentMedium(context);
  },
});

/** The ramdisk that deploys, cleans and inspects. */
export const attachBootMedia = attachRamdisk('deploy_iso', ({ deploy_iso: iso }) => iso);

/** Nothing is in the virtual drives; empty ones are left alone. The medium of the agent is made for one boot only. */
export const detachBootMedia: Phase = {
  run: async (context) => {
    await context.hardware.ask('vmedia.eject', { slot: 'all' });
    return done(await removeAgentMedium(context));
  },
};

/** What a BMC will not do, or has not done, however often it is asked. */
export const isRefused = ({ name }: Fault): boolean => isRejection(name) || name === 'BmcStateMismatch';

/**
 * The same where nobody says next what to boot from: no override leads to the drive any more, as BMCs leave one that
 * keep a Once. Work that is done does not fail for one that would not let go of it; the history says so.
 */
export const leaveBootMedia: Phase = {
  run: async (context) => {
    await context.hardware.ask('vmedia.eject', { slot: 'all' });
    const left = await context.hardware.ask('boot.clear', {}).then(
      () => undefined,
      (error: unknown) => {
        if (isFault(error) && isRefused(error)) return error;
        throw error;
      },
    );
    const events = left ? [notUndone(context.about, 'The boot override to the virtual drive', left.message)] : [];
    return done(await removeAgentMedium(context), { events });
  },
};

const device = (name: 'cdrom' | 'disk', persistence: 'once' | 'continuous'): Phase => ({
  run: async ({ hardware, node }) => {
    const mode = wantedBootMode(node);
    const observed = await hardware.ask('boot.ensure', { device: name, persistence, mode: mode ?? 'keep' });
    return done(observed && mode && (() => ({ boot_mode: mode })));
  },
});

/** The next boot, and only that one, is from the virtual drive. */
export const bootMediaOnce = device('cdrom', 'once');
/** Every boot is from the virtual drive: a ramdisk instance lives there. */
export const bootMediaAlways = device('cdrom', 'continuous');
/** Every boot is from the disk. */
export const bootDisk = device('disk', 'continuous');

/** Power off forgot the agent of the boot before, so an address means that this boot's agent has called. */
export const waitForAgent: Phase = {
  run: async () => ({ is: 'wait', came: agentCalled }),
};

/** What the agent is asked is a courtesy here: power.ensure makes sure, also when the agent is gone already. */
const politely = async (asked: ReturnType<Hardware['ask']>): Promise<void> => {
  await asked.catch((error: unknown) => {
    if (!isFault(error) || !error.name.startsWith('Agent')) throw error;
  });
};

/** The agent shuts the machine down by itself. It flushes its caches first: who forces the power off loses nothing. */
export const powerOffAgent: Phase = {
  run: async ({ hardware }) => {
    await politely(hardware.ask('agent.call', { command: 'standby.sync' }, 'sync'));
    await politely(hardware.ask('agent.call', { command: 'standby.power_off' }, 'power_off'));
    const observed = await hardware.ask('power.ensure', {
      target: 'power off',
      how: 'soft',
      soft_seconds: 60,
      then_force: true,
    });
    return done(observed && leftRamdisk);
  },
};
