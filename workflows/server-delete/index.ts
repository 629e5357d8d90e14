/** DELETE /servers/{id} and its like. */
import type { ServerRow } from '../owners/server/workflow.ts';

export const serverDelete: ServerRow = {
  owner: 'server',
  doc: 'Servers: gives the machine of one back, and its ports, and removes it.',
  event_type: 'delete',
  what: 'Deletion of the server',
  next: 'Look at its node (its history names it), and delete it again.',
  fault: () => 'The machine could not be given back. Delete the server again, or ask who runs the machines.',
  failed: () => ({ vm_state: 'error' }),
  phases: async () => import('./phases.ts'),
};
