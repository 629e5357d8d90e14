/** The actions os-start, os-stop, reboot and trigger_crash_dump. */
import { asItsNode, type ServerRow } from '../owners/server/workflow.ts';

export const serverPower: ServerRow = {
  owner: 'server',
  doc: 'Servers: switches the machine of one on or off, restarts or interrupts it.',
  event_type: 'power',
  what: 'A power action on the server',
  next: 'Look at its node, and ask for it again.',
  fault: () => 'The machine did not do what was asked of it. Ask again, or ask who runs the machines.',
  failed: asItsNode,
  phases: async () => import('./phases.ts'),
};
