/**
 * The item that says which task token a heartbeat of the agent delivers. It is written in the same transaction that
 * lets the lock of the node go, and removed by whoever delivered it.
 */
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Key, Write } from '../../../layers/platform/table.ts';
import { companions, type Wait } from '../../../layers/store/kinds/companions.ts';
import { deliverTo } from '../../run/wait.ts';

/** What a phase answers that let the agent's call end it. */
export const called = { is: 'heartbeat' } as const;

/** A node waits for one thing at most. */
export const waitKey = (uuid: string): Key => companions.wait.key(uuid);

/** Belongs in the transaction that lets the lock go. */
export const waitWrite = (uuid: string, wait: Wait): Write => companions.wait.put(uuid, wait);

/** Continues the execution that waits for this node's agent, if there is one. */
export const deliver = async (needs: Pick<Platform, 'table' | 'workflows'>, uuid: string): Promise<void> => {
  const wait = await companions.wait.read(needs.table, uuid);
  if (wait) await deliverTo(needs, { key: waitKey(uuid), token: wait.token }, called);
};
