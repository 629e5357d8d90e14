/** The guest document in the course of a run (layers/store/guest-documents.ts). */
import { settleGuest } from '../../../layers/store/guest-documents.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Answers } from '../../run/phase.ts';
import type { Phase } from './phase.ts';

/**
 * The phase, which besides makes the guest document what the node's record says. What that leaves to be noted is part of
 * the write that ends the phase.
 */
export const withGuestDocument = <A extends Answers>(phase: Phase<A>): Phase<A> => ({
  ...phase,
  run: async (context) => {
    const settled = await settleGuest(context.platform, context.node);
    const outcome = await phase.run(context);
    if (outcome.is === 'wait') return outcome;
    const change = (node: StoredNode): Partial<StoredNode> => {
      const changed = outcome.change?.(node) ?? {};
      return { ...changed, ...settled({ ...node, ...changed }) };
    };
    return { ...outcome, change };
  },
});
