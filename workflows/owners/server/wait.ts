/** Runs of servers wait for events of their nodes, by a task token that stands with the server. */
import type { Platform } from '../../../layers/platform/platform.ts';
import { type ServerWait, serverCompanions } from '../../../layers/store/kinds/companions.ts';
import { deliverTo } from '../../run/wait.ts';

/** What a phase answers that an event ended; what became of the node, the next one looks itself. */
export const told = { is: 'told' } as const;

/**
 * Continues the execution that waits for something to become of this server's node, if it waits for one of these. Answers
 * whether one waits, for whatever.
 */
export const deliver = async (
  needs: Pick<Platform, 'table' | 'workflows'>,
  server: string,
  about: readonly ServerWait['about'][],
): Promise<boolean> => {
  const wait = await serverCompanions.wait.read(needs.table, server);
  if (!wait) return false;
  const { token } = wait;
  if (about.includes(wait.about)) await deliverTo(needs, { key: serverCompanions.wait.key(server), token }, told);
  return true;
};
