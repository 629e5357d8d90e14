/** Every workflow with its phases; the names are those of `workflows/<name>.asl.json` and its Task states. */
import type { ProvisionWorkflow } from '../../layers/domain/baremetal/verbs.ts';
import type { WorkflowName } from '../names.ts';
import type { Phases } from '../phase.ts';
import { adopt } from './adopt.ts';
import { allocate, type AllocationPhase } from './allocate.ts';
import { clean } from './clean.ts';
import { deploy } from './deploy.ts';
import { inspect } from './inspect.ts';
import { management } from './management.ts';
import { power } from './power.ts';
import { rescue } from './rescue.ts';
import { service } from './service.ts';
import { undeploy } from './undeploy.ts';
import { unrescue } from './unrescue.ts';
import { verify } from './verify.ts';

/** By name; those that verbs begin among them (layers/domain/baremetal/verbs.ts). */
export const workflows = {
  verify,
  clean,
  deploy,
  undeploy,
  service,
  inspect,
  adopt,
  rescue,
  unrescue,
  power,
  management,
} as const satisfies Record<WorkflowName | ProvisionWorkflow, Phases>;

/** Those of allocations: no node owns their executions. */
export const allocationWorkflows = { allocate } as const satisfies Record<
  string,
  { readonly [name: string]: AllocationPhase }
>;
