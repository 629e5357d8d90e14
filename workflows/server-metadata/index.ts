/** Nobody asks for it: it follows from changes of addresses. */
import { asItsNode, type ServerRow } from '../owners/server/workflow.ts';

export const serverMetadata: ServerRow = {
  owner: 'server',
  doc: 'Servers: tells the node of one again which addresses it has.',
  event_type: 'metadata',
  what: 'Telling the node of the addresses of the server',
  next: 'It is tried again by itself.',
  fault: () => 'Who runs the machines could not be told of changed addresses; the server is not affected.',
  failed: asItsNode,
  phases: async () => import('./phases.ts'),
};
