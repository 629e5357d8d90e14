/**
 * Where a step is carried out, and what the steps that need no agent take (ironic-states.md 7). Whatever is not in
 * these tables is for the agent, which says what it offers once its ramdisk runs.
 */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import { implementationOf, unsupported, type InterfaceField } from './hardware-types.ts';
import type { Node } from './node.ts';
import { check } from './schema.ts';
import {
  reservedSteps,
  stepInterfaces,
  type PlannedStep,
  type Step,
  type StepInterface,
  type StepKind,
} from './steps.ts';

/** `workflow`: reserved names; `bmc`: by Redfish; `fake`: nowhere, and at once; `agent`: in the deploy ramdisk. */
export type Place = 'workflow' | 'bmc' | 'fake' | 'agent';

export type ReservedStep = (typeof reservedSteps)[number];

const none = z.strictObject({});

const reserved: { readonly [S in ReservedStep]: z.ZodType<object> } = {
  power_on: none,
  power_off: none,
  reboot: none,
  wait: z.strictObject({ seconds: z.number().positive().optional() }),
  hold: none,
};

/** Steps that BMCs do, by `interface.step`: which implementation of the interface has them, and their arguments. */
export const bmcSteps = {
  'bios.apply_configuration': {
    implementation: 'redfish',
    args: z.strictObject({
      settings: z.array(z.strictObject({ name: z.string().min(1), value: z.unknown() })).min(1),
    }),
  },
  'bios.factory_reset': { implementation: 'redfish', args: none },
  'management.set_boot_device': {
    implementation: 'redfish',
    args: z.strictObject({
      boot_device: z.enum(['pxe', 'disk', 'cdrom', 'uefihttp', 'bios']),
      persistent: z.boolean().default(false),
    }),
  },
  'management.set_boot_mode': { implementation: 'redfish', args: z.strictObject({ mode: z.enum(['uefi', 'bios']) }) },
  'management.set_secure_boot': { implementation: 'redfish', args: z.strictObject({ enabled: z.boolean() }) },
} as const satisfies { readonly [name: string]: { readonly implementation: string; readonly args: z.ZodType<object> } };

export type BmcStep = keyof typeof bmcSteps;

/** Steps of clean and service that fake hardware has, as Ironic's does; each is done at once. */
const fakeSteps: readonly string[] = [
  ...Object.keys(bmcSteps),
  'firmware.update',
  'raid.create_configuration',
  'raid.delete_configuration',
];

type Named = Pick<Step, 'interface' | 'step'>;

/** `interface.step`, as clients and messages call it. */
export const nameOf = ({ interface: of, step }: { interface: string; step: string }): string => `${of}.${step}`;

/** Whether the workflow itself carries it out, whatever the interface. */
export const isReserved = (name: string): name is ReservedStep => (reservedSteps as readonly string[]).includes(name);

const isBmcStep = (name: string): name is BmcStep => Object.hasOwn(bmcSteps, name);

/** Throws Invalid, in Ironic's words, for a step of this kind that fake hardware has not. */
export const requireFakeStep = (kind: StepKind, { interface: of, step }: Named): void => {
  if (kind === 'deploy' || fakeSteps.includes(`${of}.${step}`)) return;
  throw Invalid(`node does not support this ${kind} step: ${of}.${step}`);
};

/** Throws Invalid (400) if the implementation of the interface that this node has cannot do the step. */
export const placeOf = (node: Node, step: Named): Place => {
  if (isReserved(step.step)) return 'workflow';
  const implementation = node[`${step.interface}_interface` satisfies InterfaceField];
  if (implementation === 'fake') return 'fake';
  const name = nameOf(step);
  if (!isBmcStep(name) && node.deploy_interface !== 'fake') return 'agent';
  if (!isBmcStep(name) || bmcSteps[name].implementation !== implementationOf(implementation)) {
    throw unsupported(node.driver, `${step.interface} step ${step.step}`);
  }
  return 'bmc';
};

