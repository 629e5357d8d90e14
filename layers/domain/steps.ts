/**
 * Steps of cleaning, deployment and service as clients give them (ironic-api.md 2.7 and 9): one table of what each kind
 * of list takes. What a step does, and which there are, is not known here but by interfaces and agents.
 */
import * as z from 'zod';

import { check } from './schema.ts';
import { bool, count, json, text, uuid } from './values.ts';

/** Interfaces that have steps; of two steps with one priority, that of the earlier interface runs first. */
export const stepInterfaces = ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'] as const;
export type StepInterface = (typeof stepInterfaces)[number];

/** Step names that every interface has: they are carried out by the workflow and need no agent. */
export const reservedSteps = ['power_on', 'power_off', 'reboot', 'wait', 'hold'] as const;

export type Step = {
  readonly interface: StepInterface;
  readonly step: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of deploy steps: the highest runs first, 0 means never. */
  readonly priority?: number | undefined;
  /** Of runbooks: the lowest runs first. */
  readonly order?: number | undefined;
  readonly execute_on_child_nodes?: boolean | undefined;
  /** UUIDs; without them all children. */
  readonly limit_child_node_execution?: readonly string[] | undefined;
};

/** A step as it stands in the plan of a node; what the agent says about it is known once it has been asked. */
export type PlannedStep = Step & { readonly abortable?: boolean; readonly reboot_requested?: boolean };

const named = { interface: z.enum(stepInterfaces), step: text(255) };
const optionalArgs = json.nullish().transform((args) => args ?? {});
const deployStep = z.strictObject({ ...named, args: json, priority: count });
const runbookStep = z.strictObject({ ...named, args: optionalArgs, order: count });
const workStep = z.strictObject({
  ...named,
  args: optionalArgs,
  order: count.optional(),
  execute_on_child_nodes: bool.optional(),
  limit_child_node_execution: z.array(uuid).optional(),
});

/** Of two equal steps nobody could say which one replaces the driver's, or which order counts. */
const duplicates = (steps: readonly Step[]): string[] => {
  const names = steps.map(({ interface: of, step }) => `${of}.${step}`);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
};

const isRefused = (step: Step) => step.interface === 'vendor' && step.step === 'send_raw';

/** What is wrong with a list as a whole; undefined if nothing is. */
const complaint = (steps: readonly Step[], unique: boolean): string | undefined => {
  if (steps.some(isRefused)) return 'the step vendor.send_raw is not allowed';
  const twice = unique ? duplicates(steps) : [];
  return twice.length > 0 ? `each step can be there only once, not ${twice.join(', ')}` : undefined;
};

const list = (step: z.ZodType<Step>, { unique }: { unique: boolean }): z.ZodType<Step[]> =>
  z.array(step).superRefine((steps, context) => {
    const message = complaint(steps, unique);
    if (message) context.addIssue({ code: 'custom', message });
  });

const someOf = (steps: z.ZodType<Step[]>) => steps.refine((given) => given.length > 0, 'must have at least one step');

/** The `steps` of a deploy template. */
export const templateSteps = someOf(list(deployStep, { unique: true }));
/** The `steps` of a runbook. */
export const runbookSteps = someOf(list(runbookStep, { unique: true }));

const kinds = {
  clean: list(workStep, { unique: false }),
  service: list(workStep, { unique: false }),
  deploy: list(deployStep, { unique: true }),
};

export type StepKind = keyof typeof kinds;

/**
 * The steps that a request gives as `clean_steps`, `service_steps` or `deploy_steps`; numbers are numbers and `args` is
 * there. Throws Invalid (400) that names the step and the key that is wrong.
 */
export const checkSteps = (kind: StepKind, value: unknown): Step[] => {
  const name = `${kind}_steps`;
  return check(z.object({ [name]: kinds[kind] }), { [name]: value })[name]!;
};

/** In the order in which a runbook wants them: by `order`, equal ones as they stand. */
export const inOrder = (steps: readonly Step[]): Step[] => steps.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
