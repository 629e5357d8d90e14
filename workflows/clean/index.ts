/** Cleaning, automated or asked for. */
import type { StoredNode } from '../../layers/store/nodes.ts';
import { failed, outOfService, givenUp } from '../owners/node/failure.ts';
import { ramdiskOfSteps } from '../owners/node/plan.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

const cleanFailed = (node: StoredNode, lastError: string): Partial<StoredNode> => ({
  ...failed(node),
  ...outOfService(node.clean_step, 'clean failure', lastError),
  ...givenUp(node),
});

export const clean: NodeWorkflow = {
  owner: 'node',
  doc: 'provide and after undeploy: automated cleaning through the agent. clean: the steps asked for.',
  takes: 'node',
  event_type: 'cleaning',
  what: 'Cleaning',
  next: 'Then unset maintenance if it is set, manage the node, and clean or provide it again.',
  failed: cleanFailed,
  leftovers: [waitKey],
  leavesRamdisk: ramdiskOfSteps,
  steps: 'clean',
  phases: async () => import('./phases.ts'),
};
