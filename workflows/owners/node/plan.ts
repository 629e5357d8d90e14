/**
 * The steps that a run of clean, service or deploy goes through, as data of the node (DESIGN.md 3.5): which there are,
 * which one is next, how far that one has got. By Ironic's names, so that clients see what they know.
 */
import type { OfferedStep } from '../../../layers/domain/machine-steps.ts';
import { drop, forget, keep, note, noteOf, type Noted, type NoteName } from '../../../layers/domain/notes.ts';
import type { PlannedStep, Step } from '../../../layers/domain/steps.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { agentCalled, forgetAgent, leftRamdisk } from './agent.ts';

type StepField = 'clean_step' | 'service_step' | 'deploy_step';

/** `step`: the node's field for the one in progress; the others are notes (layers/domain/notes.ts). */
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
} as const satisfies {
  readonly [kind: string]: { readonly step: StepField; readonly [what: string]: NoteName | StepField };
};

export type StepKind = keyof typeof names;

/** `index` is undefined until the first step has ended. */
export type Plan = { readonly steps: readonly PlannedStep[]; readonly index: number; readonly begun: boolean };

/** Undefined before there is one. */
export const planOf = (node: Noted, kind: StepKind): Plan | undefined => {
  const steps = note(node, names[kind].steps);
  const index = note(node, names[kind].index);
  return steps && { steps, index: index ?? 0, begun: index !== undefined };
};

/** The step that is next or in progress; undefined if none is left. */
export const currentStep = (node: Noted, kind: StepKind): PlannedStep | undefined => {
  const plan = planOf(node, kind);
  return plan?.steps[plan.index];
};

/** What clients see while it runs. */
export const showStep =
  (kind: StepKind) =>
  (node: StoredNode): Partial<StoredNode> => ({ [names[kind].step]: { ...currentStep(node, kind) } });

/** No step is in progress, and no plan there. */
export const noSteps = { clean_step: {}, service_step: {}, deploy_step: {} } as const;

/** A new plan in place of all others. A machine that a service left in the ramdisk is still to be brought back. */
export const setPlan = (node: Noted, kind: StepKind, steps: readonly Step[]): Noted =>
  keep(forget(node, kind === 'service' ? 'plan' : 'work'), noteOf(names[kind].steps, steps));

/** Other steps in the same plan; which one is next stays. */
export const replaceSteps = (node: Noted, kind: StepKind, steps: readonly PlannedStep[]): Noted =>
  keep(node, noteOf(names[kind].steps, steps));

/** What the agent offers is kept for operators to see. */
export const keepOffer = (
  node: Noted,
  kind: StepKind,
  offered: readonly OfferedStep[],
  versions: Readonly<Record<string, unknown>>,
): Noted => keep(node, { ...noteOf(names[kind].cached, { deploy: offered }), hardware_manager_version: versions });

/** The step at `index` has ended; `reboot`: it wants the ramdisk booted again. A repetition changes nothing. */
export const stepEnded = (node: StoredNode, kind: StepKind, index: number, reboot = false): Partial<StoredNode> => ({
  [names[kind].step]: {},
  ...keep(forget(node, 'step'), {
    ...noteOf(names[kind].index, Math.max(index + 1, planOf(node, kind)?.index ?? 0)),
    ...(reboot && noteOf(names[kind].reboot, true)),
  }),
});

/** Where the step in progress stands; undefined: at its start. */
export const stageOf = (node: Noted): string | undefined => note(node, 'step_stage');

/** The step in progress has got so far; `reboot`: the ramdisk has to be booted again first. */
export const setStage = (node: Noted, kind: StepKind, stage: string, reboot = false): Noted =>
  keep(node, { step_stage: stage, ...(reboot && noteOf(names[kind].reboot, true)) });

/** Whether the ramdisk has to be booted again before anything else. */
export const wantsReboot = (node: Noted, kind: StepKind): boolean => note(node, names[kind].reboot) === true;

/** How often the ramdisk was booted; with the index of the step it tells one effect of a phase from the next. */
export const bootsOf = (node: Noted): number => note(node, 'ramdisk_boots') ?? 0;

/** The same of the boot that begins with switching the machine off; a repetition of that is no further boot. */
export const nextBoot = (node: StoredNode, kind: StepKind): number => {
  const boots = bootsOf(node);
  return boots > 0 && node.power_state === 'power off' && !wantsReboot(node, kind) ? boots : boots + 1;
};

/** Whether the plan has begun and its agent is still there: what is left needs no new boot of the ramdisk. */
export const agentIsThere = (node: StoredNode, kind: StepKind): boolean =>
  agentCalled(node) && (planOf(node, kind)?.begun ?? false);

/**
 * What work that needs no ramdisk for each of its steps leaves if it fails (`leavesRamdisk` of its row): a machine whose
 * agent has called runs from its memory and stays on, one that is still loading the ramdisk does not.
 */
export const ramdiskOfSteps = (node: StoredNode): 'off' | 'on' | undefined => {
  if (bootsOf(node) === 0) return undefined;
  return agentCalled(node) ? 'on' : 'off';
};

/** Switched off to boot the ramdisk: a wish for that is granted. */
export const offForRamdisk =
  (kind: StepKind) =>
  (node: StoredNode): Partial<StoredNode> => {
    const off = leftRamdisk(node);
    return { ...off, ...keep(drop(off, names[kind].reboot), { ramdisk_boots: nextBoot(node, kind) }) };
  };

/** The end of all steps: agent, plan and ramdisk are forgotten. */
export const forgetSteps = (node: StoredNode): Partial<StoredNode> => ({
  ...forgetAgent(node),
  ...noSteps,
  ...forget(node, 'work', 'agent'),
});
