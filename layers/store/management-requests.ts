/**
 * Requests to hardware that hold the lock of a node without owning its provisioning, kept with the node until they end:
 * so `sync` can start a run that was recorded but never started, and free the lock of a request that died.
 */
import type { Table, Write } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';

/** What the workflow `management` does. An image's URL may hold a signature: only `action` travels through the run. */
export type ManagementRequest =
  | { readonly action: 'boot_mode'; readonly mode: 'uefi' | 'bios' }
  | { readonly action: 'secure_boot'; readonly enabled: boolean }
  | { readonly action: 'attach_media'; readonly slot: 'cd' | 'usb'; readonly image: string }
  | { readonly action: 'detach_media'; readonly slots: readonly ('cd' | 'usb' | 'all')[] };

/** A client waits for its answer; after `until` (milliseconds since the epoch) nobody does any more. */
export type DirectRequest = { readonly action: 'direct'; readonly until: number };

/** A node has one at most: it belongs to the lock. */
export const managementRequestKey = companions.management_request.key;

/** Written in the transaction that takes the lock for `run`. */
export const managementRequestWrite = (uuid: string, run: string, request: ManagementRequest | DirectRequest): Write =>
  companions.management_request.put(uuid, { run, request });

/** The request that belongs to `run`; undefined if the lock is not for one, or for one that ended. */
export const readManagementRequest = async (
  table: Pick<Table, 'get'>,
  uuid: string,
  run: string,
): Promise<ManagementRequest | DirectRequest | undefined> => {
  const kept = await companions.management_request.read(table, uuid);
  return kept?.run === run ? kept.request : undefined;
};
