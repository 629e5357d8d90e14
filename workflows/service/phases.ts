/**
 * service: steps on a machine that has an instance (ironic-states.md 10). If the ramdisk had to be booted for them, the
 * machine is brought back into its instance; so it is when a service is aborted, by a run that has no steps.
 */
import { Invalid } from '../../layers/domain/fault.ts';
import { needAgent } from '../../layers/domain/machine-steps.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { finish } from '../../layers/store/reservation.ts';
import { answer, done, type Phase, type Phases } from '../owners/node/phase.ts';
import { agentIsThere, bootsOf, forgetSteps, planOf } from '../owners/node/plan.ts';
import * as boot from '../owners/node/boot.ts';
import { collectAskedSteps, powerOffForRamdisk, runStep } from '../owners/node/run-step.ts';
import { withSecureBoot, withoutSecureBoot } from '../owners/node/secure-boot.ts';

const ways = { way: ['nothing', 'steps', 'ramdisk', 'back'] } as const;
type Way = (typeof ways.way)[number];

const wayOf = (node: StoredNode): Way => {
  const plan = planOf(node, 'service');
  if (!plan) return bootsOf(node) > 0 ? 'back' : 'nothing';
  const left = plan.steps.slice(plan.index);
  return needAgent(node, left) && !agentIsThere(node, 'service') ? 'ramdisk' : 'steps';
};

const prepare: Phase<typeof ways> = {
  answers: ways,
  run: async ({ node }) => {
    const way = wayOf(node);
    if ((way === 'ramdisk' || way === 'back') && node.disable_power_off) {
      throw Invalid('disable_power_off is set, but the machine has to be switched off to boot other media.');
    }
    return answer({ way });
  },
};

/** An aborted service is in state "service failed" until the machine is back. What is said about the abort stays. */
const finishService: Phase = {
  run: async () =>
    done((node) => ({
      ...forgetSteps(node),
      ...(node.provision_state === 'service failed'
        ? finish(node, 'abort')
        : { ...finish(node, 'done'), last_error: null }),
    })),
};

/** By the names of the states in service.asl.json. */
export const phases: Phases = {
  Prepare: prepare,
  PowerOff: withoutSecureBoot(powerOffForRamdisk('service')),
  AttachBootMedia: boot.attachBootMedia,
  SetBootDevice: boot.bootMediaOnce,
  PowerOn: boot.powerOn,
  WaitForAgent: boot.waitForAgent,
  CollectSteps: collectAskedSteps('service'),
  RunStep: runStep('service'),
  PowerOffAgent: boot.powerOff,
  DetachBootMedia: boot.detachBootMedia,
  SetDiskBoot: withSecureBoot(boot.bootDisk),
  BootInstance: boot.powerOn,
  Finish: finishService,
};
