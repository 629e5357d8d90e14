/** POST and DELETE /servers/{id}/os-interface. */
import { asItsNode, type ServerRow } from '../owners/server/workflow.ts';

const faults: { readonly [error: string]: (message: string) => string } = {
  BuildAborted: (message) => message,
  NoCardLeft: () => 'The machine has no network card left.',
};

export const serverInterface: ServerRow = {
  owner: 'server',
  doc: 'Servers: plugs and unplugs network cards of one.',
  event_type: 'interface',
  what: 'A change of the network cards of the server',
  next: 'Ask for it again.',
  fault: ({ error, message }) =>
    faults[error]?.(message) ?? 'The network cards could not be changed. Ask again, or ask who runs the machines.',
  failed: asItsNode,
  phases: async () => import('./phases.ts'),
};
