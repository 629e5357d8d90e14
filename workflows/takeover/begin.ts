/** The change that a takeover begins with, on the node as it is stored. */
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { Conflict } from '../../layers/domain/fault.ts';
import { refuseForeign } from '../../layers/domain/foreign-types.ts';
import { note } from '../../layers/domain/notes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { own } from '../../layers/store/reservation.ts';

/**
 * A run gets the node, at a time (ISO 8601). The provision state stays. `birth` names the run (layers/store/reservation.ts).
 * Throws NodeLocked (409), Conflict (409) for a node that needs no takeover or has had it, and Invalid (400) for one whose
 * driver has to be converted before.
 */
export const beginTakeover = (node: StoredNode, birth: string, at: string): Partial<StoredNode> => {
  const { state } = note(node, 'takeover') ?? {};
  if (state === undefined) {
    throw Conflict(`Node ${node.uuid} needs no takeover: it was not moved here with an instance.`);
  }
  if (state === 'completed') throw Conflict(`Node ${node.uuid} is taken over.`);
  refuseForeign(node);
  return { ...own(node, birth, 'takeover'), ...noteTakeover(node, 'running', at) };
};
