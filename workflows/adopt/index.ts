/** The verb adopt. */
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const adopt: NodeWorkflow = {
  owner: 'node',
  doc: 'adopt: takes over a machine that runs an instance already.',
  takes: 'node',
  event_type: 'adoption',
  what: 'Adoption',
  next: 'Then set the provision state to adopt again, or to manage.',
  failed: (node) => ({ ...failed(node), power_state: null }),
  leftovers: [waitKey],
  phases: async () => import('./phases.ts'),
};
