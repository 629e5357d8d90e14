/**
 * The steps that a request of clean, service or a deploy brings along: of its body, of a runbook, of deploy templates
 * (ironic-api.md 2.7, ironic-rbac.md 4, ironic-states.md 7, 8, 10). What is wrong with them is said before the state
 * changes, as far as it is known without the machine.
 */
import * as z from 'zod';

import { sealParts } from '../../../layers/bmc/sealed-parts.ts';
import type { SealedKind } from '../../../layers/domain/fields.ts';
import { validateRamdisk, type Surroundings } from '../../../layers/bmc/validation.ts';
import { verbs, type Verb } from '../../../layers/domain/baremetal/verbs.ts';
import { askedSteps, planDeploy } from '../../../layers/domain/deploy-plan.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { checkPlaces, needAgent } from '../../../layers/domain/machine-steps.ts';
import { forget, keep, type Noted } from '../../../layers/domain/notes.ts';
import { authorize } from '../../../layers/domain/policy.ts';
import { check } from '../../../layers/domain/schema.ts';
import { checkSteps, inOrder, type Step, type StepKind } from '../../../layers/domain/steps.ts';
import { bool } from '../../../layers/domain/values.ts';
import { deployTemplatesOf, type AskedTemplate } from '../../../layers/store/deploy-templates.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { findRecord } from '../../../layers/store/records/find.ts';
import { setPlan } from '../../../workflows/owners/node/plan.ts';
import type { Call, Deps } from '../route.ts';
import type { ProvisionBody } from './provision-body.ts';
import { type StoredRunbook, kinds } from '../../../layers/store/kinds/kinds.ts';

export type Asked = {
  readonly kind: StepKind;
  readonly steps: readonly Step[];
  readonly disableRamdisk: boolean;
  readonly templates: readonly AskedTemplate[];
  readonly runbook?: StoredRunbook;
  readonly version: number;
};

/** Throws Forbidden (403) for steps that the caller may not give. */
export const authorizeSteps = ({ body, subject, target }: Call<ProvisionBody, StoredNode>): void => {
  if (body.clean_steps) authorize('baremetal:node:set_provision_state:clean_steps', subject, target, target.uuid);
  if (body.service_steps) authorize('baremetal:node:set_provision_state:service_steps', subject, target, target.uuid);
};

/** Throws NotFound (404) for a runbook that the caller may not see, Forbidden (403) for one that it may not use. */
const findRunbook = async (
  { table }: Deps,
  { body, subject }: Call<ProvisionBody, StoredNode>,
): Promise<StoredRunbook | undefined> => {
  if (!body.runbook) return undefined;
  const found = await findRecord(table, kinds.runbook, body.runbook);
  authorize('baremetal:runbook:use', subject, found, body.runbook);
  return found;
};

const traitsOf = ({ instance_info: info }: StoredNode): string[] => {
  const traits: unknown = info['traits'];
  return Array.isArray(traits) ? traits.filter((trait) => typeof trait === 'string') : [];
};

const templatesFor = async ({ table }: Deps, node: StoredNode): Promise<AskedTemplate[]> => {
  const traits = traitsOf(node);
  return traits.length > 0 ? deployTemplatesOf(table, traits) : [];
};

const stepsOf = (kind: StepKind, body: ProvisionBody, runbook: StoredRunbook | undefined): Step[] =>
  runbook ? inOrder(runbook.steps) : checkSteps(kind, body[`${kind}_steps`] ?? []);

const Flag = z.object({ disable_ramdisk: bool.nullish() });

/** Undefined if the request does not say. Throws Invalid (400). */
const disablesRamdisk = ({ disable_ramdisk }: ProvisionBody): boolean | undefined =>
  check(Flag, { disable_ramdisk }).disable_ramdisk ?? undefined;

/** Undefined for verbs that have no steps. Throws Invalid (400), NotFound (404), Forbidden (403). */
export const readAsked = async (
  deps: Deps,
  call: Call<ProvisionBody, StoredNode>,
  verb: Verb,
): Promise<Asked | undefined> => {
  const { steps: kind } = verbs[verb];
  if (!kind) return undefined;
  const runbook = await findRunbook(deps, call);
  const steps = stepsOf(kind, call.body, runbook);
  const place = { owner: call.target.uuid, name: 'step_argument' satisfies SealedKind };
  return {
    kind,
    // Those of a runbook are sealed already.
    steps: runbook ? steps : ((await sealParts(deps.sealer, place, steps)) as Step[]),
    disableRamdisk: disablesRamdisk(call.body) ?? runbook?.disable_ramdisk ?? false,
    templates: kind === 'deploy' ? await templatesFor(deps, call.target) : [],
    ...(runbook && { runbook }),
    version: call.version,
  };
};

/** A runbook is for nodes with one of its traits; before it had any, for nodes with its name as a trait. */
const checkRunbook = ({ uuid, traits }: StoredNode, { runbook, version }: Asked): void => {
  if (!runbook) return;
  const wanted = version >= 112 ? runbook.traits : [runbook.name];
  if (wanted.some((trait) => traits.includes(trait))) return;
  throw Invalid(
    `Runbook ${runbook.name} is not for node ${uuid}: ` +
      (wanted.length > 0
        ? `none of ${wanted.join(', ')} is a trait of the node.`
        : 'it has no traits. Give it one that the node has, too (PUT /v1/runbooks/{runbook}/traits/{trait}).'),
  );
};

const checkWork = (node: StoredNode, { kind, steps, disableRamdisk }: Asked, around: Surroundings): void => {
  checkPlaces(node, steps, disableRamdisk);
  if (!needAgent(node, steps)) return;
  validateRamdisk(node, around);
  if (kind === 'service' && node.deploy_interface === 'ramdisk') {
    throw Invalid(
      `The instance of node ${node.uuid} runs from virtual media, which a ramdisk would take the place of: only steps without the agent can be done.`,
    );
  }
};

/** Throws Invalid (400) for steps that this node cannot do, and for a runbook that is not meant for it. */
export const checkAsked = (node: StoredNode, asked: Asked | undefined, around: Surroundings): void => {
  if (!asked) return;
  checkRunbook(node, asked);
  if (asked.kind !== 'deploy') checkWork(node, asked, around);
  else if (asked.steps.length > 0 || asked.templates.length > 0) {
    planDeploy(node, askedSteps(asked.templates, asked.steps));
  }
};

/** What the run finds on the node; a deploy makes its plan itself, with the templates as they are by then. */
export const keepAsked = (node: Noted, { kind, steps }: Asked): Noted => {
  if (kind !== 'deploy') return setPlan(node, kind, steps);
  return keep(forget(node, 'plan'), steps.length > 0 ? { user_deploy_steps: steps } : {});
};
