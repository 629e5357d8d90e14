/**
 * The steps that a run of clean, service or deploy goes through, as data of the node (DESIGN.md 3.5): which there are,
 * which one is next, how far that one has got. By Ironic's names, so that clients see what they know.
 */
import type { PlannedStep } from '../../../layers/domain/machine-steps.ts';
import type { Step } from '../../../layers/domain/steps.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { agentCalled, forgetAgent, leftRamdisk, without } from './agent.ts';

type Info = StoredNode['driver_internal_info'];
type StepField = 'clean_step' | 'service_step' | 'deploy_step';

/** `step`: the node's field for the one in progress; the others are keys of driver_internal_info. */
const names = {
  clean: {
    step: 'clean_step',
    steps: 'clean_steps',
    index: 'clean_step_index',
    reboot: 'cleaning_reboot',
    cached: 'agent_cached_clean_steps',
  },
  service: {
    step: 'service_step',
    steps: 'service_steps',
    index: 'service_step_index',
    reboot: 'servicing_reboot',
    cached: 'agent_cached_service_steps',
  },
  deploy: {
    step: 'deploy_step',
    steps: 'deploy_steps',
    index: 'deploy_step_index',
    reboot: 'deployment_reboot',
    cached: 'agent_cached_deploy_steps',
  },
} as const satisfies { readonly [kind: string]: { readonly step: StepField; readonly [key: string]: string } };

export type StepKind = keyof typeof names;

/** How far the step in progress has got, if it takes several goes. */
const stageKey = 'step_stage';
/** How often the machine was switched off to boot the ramdisk. More than 0: it is up, or was left there. */
const bootsKey = 'ramdisk_boots';

/** `index` is undefined until the first step has ended. */
export type Plan = { readonly steps: readonly PlannedStep[]; readonly index: number; readonly begun: boolean };

/** Undefined before there is one. */
export const planOf = ({ driver_internal_info: info }: StoredNode, kind: StepKind): Plan | undefined => {
  const steps = info[names[kind].steps] as readonly PlannedStep[] | undefined;
  const index = info[names[kind].index];
  return steps && { steps, index: Number(index ?? 0), begun: index !== undefined };
};

/** The step that is next or in progress; undefined if none is left. */
export const currentStep = (node: StoredNode, kind: StepKind): PlannedStep | undefined => {
  const plan = planOf(node, kind);
  return plan?.steps[plan.index];
};

/** What clients see while it runs. */
export const showStep =
  (kind: StepKind) =>
  (node: StoredNode): Partial<StoredNode> => ({ [names[kind].step]: { ...currentStep(node, kind) } });

/** The keys of a plan; ramdisk_boots stays, it is about the machine. */
const progress = (kind: StepKind): string[] => {
  const { steps, index, reboot, cached } = names[kind];
  return [steps, index, reboot, cached, stageKey];
};

/** Without the plans, and what they left. */
export const forgetPlans = (info: Info): Info =>
  without(info, [
    ...(Object.keys(names) as StepKind[]).flatMap(progress),
    'hardware_manager_version',
    'user_deploy_steps',
    'steps_validated',
  ]);

/** No step is in progress, and no plan there. */
export const noSteps = { clean_step: {}, service_step: {}, deploy_step: {} } as const;

/** A new plan in place of all others. A machine that a service left in the ramdisk is still to be brought back. */
export const setPlan = (info: Info, kind: StepKind, steps: readonly Step[]): Info => ({
  ...without(forgetPlans(info), kind === 'service' ? [] : [bootsKey]),
  [names[kind].steps]: steps,
});

/** Other steps in the same plan; which one is next stays. */
export const replaceSteps = (info: Info, kind: StepKind, steps: readonly PlannedStep[]): Info => ({
  ...info,
  [names[kind].steps]: steps,
});

/** What the agent offers is kept for operators to see. */
export const keepOffer = (info: Info, kind: StepKind, offered: unknown, versions: unknown): Info => ({
  ...info,
  [names[kind].cached]: { deploy: offered },
  hardware_manager_version: versions,
});

/** The step at `index` has ended; `reboot`: it wants the ramdisk booted again. A repetition changes nothing. */
export const stepEnded = (node: StoredNode, kind: StepKind, index: number, reboot = false): Partial<StoredNode> => ({
  [names[kind].step]: {},
  driver_internal_info: {
    ...without(node.driver_internal_info, [stageKey]),
    [names[kind].index]: Math.max(index + 1, planOf(node, kind)?.index ?? 0),
    ...(reboot && { [names[kind].reboot]: true }),
  },
});

/** Where the step in progress stands; undefined: at its start. */
export const stageOf = ({ driver_internal_info: info }: StoredNode): string | undefined =>
  info[stageKey] as string | undefined;

/** The step in progress has got so far; `reboot`: the ramdisk has to be booted again first. */
export const setStage = (node: StoredNode, kind: StepKind, stage: string, reboot = false): Partial<StoredNode> => ({
  driver_internal_info: {
    ...node.driver_internal_info,
    [stageKey]: stage,
    ...(reboot && { [names[kind].reboot]: true }),
  },
});

/** Whether the ramdisk has to be booted again before anything else. */
export const wantsReboot = ({ driver_internal_info: info }: StoredNode, kind: StepKind): boolean =>
  info[names[kind].reboot] === true;

/** How often the ramdisk was booted; with the index of the step it tells one effect of a phase from the next. */
export const bootsOf = ({ driver_internal_info: info }: StoredNode): number => Number(info[bootsKey] ?? 0);

/** The same of the boot that begins with switching the machine off; a repetition of that is no further boot. */
export const nextBoot = (node: StoredNode, kind: StepKind): number => {
  const boots = bootsOf(node);
  return boots > 0 && node.power_state === 'power off' && !wantsReboot(node, kind) ? boots : boots + 1;
};

/** Whether the plan has begun and its agent is still there: what is left needs no new boot of the ramdisk. */
export const agentIsThere = (node: StoredNode, kind: StepKind): boolean =>
  agentCalled(node) && (planOf(node, kind)?.begun ?? false);

/** Switched off to boot the ramdisk: a wish for that is granted. */
export const offForRamdisk =
  (kind: StepKind) =>
  (node: StoredNode): Partial<StoredNode> => {
    const off = leftRamdisk(node);
    const info = without(off.driver_internal_info ?? {}, [names[kind].reboot]);
    return { ...off, driver_internal_info: { ...info, [bootsKey]: nextBoot(node, kind) } };
  };

/** The end of all steps: agent, plan and ramdisk are forgotten. */
export const forgetSteps = (node: StoredNode): Partial<StoredNode> => {
  const forgotten = forgetAgent(node);
  return {
    ...forgotten,
    ...noSteps,
    driver_internal_info: without(forgetPlans(forgotten.driver_internal_info), [bootsKey]),
  };
};
