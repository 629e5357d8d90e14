/** Images whose deletion was cut off, and stored data that belongs to none (layers/store/sweep.ts). */
import { isFault } from '../../layers/domain/fault.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { finishDeletion, imageObjects, imageObjectsOf } from '../../layers/store/image-objects.ts';
import { tenantKinds } from '../../layers/store/kinds/tenants.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { uuidsIn } from '../../layers/store/records/list.ts';
import { type Sort, sweep } from '../../layers/store/sweep.ts';

type Needs = Pick<Platform, 'table' | 'objects' | 'clock' | 'log' | 'chance' | 'ids'>;

const dataIn = (table: Platform['table']): Sort => ({
  of: imageObjectsOf,
  named: async (uuid) => {
    const image = await readRecord(table, tenantKinds.image, uuid);
    return image ? imageObjects(image) : [];
  },
});

const deleteImage = async (needs: Needs, uuid: string): Promise<void> => {
  const image = await readRecord(needs.table, tenantKinds.image, uuid);
  if (image?.status !== 'pending_delete') return;
  await finishDeletion(needs, image).catch((error: unknown) => {
    if (!isFault(error) || error.code !== 404) throw error;
  });
  needs.log.info('The rest of the deletion of an image was done.', { image: uuid });
};

/** Does the rest of deletions that were cut off; one that is under way comes to the same end. */
export const deleteImages = async (needs: Needs): Promise<void> => {
  for (const uuid of await uuidsIn(needs.table, tenantKinds.image, [{ index: 'going', value: '' }]))
    await deleteImage(needs, uuid);
};

/** Removes what no image refers to, of one part of them. */
export const sweepImages = async (needs: Needs): Promise<void> =>
  sweep(needs, { 'data of an image': dataIn(needs.table) });
