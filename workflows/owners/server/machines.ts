/** The way to machines of what is done for a server: a phase, the end of a run, an event of its node. */
import { type BaremetalClient, createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import type { ConversationOptions } from '../../../layers/baremetal-client/conversation.ts';
import type { Invocation } from '../../../layers/platform/platform.ts';
import type { World } from './phase.ts';

/** What a function keeps of its time, ms, for telling what became of its requests. */
const reserve = 15_000;

/** For as long as the function may ask machines for something. */
export const machinesFor = (
  { apis, clock, chance }: Pick<World, 'apis' | 'clock' | 'chance'>,
  about: Required<Pick<ConversationOptions, 'request_id' | 'instance'>>,
  { remaining_ms }: Invocation,
): BaremetalClient => {
  const until = clock.now() + Math.max(0, remaining_ms() - reserve);
  return createBaremetalClient({ call: apis.baremetal, clock, chance }, { ...about, until });
};
