/** POST /servers. */
import type { ServerRow } from '../owners/server/workflow.ts';

/** In Nova's words (compute-api.md 3). */
const exhausted = (uuid: string): string =>
  `No valid host was found. Exhausted all hosts available for retrying build failures for instance ${uuid}.`;

const faults: { readonly [error: string]: (message: string) => string } = {
  NoValidHost: () => 'No valid host was found. There are not enough hosts available.',
  BuildAborted: (message) => message,
};

export const serverCreate: ServerRow = {
  owner: 'server',
  doc: 'Servers: finds a machine for one, plugs its network, and deploys it.',
  event_type: 'create',
  what: 'Build of the server',
  next: 'Once the cause is gone, delete it and create it again.',
  fault: ({ error, message }, { uuid }) => faults[error]?.(message) ?? exhausted(uuid),
  failed: () => ({ vm_state: 'error', power_state: 0 }),
  phases: async () => import('./phases.ts'),
};
