/** POST /v1/takeovers: whether a machine that was moved here with its instance can be worked with from here (ADR 22). */
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const takeover: NodeWorkflow = {
  owner: 'node',
  doc: 'POST takeovers: looks at a machine that was moved here with its instance.',
  takes: 'node',
  event_type: 'takeover',
  what: 'Takeover',
  next: 'Then ask for the takeover again.',
  // Nothing has happened to the machine or its instance: state and last_error tell of those, the note of this.
  failed: (node, message) => ({
    last_error: node.last_error,
    ...noteTakeover(node, 'failed', node.phase?.started_at ?? node.updated_at ?? node.created_at, message),
  }),
  leftovers: [waitKey],
  phases: async () => import('./phases.ts'),
};