/** The arguments as the step's table makes them. Throws Invalid (400). */
export const argumentsOf = (step: Step): Record<string, unknown> => {
  const name = nameOf(step);
  const args = isReserved(step.step) ? reserved[step.step] : isBmcStep(name) ? bmcSteps[name].args : undefined;
  if (!args) return { ...step.args };
  const label = `step ${name}: args`;
  return check(z.object({ [label]: args }), { [label]: step.args })[label] as Record<string, unknown>;
};

/** Steps that leave the machine without power. `reboot` does not: such a machine is restarted. */
const offSteps: readonly string[] = ['power_off'];

const checkStep = (node: Node, step: Step, disableRamdisk: boolean): void => {
  const name = nameOf(step);
  const place = placeOf(node, step);
  if (step.execute_on_child_nodes) {
    throw Invalid(`Step ${name}: execute_on_child_nodes is not supported; ask for the step on the child nodes.`);
  }
  if (place === 'agent' && disableRamdisk) {
    throw Invalid(`Step ${name} runs in the ramdisk, which disable_ramdisk forbids.`);
  }
  if (node.disable_power_off && (place === 'agent' || offSteps.includes(step.step))) {
    throw Invalid(`Step ${name} needs the machine to be switched off, which disable_power_off of the node forbids.`);
  }
  argumentsOf(step);
};

/** What can be known of steps before the machine is asked. Throws Invalid (400) that names the step. */
export const checkPlaces = (node: Node, steps: readonly Step[], disableRamdisk = false): void => {
  for (const step of steps) checkStep(node, step, disableRamdisk);
};

/** Whether the ramdisk has to run for any of them. Throws Invalid (400) like `placeOf`. */
export const needAgent = (node: Node, steps: readonly Named[]): boolean =>
  steps.some((step) => placeOf(node, step) === 'agent');

/** The highest priority first, equal ones by interface, then as they stand. */
export const byPriority = (
  a: { priority?: number | undefined; interface: string },
  b: { priority?: number | undefined; interface: string },
): number =>
  (b.priority ?? 0) - (a.priority ?? 0) ||
  (stepInterfaces as readonly string[]).indexOf(a.interface) -
    (stepInterfaces as readonly string[]).indexOf(b.interface);

/** A step that an agent offers: `argsinfo` tells its arguments. */
export type OfferedStep = {
  readonly interface: string;
  readonly step: string;
  readonly priority?: number | undefined;
  readonly abortable?: boolean | undefined;
  readonly reboot_requested?: boolean | undefined;
  readonly [more: string]: unknown;
};

/** An offered step as one of the plan, without what only its offer is about. */
export const toPlan = ({ interface: of, step, priority, abortable, reboot_requested }: OfferedStep): PlannedStep => ({
  interface: of as StepInterface,
  step,
  args: {},
  priority,
  abortable: abortable ?? false,
  reboot_requested: reboot_requested ?? false,
});

const checkOfferedArguments = (step: Step, offered: OfferedStep): void => {
  const info = (offered['argsinfo'] ?? {}) as Record<string, { required?: unknown } | null>;
  const unknown = Object.keys(step.args).filter((name) => !Object.hasOwn(info, name));
  const missing = Object.keys(info).filter((name) => info[name]?.required === true && !Object.hasOwn(step.args, name));
  const takes = `It takes: ${Object.keys(info).join(', ') || 'no arguments'}.`;
  if (unknown.length > 0) throw Invalid(`Step ${nameOf(step)} has no argument ${unknown.join(', ')}. ${takes}`);
  if (missing.length > 0) throw Invalid(`Step ${nameOf(step)} needs the argument ${missing.join(', ')}. ${takes}`);
};

/** The step with what the agent says about it. Throws Invalid (400) with what there is, if it is not offered so. */
export const asOffered = (step: PlannedStep, offers: readonly OfferedStep[]): PlannedStep => {
  const found = offers.find((offer) => offer.interface === step.interface && offer.step === step.step);
  if (!found) {
    const names = offers.map((offer) => `${offer.interface}.${offer.step}`).sort();
    throw Invalid(`The agent offers no step ${nameOf(step)}. It offers: ${names.join(', ') || 'none'}.`);
  }
  checkOfferedArguments(step, found);
  return { ...step, abortable: found.abortable ?? false, reboot_requested: found.reboot_requested ?? false };
};
