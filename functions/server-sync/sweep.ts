/** Stored data that belongs to images (layers/store/sweep.ts). */
import type { Platform } from '../../layers/platform/platform.ts';
import { imageObjects, imageObjectsOf } from '../../layers/store/image-objects.ts';
import { tenantKinds } from '../../layers/store/kinds/tenants.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { type Sort, sweep } from '../../layers/store/sweep.ts';

type Needs = Pick<Platform, 'table' | 'objects' | 'clock' | 'log'>;

const dataIn = (table: Platform['table']): Sort => ({
  of: imageObjectsOf,
  named: async (uuid) => {
    const image = await readRecord(table, tenantKinds.image, uuid);
    return image ? imageObjects(image) : [];
  },
});

/** Removes what no image refers to, of one part of them. */
export const sweepImages = async (needs: Needs): Promise<void> =>
  sweep(needs, { 'data of an image': dataIn(needs.table) });
