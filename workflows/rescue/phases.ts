/** rescue: boots the rescue ramdisk and lets its user in with the password (ironic-states.md 11). */
import { Invalid } from '../../layers/domain/fault.ts';
import { finish } from '../../layers/store/reservation.ts';
import { forgetAgent } from '../owners/node/agent.ts';
import { AgentFailed } from '../owners/node/hardware.ts';
import { answer, done, type Phase, type Phases } from '../owners/node/phase.ts';
import * as boot from '../owners/node/boot.ts';
import { withoutSecureBoot } from '../owners/node/secure-boot.ts';

const ways = { way: ['nothing', 'ramdisk'] } as const;

const prepare: Phase<typeof ways> = {
  answers: ways,
  run: async ({ node }) => {
    const fake = node.rescue_interface === 'fake';
    if (!fake && node.disable_power_off) {
      throw Invalid('disable_power_off is set, but a rescue has to switch the machine off to boot the ramdisk.');
    }
    return answer({ way: fake ? 'nothing' : 'ramdisk' });
  },
};

/** No password passes through here: the proxy opens its hash, which was sealed when the rescue was asked for. */
const setPassword: Phase = {
  run: async ({ hardware }) => {
    const observed = await hardware.ask('agent.call', { command: 'rescue.finalize_rescue' });
    if (observed?.command.command_status === 'FAILED') {
      const look = 'Its ramdisk has to be built with rescue support.';
      throw AgentFailed('The agent could not set the password of the user rescue', observed.command, look);
    }
    return done();
  },
};

/** By the names of the states in rescue.asl.json. */
export const phases: Phases = {
  Prepare: prepare,
  PowerOff: withoutSecureBoot(boot.powerOff),
  AttachBootMedia: boot.attachRescueMedia,
  SetBootDevice: boot.bootMediaOnce,
  PowerOn: boot.powerOn,
  WaitForAgent: boot.waitForAgent,
  SetPassword: setPassword,
  DetachBootMedia: boot.leaveBootMedia,
  Finish: { run: async () => done((node) => ({ ...forgetAgent(node), ...finish(node, 'done'), last_error: null })) },
};
