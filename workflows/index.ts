/**
 * All workflows, by whose runs they are. A workflow is a folder of its own: its story (`<name>.asl.json`), its phases,
 * and its row (`index.ts`), which says everything else there is to know about it (ADR 15).
 */
import type { ProvisionWorkflow } from '../layers/domain/baremetal/verbs.ts';
import { adopt } from './adopt/index.ts';
import { allocate } from './allocate/index.ts';
import { clean } from './clean/index.ts';
import { deploy } from './deploy/index.ts';
import { inspect } from './inspect/index.ts';
import { management } from './management/index.ts';
import type { ServerWorkflow } from '../layers/domain/compute/actions.ts';
import type { AllocationWorkflows } from './owners/allocation/index.ts';
import type { NodeWorkflow, NodeWorkflows } from './owners/node/workflow.ts';
import type { ServerRow } from './owners/server/workflow.ts';
import { power } from './power/index.ts';
import { rescue } from './rescue/index.ts';
import { serverCreate } from './server-create/index.ts';
import { serverDelete } from './server-delete/index.ts';
import { serverInterface } from './server-interface/index.ts';
import { serverMetadata } from './server-metadata/index.ts';
import { serverPower } from './server-power/index.ts';
import { serverRebuild } from './server-rebuild/index.ts';
import { serverRescue } from './server-rescue/index.ts';
import { serverUnrescue } from './server-unrescue/index.ts';
import { service } from './service/index.ts';
import { takeover } from './takeover/index.ts';
import { undeploy } from './undeploy/index.ts';
import { unrescue } from './unrescue/index.ts';
import { verify } from './verify/index.ts';

/** Those of nodes; those that verbs begin are among them. */
export const nodeWorkflows = {
  verify,
  clean,
  deploy,
  service,
  undeploy,
  inspect,
  adopt,
  rescue,
  unrescue,
  takeover,
  power,
  management,
} as const satisfies NodeWorkflows & { readonly [W in ProvisionWorkflow]: NodeWorkflow };

/** Those of allocations. */
export const allocationWorkflows = { allocate } as const satisfies AllocationWorkflows;

/** Those of servers; what is done with one names them (layers/domain/compute/actions.ts). */
export const serverWorkflows = {
  'server-create': serverCreate,
  'server-delete': serverDelete,
  'server-rebuild': serverRebuild,
  'server-rescue': serverRescue,
  'server-unrescue': serverUnrescue,
  'server-power': serverPower,
  'server-interface': serverInterface,
  'server-metadata': serverMetadata,
} as const satisfies { readonly [W in ServerWorkflow]: ServerRow };

/** All of them, in the order in which operators read about them. */
export const workflows = { ...nodeWorkflows, ...allocationWorkflows, ...serverWorkflows } as const;

export type WorkflowName = keyof typeof workflows;

/** Whose runs there are. */
export type OwnerName = (typeof workflows)[WorkflowName]['owner'];

/** Whether a name is that of a workflow. */
export const isWorkflow = (name: string | null | undefined): name is WorkflowName =>
  typeof name === 'string' && Object.hasOwn(workflows, name);
