/**
 * The item that says which task token a heartbeat of the agent delivers. It is written in the same transaction that
 * lets the lock of the node go, and removed by whoever delivered it.
 */
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Key, Write } from '../../../layers/platform/table.ts';
import { nodePartition } from '../../../layers/store/kinds/key.ts';
import { deliverTo } from '../../run/wait.ts';

export type Wait = { readonly token: string; readonly phase: string; readonly run: string; readonly since: string };

/** What a phase answers that let the agent's call end it. */
export const called = { is: 'heartbeat' } as const;

/** A node waits for one thing at most. */
export const waitKey = (uuid: string): Key => ({ pk: nodePartition(uuid), sk: 'wait' });

/** Belongs in the transaction that lets the lock go. */
export const waitWrite = (uuid: string, wait: Wait): Write => ({ put: { ...waitKey(uuid), ...wait } });

/** Continues the execution that waits for this node's agent, if there is one. */
export const deliver = async (needs: Pick<Platform, 'table' | 'workflows'>, uuid: string): Promise<void> =>
  deliverTo(needs, waitKey(uuid), called);
