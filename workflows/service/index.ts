/** The verb service: steps on a machine that has an instance. */
import { isFailed } from '../../layers/domain/baremetal/states.ts';
import { forget } from '../../layers/domain/notes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { forgetAgent } from '../owners/node/agent.ts';
import { failed, outOfService } from '../owners/node/failure.ts';
import { noSteps, ramdiskOfSteps } from '../owners/node/plan.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

/**
 * A service that was aborted is in its failure state already when the way back into the instance fails. Its work is not
 * over: who tries it again, or aborts it, brings the machine back, and has to know whether the ramdisk was booted.
 */
const serviceFailed = (node: StoredNode, lastError: string): Partial<StoredNode> => ({
  ...(!isFailed(node) && failed(node)),
  ...outOfService(node.service_step, 'service failure', lastError),
  ...noSteps,
  ...forgetAgent(node),
  ...forget(node, 'plan', 'agent'),
});

export const service: NodeWorkflow = {
  owner: 'node',
  doc: 'service: steps on a machine with an instance, and back into the instance.',
  takes: 'node',
  event_type: 'servicing',
  what: 'Service',
  next: 'Then unset maintenance if it is set, and set the provision state to service to try again, or to abort to go back to the instance.',
  failed: serviceFailed,
  leftovers: [waitKey],
  leavesRamdisk: ramdiskOfSteps,
  steps: 'service',
  phases: async () => import('./phases.ts'),
};
