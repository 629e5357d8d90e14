/**
 * The guest document of each machine that somebody has, as an object of its own: whoever may read the store needs
 * no API. Whatever changes what it tells marks it stale in the same write (`stamps` of the kind node), so that a write
 * of it that fails, or that nobody lived to make, is made by `sync`.
 */
import { hasGuest, makeStale, staleBy } from '../domain/baremetal/guest.ts';
import { forget } from '../domain/notes.ts';
import { release } from '../domain/release.ts';
import { isoTime } from '../domain/values.ts';
import { keepsVifs } from '../domain/vifs.ts';
import { renderGuestDocument } from '../guest/guest-document.ts';
import type { GuestMetadata } from '../guest/metadata.ts';
import { metadataOf } from '../guest/told.ts';
import type { Platform } from '../platform/platform.ts';
import type { Table } from '../platform/table.ts';
import { kinds } from './kinds/kinds.ts';
import type { StoredNode } from './nodes.ts';
import { changeRecord, type Changed, type Needs as Changing } from './records/change.ts';
import { vifsOf } from './vifs.ts';

/** What the keys of all documents begin with whose node's UUID begins so. */
export const guestDocumentsOf = (start: string): string => `guest-metadata/${start}`;

/** The object that holds the document of a node. */
export const guestDocumentKey = (uuid: string): string => `${guestDocumentsOf(uuid)}.xml`;

/** What is known of the guest on a machine. */
export const guestOf = async (table: Table, node: StoredNode): Promise<GuestMetadata> =>
  metadataOf(node, keepsVifs(node) ? await vifsOf(table, node.uuid) : null, release);

type Storing = { readonly objects: Pick<Platform['objects'], 'put' | 'remove'> } & Pick<
  Platform,
  'table' | 'clock' | 'log'
>;

/** What has to be noted on the node, as it then is, once the document was written. */
export type Settled = (fresh: StoredNode) => Partial<StoredNode>;

const store = async ({ table, objects }: Storing, node: StoredNode): Promise<void> => {
  const key = guestDocumentKey(node.uuid);
  if (!hasGuest(node)) return objects.remove(key);
  const text = renderGuestDocument(await guestOf(table, node));
  await objects.put(key, Buffer.from(text), 'application/xml');
};

/**
 * Makes the stored document what the node's record says, or removes it. Never throws: then, and if somebody else has
 * changed the node meanwhile, so that nobody knows who wrote last, it stays or becomes stale, and `sync` writes it.
 */
export const settleGuest = async (platform: Storing, node: StoredNode): Promise<Settled> => {
  const wasStale = staleBy(node);
  const now = () => isoTime(platform.clock.now());
  try {
    await store(platform, node);
  } catch (error) {
    platform.log.warn('A guest document was not written, sync will do it.', { node: node.uuid, error });
    return (fresh) => (staleBy(fresh) === undefined ? makeStale(fresh, now()) : {});
  }
  return (fresh) => (staleBy(fresh) === wasStale ? forget(fresh, 'document') : makeStale(fresh, now()));
};

/** The same, with the note in a write of its own. Answers the node as it then is. */
export const writeGuest = async (platform: Storing & Changing, node: StoredNode): Promise<StoredNode> => {
  const settled = await settleGuest(platform, node);
  const { after } = await changeRecord(platform, kinds.node, node.uuid, (fresh) => {
    const set = settled(fresh);
    return staleBy({ ...fresh, ...set }) === staleBy(fresh) ? undefined : { set };
  });
  return after;
};

/**
 * After a change of a node by a client: if that made the document stale, it is written. Never throws, because the change
 * is made. Answers the node as it then is.
 */
export const followGuest = async (
  platform: Storing & Changing,
  { before, after }: Changed<StoredNode>,
): Promise<StoredNode> => {
  if (staleBy(after) === undefined || staleBy(after) === staleBy(before)) return after;
  return writeGuest(platform, after).catch((error: unknown) => {
    platform.log.warn('A guest document was not written, sync will do it.', { node: after.uuid, error });
    return after;
  });
};
