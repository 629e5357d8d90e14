/** The action rebuild. */
import type { ServerRow } from '../owners/server/workflow.ts';

export const serverRebuild: ServerRow = {
  owner: 'server',
  doc: 'Servers: writes the image of one anew, or another one.',
  event_type: 'rebuild',
  what: 'Rebuild of the server',
  next: 'Once the cause is gone, rebuild it again.',
  fault: () => 'The server could not be rebuilt. Rebuild it again, or ask who runs the machines.',
  failed: () => ({ vm_state: 'error' }),
  phases: async () => import('./phases.ts'),
};
