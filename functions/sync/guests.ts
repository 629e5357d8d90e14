/** Writes the guest documents that could not be written when they had to be, or that nobody lived to write. */
import { note } from '../../layers/domain/notes.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { writeGuest } from '../../layers/store/guest-documents.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { uuidsIn } from '../../layers/store/records/list.ts';

/** Whoever made it stale may be about to write it: that is how long the functions run that do so, ms. */
const patience = 150_000;

const atOnce = 16;

type Needs = Pick<Platform, 'table' | 'objects' | 'clock' | 'chance' | 'ids' | 'log'>;

const settleOne = async (needs: Needs, uuid: string): Promise<void> => {
  const node = await readRecord(needs.table, kinds.node, uuid);
  const since = node && note(node, 'guest_metadata_stale')?.since;
  if (since !== undefined && needs.clock.now() - Date.parse(since) >= patience) await writeGuest(needs, node!);
};

/** All of them; one that fails again is for the next round. */
export const settleGuests = async (needs: Needs): Promise<void> => {
  const uuids = await uuidsIn(needs.table, kinds.node, [{ index: 'stale_guest', value: '' }]);
  for (let at = 0; at < uuids.length; at += atOnce) {
    await Promise.all(uuids.slice(at, at + atOnce).map(async (uuid) => settleOne(needs, uuid)));
  }
};
