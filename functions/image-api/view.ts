/** How images and their members are shown: fields and properties together, times in seconds, paths without a host. */
import * as z from 'zod';

import { image } from '../../layers/domain/image/image.ts';
import { member, type Member } from '../../layers/domain/image/member.ts';
import { projector, type Shown, type Viewer } from '../../layers/domain/projection.ts';
import type { StoredImage } from '../../layers/store/kinds/tenants.ts';

/** Where images are. Glance's own paths leave out whatever stands before /v2, and clients put it there again. */
export const imagesPath = '/v2/images';

export const schemasPath = '/v2/schemas';

/** Glance shows times without fractions of a second. */
const seconds = (time: string): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

const shown: Shown<StoredImage> = {
  id: ({ uuid }) => uuid,
  created_at: ({ created_at: time }) => seconds(time),
  updated_at: ({ created_at, updated_at: time }) => seconds(time ?? created_at),
  self: ({ uuid }) => `${imagesPath}/${uuid}`,
  file: ({ uuid }) => `${imagesPath}/${uuid}/file`,
  schema: () => `${schemasPath}/image`,
};

/** Images in the documents: keys that are no fields are properties. */
export const imageShape = { name: 'Image', rows: image, open: z.string() } as const;
export const memberShape = { name: 'Member', rows: member } as const;

/** Makes the function that shows images. Where its data is, who its members are, and what is on its way, nobody sees. */
export const imageView = (viewer: Viewer): ((record: StoredImage) => Record<string, unknown>) => {
  const show = projector<StoredImage>(image, viewer, 'all', { shown });
  return (record) => ({ ...record.properties, ...show(record) });
};

/** A member of an image, as it is shown. */
export const memberView = (image_id: string, member_id: string, one: Member): Record<string, unknown> => ({
  member_id,
  image_id,
  status: one.status,
  created_at: seconds(one.created_at),
  updated_at: seconds(one.updated_at),
  schema: `${schemasPath}/member`,
});
