/**
 * The item that says which task token a heartbeat of the agent delivers. It is written in the same transaction that
 * lets the lock of the node go, and removed by whoever delivered it.
 */
import type { Platform } from '../../../layers/platform/platform.ts';
import { equals, isConditionFailed, type Key, type Write } from '../../../layers/platform/table.ts';
import { nodePartition } from '../../../layers/store/kinds/key.ts';

export type Wait = { readonly token: string; readonly phase: string; readonly run: string; readonly since: string };

/** What a phase answers that let the agent's call end it. */
export const called = { is: 'heartbeat' } as const;

/** A node waits for one thing at most. */
export const waitKey = (uuid: string): Key => ({ pk: nodePartition(uuid), sk: 'wait' });

/** Belongs in the transaction that lets the lock go. */
export const waitWrite = (uuid: string, wait: Wait): Write => ({ put: { ...waitKey(uuid), ...wait } });

type Needs = Pick<Platform, 'table' | 'workflows'>;

/**
 * Continues the execution that waits for this node's agent, if there is one. The token is delivered before the item
 * goes: a process that dies in between delivers it again, which is harmless.
 */
export const deliver = async ({ table, workflows }: Needs, uuid: string): Promise<void> => {
  const wait = (await table.get(waitKey(uuid))) as (Key & Wait) | undefined;
  if (!wait) return;
  await workflows.succeed(wait.token, called);
  await table.write([{ delete: waitKey(uuid), when: [equals('token', wait.token)] }]).catch((error: unknown) => {
    // A newer wait has taken its place.
    if (!isConditionFailed(error)) throw error;
  });
};
