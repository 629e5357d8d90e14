/** Whether a node lets a verb be done now: what the columns of the verb's row ask for (layers/domain/baremetal/verbs.ts). */
import {
  requireInterfaces,
  validateInterface,
  validateRamdisk,
  type Surroundings,
} from '../../../layers/bmc/validation.ts';
import { stateOf } from '../../../layers/domain/baremetal/states.ts';
import { nextState } from '../../../layers/domain/baremetal/transitions.ts';
import { isVerb, refuseVerb, verbs, type Verb, type VerbSettings } from '../../../layers/domain/baremetal/verbs.ts';
import { Forbidden, Invalid, NodeLocked, NotAcceptable } from '../../../layers/domain/fault.ts';
import { refuseForeign } from '../../../layers/domain/foreign-types.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';

/** What a check looks at besides the node. */
export type Around = Surroundings & VerbSettings;

/**
 * Maintenance, then the state machine. Returns the verb that the target is. Throws Invalid (400), NodeLocked (409) for a
 * state that is that of a running work.
 */
export const requireVerb = (node: StoredNode, target: string): Verb => {
  const verb = isVerb(target) ? target : undefined;
  if (node.maintenance && verb && verbs[verb].awake) {
    throw Invalid(
      `The provisioning operation can't be performed on node ${node.uuid} because it's in maintenance mode.`,
    );
  }
  if (!verb || !nextState(node.provision_state, verbs[verb].event)) throw refuseVerb(node, target);
  return verb;
};

/** Throws NotAcceptable (406) where the request's version had the verb, but not in this state yet. */
export const checkSinceFrom = ({ provision_state: state }: StoredNode, verb: Verb, version: number): void => {
  const needed = verbs[verb].sinceFrom?.[state] ?? 1;
  if (version < needed) {
    throw NotAcceptable(`Request not acceptable. ${verb} in state "${state}" needs API version 1.${needed} or newer.`);
  }
};

const checkBoots = (node: StoredNode, verb: Verb, around: Around): void => {
  const boots = verbs[verb].boots?.(node, around) ?? 'nothing';
  if (boots === 'nothing') return;
  if (node.disable_power_off) {
    throw Invalid(
      `Node ${node.uuid} must not be switched off (disable_power_off), and ${verb} has to do it to boot ${boots}.`,
    );
  }
  if (boots === 'the ramdisk') {
    validateInterface(node, 'power', around);
    validateRamdisk(node, around);
  }
};

/** What the node forbids. Throws NodeLocked (409), Forbidden (403), Conflict (409), Invalid (400). */
export const checkNode = (node: StoredNode, verb: Verb, around: Around): void => {
  const row = verbs[verb];
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
  if (node.protected && row.unprotected) {
    throw Forbidden(`Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted.`);
  }
  const next = nextState(node.provision_state, row.event);
  // What only changes the state needs nothing of the machine.
  if (row.instead || (next && stateOf({ provision_state: next }).is !== 'resting')) refuseForeign(node);
  requireInterfaces(node, row, around);
  row.check?.(node);
  checkBoots(node, verb, around);
};
