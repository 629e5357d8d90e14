/** The verb unrescue. */
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const unrescue: NodeWorkflow = {
  owner: 'node',
  doc: 'unrescue: boots the instance again.',
  takes: 'node',
  event_type: 'rescue',
  what: 'Unrescue',
  next: 'Then set the provision state to unrescue again.',
  failed,
  leftovers: [waitKey],
  phases: async () => import('./phases.ts'),
};
