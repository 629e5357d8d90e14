/** The action unrescue. */
import type { ServerRow } from '../owners/server/workflow.ts';

export const serverUnrescue: ServerRow = {
  owner: 'server',
  doc: 'Servers: boots the machine of one from its disk again, after a rescue.',
  event_type: 'unrescue',
  what: 'Unrescue of the server',
  next: 'Once the cause is gone, unrescue its node.',
  fault: () => 'The server could not be booted from its disk again. Ask who runs the machines.',
  failed: () => ({ vm_state: 'error' }),
  phases: async () => import('./phases.ts'),
};
