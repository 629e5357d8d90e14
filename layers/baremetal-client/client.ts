/**
 * The Bare Metal API for who has servers on its machines: the only way to them (DESIGN.md 11). Everything may be asked
 * for again: what is done already counts as done.
 */
import { claims } from './claims.ts';
import { type ConversationNeeds, type ConversationOptions, createConversation } from './conversation.ts';
import { nodeReads } from './nodes.ts';
import { powering } from './power.ts';
import { provisioning } from './provision.ts';
import { vifWrites } from './vifs.ts';

export type BaremetalClient = ReturnType<typeof createBaremetalClient>;

/** A client for one request or one phase: it is made anew for each, and costs nothing. */
export const createBaremetalClient = (needs: ConversationNeeds, options: ConversationOptions) => {
  const conversation = createConversation(needs, options);
  return {
    ...nodeReads(conversation),
    ...claims(conversation),
    ...vifWrites(conversation),
    ...provisioning(conversation),
    ...powering(conversation),
  };
};
