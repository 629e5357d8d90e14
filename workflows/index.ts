/** Every workflow with its phases; the names are those of `workflows/<name>.asl.json` and its Task states. */
import type { WorkflowName } from './names.ts';
import type { Phases } from './owners/node/phase.ts';
import { adopt } from './adopt/phases.ts';
import { allocate, type AllocationPhase } from './allocate/phases.ts';
import { clean } from './clean/phases.ts';
import { deploy } from './deploy/phases.ts';
import { inspect } from './inspect/phases.ts';
import { management } from './management/phases.ts';
import { power } from './power/phases.ts';
import { rescue } from './rescue/phases.ts';
import { service } from './service/phases.ts';
import { undeploy } from './undeploy/phases.ts';
import { unrescue } from './unrescue/phases.ts';
import { verify } from './verify/phases.ts';

/** By name. */
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
} as const satisfies Record<WorkflowName, Phases>;

/** Those of allocations: no node owns their executions. */
export const allocationWorkflows = { allocate } as const satisfies Record<
  string,
  { readonly [name: string]: AllocationPhase }
>;
