/** unrescue: back from the rescue ramdisk to what the instance boots from (ironic-states.md 11). */
import { Invalid } from '../../layers/domain/fault.ts';
import { finish } from '../../layers/store/reservation.ts';
import { forgetAgent } from '../owners/node/agent.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';
import * as boot from '../owners/node/boot.ts';
import { attachBootIso, attachConfigdrive } from '../owners/node/instance-media.ts';
import { withSecureBoot } from '../owners/node/secure-boot.ts';

const ways = { way: ['ramdisk', 'disk'] } as const;

const powerOff: Phase<typeof ways> = {
  answers: ways,
  run: async (context) => {
    const { node } = context;
    if (node.disable_power_off && node.rescue_interface !== 'fake') {
      throw Invalid('disable_power_off is set, but the machine has to be switched off to leave the rescue ramdisk.');
    }
    const way = node.deploy_interface === 'ramdisk' ? 'ramdisk' : 'disk';
    return { ...(await boot.powerOff.run(context)), output: { way } };
  },
};

/** By the names of the states in unrescue.asl.json. */
export const phases: Phases = {
  PowerOff: powerOff,
  DetachMedia: boot.detachBootMedia,
  SetDiskBoot: withSecureBoot(boot.bootDisk),
  AttachBootIso: attachBootIso,
  AttachConfigdrive: attachConfigdrive,
  SetIsoBoot: withSecureBoot(boot.bootMediaAlways),
  PowerOn: boot.powerOn,
  Finish: { run: async () => done((node) => ({ ...forgetAgent(node), ...finish(node, 'done'), last_error: null })) },
};
