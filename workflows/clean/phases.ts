/** clean: automated cleaning, and the steps of a request (ironic-states.md 7). The steps are data in the node. */
import { isCleaned } from '../../layers/domain/cleaning.ts';
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import { byPriority, nameOf, needAgent, toPlan } from '../../layers/domain/machine-steps.ts';
import type { AgentStep } from '../../layers/bmc/operations.ts';
import { validateRamdisk } from '../../layers/bmc/validation.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { finish } from '../../layers/store/reservation.ts';
import { answer, done, type Phase, type Phases, type Settings } from '../owners/node/phase.ts';
import { agentIsThere, forgetSteps, keepOffer, planOf, replaceSteps } from '../owners/node/plan.ts';
import * as boot from '../owners/node/boot.ts';
import { collectAskedSteps, offersOf, powerOffForRamdisk, runStep } from '../owners/node/run-step.ts';

/** The steps of automated cleaning: those with a priority above 0, highest first. */
export const cleanSteps = (offered: readonly AgentStep[], { cleanPriorities }: Pick<Settings, 'cleanPriorities'>) =>
  offered
    .map((row) => ({ ...row, priority: cleanPriorities[row.step] ?? row.priority }))
    .filter(({ priority }) => priority > 0)
    .sort(byPriority);

/** Steps after which the data on the disks are gone, or can no longer be found. */
const erasing: readonly string[] = [
  'deploy.erase_devices',
  'deploy.erase_devices_metadata',
  'deploy.erase_devices_express',
];

/**
 * Erasing is on as long as the settings do not turn off each of its steps. Then an agent that offers none leaves the
 * data of one tenant to the next: the node must not become available. Throws AgentRejected.
 */
const requireErasing = (
  steps: readonly AgentStep[],
  offers: readonly AgentStep[],
  { cleanPriorities }: Settings,
): void => {
  const wanted = Object.keys(cleanPriorities).filter((step) => cleanPriorities[step]! > 0);
  if (!wanted.some((step) => erasing.includes(`deploy.${step}`))) return;
  if (steps.some((step) => erasing.includes(nameOf(step)))) return;
  throw new Fault(
    'AgentRejected',
    400,
    `Nothing would be erased: the settings ask for ${wanted.join(' and ')}, and the agent offers ${offers.map(nameOf).join(', ') || 'no step at all'}. Use the ramdisk of a current ironic-python-agent, or set automated_clean of the node to false.`,
  );
};

/** A clean that was asked for ends where it began; its plan is there before its run. */
const isManual = ({ target_provision_state: target }: StoredNode): boolean => target === 'manageable';

const ways = { way: ['nothing', 'steps', 'ramdisk'] } as const;
type Way = (typeof ways.way)[number];

/** `steps` of a plan that goes on after a hold may have their agent still. */
const wayOfPlan = (node: StoredNode): Way => {
  const plan = planOf(node, 'clean');
  const left = plan?.steps.slice(plan.index) ?? [];
  return needAgent(node, left) && !agentIsThere(node, 'clean') ? 'ramdisk' : 'steps';
};

const wayOf = (node: StoredNode, settings: Settings): Way => {
  if (isManual(node)) return wayOfPlan(node);
  return isCleaned(node, settings) ? 'ramdisk' : 'nothing';
};

const prepare: Phase<typeof ways> = {
  answers: ways,
  run: async ({ node, settings }) => {
    const way = wayOf(node, settings);
    if (way === 'ramdisk' && node.disable_power_off) {
      throw Invalid('disable_power_off is set, but cleaning has to switch the machine off to boot the ramdisk.');
    }
    // Said before the machine is switched off. Where nothing was asked for (undeploy), nobody has looked before.
    if (way === 'ramdisk') validateRamdisk(node, { hasPorts: true, ramdisk: settings.ramdisk });
    return answer({ way }, isManual(node) ? undefined : forgetSteps);
  },
};

/** After a reboot in mid-plan the plan that exists is kept. */
const collectSteps: Phase = {
  run: async (context) => {
    const { node: before, settings } = context;
    if (isManual(before)) return collectAskedSteps('clean').run(context);
    const { steps: offers, versions } = await offersOf(context, 'clean');
    const steps = cleanSteps(offers, settings);
    if (!planOf(before, 'clean')) requireErasing(steps, offers, settings);
    return done((node) => {
      const noted = keepOffer(node, 'clean', offers, versions ?? {});
      return planOf(node, 'clean') ? noted : replaceSteps(noted, 'clean', steps.map(toPlan));
    });
  },
};

/** Automated cleaning ends available; a clean that was asked for, and a retired node, end manageable. */
const finishClean: Phase = {
  run: async () =>
    done((node) => ({
      ...forgetSteps(node),
      ...finish(node, isManual(node) || node.retired ? 'manage' : 'done'),
      last_error: null,
    })),
};

/** By the names of the states in clean.asl.json. */
export const phases: Phases = {
  Prepare: prepare,
  PowerOff: powerOffForRamdisk('clean'),
  AttachBootMedia: boot.attachBootMedia,
  SetBootDevice: boot.bootMediaOnce,
  PowerOn: boot.powerOn,
  WaitForAgent: boot.waitForAgent,
  CollectSteps: collectSteps,
  RunStep: runStep('clean'),
  PowerOffAgent: boot.powerOff,
  DetachBootMedia: boot.leaveBootMedia,
  Finish: finishClean,
};
