/** Of which nodes the power state is synchronised with that of their machines (ironic-states.md 4). Pure. */
import { hardwareTypes } from '../hardware-types.ts';
import type { Node, NodeKeeping } from '../node.ts';
import { isTransient, stateOf } from './states.ts';
import { isFenced } from './takeover.ts';

/** What Ironic calls it when a machine's power can not be told, or not be changed. */
export const powerFailure = 'power failure';

/** The drivers whose machines are real. */
export const syncedDrivers: readonly string[] = Object.entries(hardwareTypes)
  .filter(([, { interfaces }]) => !interfaces.power.includes('fake'))
  .map(([driver]) => driver);

/** Whether the service itself took the node out of service because of its power: it may put it back. */
export const hasPowerFailure = ({ maintenance, fault }: Pick<Node, 'maintenance' | 'fault'>): boolean =>
  maintenance && fault === powerFailure;

/**
 * Whether anybody looks at the power of the machine by himself. Who works on it knows it better; and a machine that may be
 * somebody else's, or that an operator has taken out of service, is left alone.
 */
export const isSynced = (node: Omit<Node, 'instance_info'> & Pick<NodeKeeping, 'run'>): boolean =>
  syncedDrivers.includes(node.driver) &&
  node.reservation === null &&
  node.run === null &&
  node.target_power_state === null &&
  !isTransient(node) &&
  stateOf(node).unproved !== true &&
  (!node.maintenance || hasPowerFailure(node)) &&
  !isFenced(node);
