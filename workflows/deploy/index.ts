/** The verbs active and rebuild. */
import { failed, givenUp } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const deploy: NodeWorkflow = {
  owner: 'node',
  doc: 'active and rebuild.',
  takes: 'node',
  event_type: 'deploying',
  what: 'Deploy',
  next: 'Then set the provision state to active to try again, or to deleted to give the machine back.',
  failed: (node) => ({ ...failed(node), ...givenUp(node) }),
  leavesRamdisk: () => 'off',
  leftovers: [waitKey],
  steps: 'deploy',
  phases: async () => import('./phases.ts'),
};
