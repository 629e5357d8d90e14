/**
 * The item that says which task token a heartbeat of the agent delivers. It is written in the same transaction that
 * lets the lock of the node go, and removed by whoever delivered it.
 */
import type { Platform } from '../layers/platform/platform.ts';
import { equals, isConditionFailed } from '../layers/platform/table.ts';
import { companions } from '../layers/store/kinds/companions.ts';

/** A node waits for one thing at most. */
export const waitKey = companions.wait.key;

/** Belongs in the transaction that lets the lock go. */
export const waitWrite = companions.wait.put;

type Needs = Pick<Platform, 'table' | 'workflows'>;

/**
 * Continues the execution that waits for this node's agent, if there is one. The token is delivered before the item
 * goes: a process that dies in between delivers it again, which is harmless.
 */
export const deliver = async ({ table, workflows }: Needs, uuid: string): Promise<void> => {
  const wait = await companions.wait.read(table, uuid);
  if (!wait) return;
  await workflows.succeed(wait.token, { is: 'heartbeat' });
  await table.write([{ delete: waitKey(uuid), when: [equals('token', wait.token)] }]).catch((error: unknown) => {
    // A newer wait has taken its place.
    if (!isConditionFailed(error)) throw error;
  });
};
