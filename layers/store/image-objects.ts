/** The stored data of images: objects under `images/`, each named by its image before it is there. */
import type { Platform } from '../platform/platform.ts';
import { tenantKinds, type StoredImage } from './kinds/tenants.ts';
import { type Needs, removeRecord } from './records/change.ts';

/** What the keys of all of them begin with whose image's UUID begins so. */
export const imageObjectsOf = (start: string): string => `images/${start}`;

/** A key that no object had: whoever is late writes to one that nobody reads. `ulid`: a new one. */
export const imageObject = (uuid: string, ulid: string): string => `${imageObjectsOf(uuid)}/${ulid}`;

/** The objects that an image refers to: its data, and what is on its way. */
export const imageObjects = ({ source, upload }: Pick<StoredImage, 'source' | 'upload'>): string[] => {
  const stored = source && 'object' in source ? source.object : undefined;
  return [stored, upload?.object].filter((key) => key !== undefined);
};

/** Removes all that is stored for an image. */
const removeData = async ({ objects }: Pick<Platform, 'objects'>, image: StoredImage): Promise<void> => {
  for (const key of imageObjects(image)) await objects.remove(key);
};

/** Does the rest of a deletion: the data goes before the record that names it. Throws NotFound (404) if another was faster. */
export const finishDeletion = async (needs: Needs & Pick<Platform, 'objects'>, image: StoredImage): Promise<void> => {
  await removeData(needs, image);
  await removeRecord(needs, tenantKinds.image, image.uuid);
};
