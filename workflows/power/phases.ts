/**
 * power: PUT states/power (ironic-states.md 4). It holds the lock but does not own the provisioning of the node. Whoever
 * waits for the power state goes on as soon as he sees it: it is shown by the write that lets the lock go.
 */
import type { StoredNode } from '../../layers/store/nodes.ts';
import { forgetAgent, forgetBoot, poweredOff } from '../owners/node/agent.ts';
import { leaveBootMedia } from '../owners/node/boot.ts';
import { renewConfigdrive } from '../owners/node/instance-media.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';

/** Seconds until a change of power counts as failed, unless the client gave its own. */
const hardLimit = 300;
const softLimit = 600;

/** A machine on its way back on may not come back: that it is off is shown at once. */
const switchedOff = (node: StoredNode): Partial<StoredNode> =>
  node.target_power_state === 'power off' ? forgetBoot(node) : poweredOff(node);

const powerOff: Phase = {
  limit: (timeout) => timeout ?? hardLimit,
  run: async ({ hardware }) => {
    await hardware.ask('power.ensure', { target: 'power off' });
    return done(switchedOff);
  },
};

/** As in Ironic an operating system that does not react is a failure; nobody forces it. */
const softPowerOff: Phase = {
  limit: (timeout) => (timeout ?? softLimit) + 60,
  run: async ({ hardware, timeout }) => {
    await hardware.ask('power.ensure', {
      target: 'power off',
      how: 'soft',
      soft_seconds: timeout ?? softLimit,
      then_force: false,
    });
    return done(switchedOff);
  },
};

/** In place of off and on, where a machine has to stay on; what was off is switched on next. */
const restart = (how: 'hard' | 'soft'): Phase => ({
  limit: (timeout) => timeout ?? hardLimit,
  run: async ({ hardware }) => {
    await hardware.ask('power.restart', { how });
    return done(forgetAgent);
  },
});

const powerOn: Phase = {
  limit: (timeout) => timeout ?? hardLimit,
  run: async ({ hardware }) => {
    await hardware.ask('power.ensure', { target: 'power on' });
    return done();
  },
};

/** Each way here ended with the machine in this state. */
const finish: Phase = {
  run: async () =>
    done(({ power_state: before, target_power_state: reached }) => ({
      power_state: reached ?? before,
      target_power_state: null,
      reservation: null,
    })),
};

/** By the names of the states in power.asl.json. */
export const phases: Phases = {
  PowerOff: powerOff,
  SoftPowerOff: softPowerOff,
  Restart: restart('hard'),
  SoftRestart: restart('soft'),
  DetachBootMedia: leaveBootMedia,
  RenewConfigdrive: renewConfigdrive,
  PowerOn: powerOn,
  Finish: finish,
};
