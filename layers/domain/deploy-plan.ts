/**
 * What a deploy consists of (ironic-states.md 8): the core steps of the deploy interface, merged with those of the
 * hardware managers, of deploy templates and of the request, in the order of priorities.
 */
import { Invalid } from './fault.ts';
import { byPriority, checkPlaces, nameOf, placeOf } from './machine-steps.ts';
import type { Node } from './node.ts';
import type { PlannedStep, Step } from './steps.ts';

const core = <S extends string>(step: S, priority: number) =>
  ({ interface: 'deploy', step, priority, args: {} }) as const;

/** The four ways of a deploy with Ironic's names of what they consist of. */
export const coreSteps = {
  direct: [
    core('deploy', 100),
    core('write_image', 80),
    core('prepare_instance_boot', 60),
    core('tear_down_agent', 40),
    core('boot_instance', 20),
  ],
  'custom-agent': [
    core('deploy', 100),
    core('prepare_instance_boot', 60),
    core('tear_down_agent', 40),
    core('boot_instance', 20),
  ],
  ramdisk: [core('deploy', 100), core('boot_instance', 20)],
  fake: [],
} as const satisfies { readonly [way: string]: readonly PlannedStep[] };

export type Way = keyof typeof coreSteps;
export type CoreStep = (typeof coreSteps.direct)[number]['step'];

/** Throws Invalid (400) for a deploy interface that cannot deploy. */
export const wayOf = ({ deploy_interface: way }: Pick<Node, 'deploy_interface'>): Way => {
  if (way !== null && Object.hasOwn(coreSteps, way)) return way as Way;
  throw Invalid(`deploy_interface ${way} cannot deploy; set it to direct, ramdisk or custom-agent.`);
};

/** The name of a core step of this way; undefined for a step that somebody added. */
export const coreOf = (way: Way, step: { readonly interface: string; readonly step: string }): CoreStep | undefined =>
  coreSteps[way].find(({ step: name }) => step.interface === 'deploy' && name === step.step)?.step;

/** Whether the deploy agent has a part in a deploy of this way. */
const hasAgent = (way: Way): boolean => coreOf(way, { interface: 'deploy', step: 'tear_down_agent' }) !== undefined;

type Template = { readonly name: string; readonly steps: readonly Step[] };

/**
 * What templates and the request ask for: a step of the request replaces that of a template. Throws Invalid (400) if
 * two templates have the same step, because nobody could say which one counts.
 */
export const askedSteps = (templates: readonly Template[], user: readonly Step[]): Step[] => {
  const from = new Map<string, string>();
  for (const { name, steps } of templates) {
    for (const step of steps) {
      const other = from.get(nameOf(step));
      if (other !== undefined) throw Invalid(`Deploy templates ${other} and ${name} both have step ${nameOf(step)}.`);
      from.set(nameOf(step), name);
    }
  }
  return replace(
    templates.flatMap(({ steps }) => steps),
    user,
  );
};

/** `over` in place of the equal steps of `under`, and the rest of both. */
const replace = (under: readonly Step[], over: readonly Step[]): Step[] => {
  const names = new Set(over.map(nameOf));
  return [...under.filter((step) => !names.has(nameOf(step))), ...over];
};

/** The plan: what is asked for replaces the driver's step of that name; priority 0 means never. */
export const mergeSteps = (driver: readonly PlannedStep[], asked: readonly Step[]): PlannedStep[] => {
  const names = new Map(asked.map((step) => [nameOf(step), step]));
  const replaced = driver.map((step) => {
    const other = names.get(nameOf(step));
    return other ? { ...step, priority: other.priority, args: other.args } : step;
  });
  const known = new Set(driver.map(nameOf));
  const merged: PlannedStep[] = [...replaced, ...asked.filter((step) => !known.has(nameOf(step)))];
  return merged.filter(({ priority }) => (priority ?? 0) > 0).toSorted(byPriority);
};

const checkCore = (way: Way, step: Step): void => {
  if (coreOf(way, step) === undefined) return;
  if (Object.keys(step.args).length > 0) throw Invalid(`Step ${nameOf(step)} takes no arguments, Ingot makes them.`);
  if (step.step === 'deploy' && (step.priority ?? 0) > 0) {
    throw Invalid('Step deploy.deploy cannot be replaced, only turned off with priority 0.');
  }
};

/** Agents are there from the end of deploy.deploy to deploy.tear_down_agent. */
const checkAgentIsThere = (node: Node, way: Way, plan: readonly PlannedStep[]): void => {
  const at = (name: CoreStep) => plan.findIndex((step) => coreOf(way, step) === name);
  const [from, to] = [at('deploy'), at('tear_down_agent')];
  const wrong = plan.find(
    (step, index) =>
      coreOf(way, step) === undefined &&
      placeOf(node, step) === 'agent' &&
      (!hasAgent(way) || index < from || (to >= 0 && index > to)),
  );
  if (!wrong) return;
  const when = hasAgent(way) ? 'give it a priority from 99 to 41' : `a deploy of interface ${way} has none`;
  throw Invalid(
    `Step ${nameOf(wrong)} with priority ${wrong.priority} runs in the agent, which is not there: ${when}.`,
  );
};

/**
 * The plan of a deploy as far as it is known before the agent is asked. Throws Invalid (400) for steps that this node
 * cannot do, or not at that priority.
 */
export const planDeploy = (node: Node, asked: readonly Step[]): PlannedStep[] => {
  const way = wayOf(node);
  for (const step of asked) checkCore(way, step);
  checkPlaces(
    node,
    asked.filter((step) => (step.priority ?? 0) > 0 && coreOf(way, step) === undefined),
  );
  const plan = mergeSteps(coreSteps[way], asked);
  checkAgentIsThere(node, way, plan);
  return plan;
};
