/** The verb manage: can the BMC be reached, and do the credentials open it. */
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const verify: NodeWorkflow = {
  owner: 'node',
  doc: 'manage: can the BMC be reached with these credentials.',
  takes: 'node',
  event_type: 'verifying',
  what: 'Verifying',
  next: 'Then set the provision state to manage again.',
  failed,
  leftovers: [waitKey],
  phases: async () => import('./phases.ts'),
};
