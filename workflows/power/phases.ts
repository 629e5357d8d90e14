/** power: PUT states/power (ironic-states.md 4). It holds the lock but does not own the provisioning of the node. */
import type { StoredNode } from '../../layers/store/nodes.ts';
import { forgetAgent, poweredOff } from '../owners/node/agent.ts';
import { leaveBootMedia } from '../owners/node/boot.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';

/** Seconds until a change of power counts as failed, unless the client gave its own. */
const hardLimit = 300;
const softLimit = 600;

const poweredOn = (): Partial<StoredNode> => ({ power_state: 'power on' });

const powerOff: Phase = {
  limit: (timeout) => timeout ?? hardLimit,
  run: async ({ hardware }) => {
    await hardware.ask('power.ensure', { target: 'power off' });
    return done(poweredOff);
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
    return done(poweredOff);
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
    return done(poweredOn);
  },
};

/** By the names of the states in power.asl.json. */
export const phases: Phases = {
  PowerOff: powerOff,
  SoftPowerOff: softPowerOff,
  Restart: restart('hard'),
  SoftRestart: restart('soft'),
  DetachBootMedia: leaveBootMedia,
  PowerOn: powerOn,
  Finish: { run: async () => done(() => ({ reservation: null, target_power_state: null })) },
};
