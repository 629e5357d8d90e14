/** The action rescue. */
import type { ServerRow } from '../owners/server/workflow.ts';

export const serverRescue: ServerRow = {
  owner: 'server',
  doc: 'Servers: boots the machine of one into a rescue system.',
  event_type: 'rescue',
  what: 'Rescue of the server',
  next: 'Once the cause is gone, rescue it again, or unrescue its node.',
  fault: () => 'The server could not be rescued. Rescue it again, or ask who runs the machines.',
  failed: () => ({ vm_state: 'error' }),
  phases: async () => import('./phases.ts'),
};
