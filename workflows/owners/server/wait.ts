/** Runs of servers wait for events of their nodes, by a task token that stands with the server. */
import type { Platform } from '../../../layers/platform/platform.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import { deliverTo } from '../../run/wait.ts';

/** What a phase answers that an event ended; what became of the node, the next one looks itself. */
const told = { is: 'told' } as const;

/** Continues the execution that waits for something to become of this server's node, if one does. */
export const deliver = async (needs: Pick<Platform, 'table' | 'workflows'>, server: string): Promise<void> =>
  deliverTo(needs, serverCompanions.wait.key(server), told);
