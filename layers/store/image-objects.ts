/** The stored data of images: objects under `images/`, each named by its image before it is there. */
import type { StoredImage } from './kinds/tenants.ts';

/** What the keys of all of them begin with whose image's UUID begins so. */
export const imageObjectsOf = (start: string): string => `images/${start}`;

/** A key that no object had: whoever is late writes to one that nobody reads. `ulid`: a new one. */
export const imageObject = (uuid: string, ulid: string): string => `${imageObjectsOf(uuid)}/${ulid}`;

/** The objects that an image refers to: its data, and what is on its way. */
export const imageObjects = ({ source, upload }: Pick<StoredImage, 'source' | 'upload'>): string[] => {
  const stored = source && 'object' in source ? source.object : undefined;
  return [stored, upload?.object].filter((key) => key !== undefined);
};
