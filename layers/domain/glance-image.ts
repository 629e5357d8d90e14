/** An image of an Image API (Glance v2), as instance_info.image_source names it: what a deploy takes from it. Pure. */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import { diskFormats, isWebUrl } from './instance-image.ts';

/** Empty text says as little as null. */
const said = z
  .string()
  .nullish()
  .transform((value) => value || null);

const place = z.object({ url: z.string(), metadata: z.object({ checksum_url: said }).partial().default({}) });

/** What is read of an image as its API shows it; properties stand among the fields. */
export const glanceImage = z.object({
  id: z.string(),
  status: z.string(),
  owner: said,
  visibility: said,
  disk_format: said,
  container_format: said,
  min_disk: z
    .number()
    .nullish()
    .transform((value) => value ?? 0),
  checksum: said,
  os_hash_algo: said,
  os_hash_value: said,
  kernel_id: said,
  ramdisk_id: said,
  img_type: said,
  /** Both only where an operator of Glance has them shown. */
  direct_url: said,
  locations: z.array(place).default([]),
});

export type GlanceImage = z.output<typeof glanceImage>;

/** Where the data of an image can be fetched from. Ingot's own Image API tells of a file with its checksum besides. */
export const glancePlaces = z.array(place);

/** An image and where an agent fetches its data from: the URL is a secret. */
export type FoundImage = {
  readonly image: GlanceImage;
  readonly url: string;
  readonly checksum_url: string | null;
};

type Info = Readonly<Record<string, unknown>>;

/** The first of these that an agent can fetch from. */
export const fetchable = (places: z.output<typeof glancePlaces>): Omit<FoundImage, 'image'> | undefined => {
  const found = places.find(({ url }) => isWebUrl(url));
  return found && { url: found.url, checksum_url: found.metadata.checksum_url ?? null };
};

/** Whether a project sees an image; undefined: its members have to be asked for. */
export const isSeen = ({ visibility, owner }: GlanceImage, project: string): boolean | undefined => {
  if (owner === project || visibility === 'public' || visibility === 'community') return true;
  return visibility === 'shared' ? undefined : false;
};

const wholeNumber = (value: unknown): number | undefined =>
  (typeof value === 'string' && /^\d{1,9}$/.test(value)) || Number.isSafeInteger(value) ? Number(value) : undefined;

/** Throws Invalid (400) for an image that no machine, or not this one, can be made of. `properties`: of the node. */
export const checkGlanceImage = ({ image, checksum_url }: FoundImage, properties: Info): void => {
  const { id, disk_format: format, min_disk } = image;
  const refuse = (why: string) => Invalid(`Image ${id} ${why}.`);
  if (!image.os_hash_value && !image.checksum && !checksum_url) {
    throw refuse('has no checksum, so nobody could tell whether what is written is what was meant');
  }
  if (format === null || !diskFormats.includes(format)) {
    throw refuse(`has the disk format ${format ?? 'null'}; agents write ${diskFormats.join(', ')}`);
  }
  const disk = wholeNumber(properties['local_gb']);
  if (disk !== undefined && disk < min_disk) {
    throw refuse(`needs a disk of ${min_disk} GB (min_disk); properties.local_gb of the node says ${disk}`);
  }
};

/** The disk of a partition image is told to the agent with it; a kernel or a ramdisk beside an image makes it one. */
const typeOf = ({ img_type: type, kernel_id: kernel, ramdisk_id: ramdisk }: GlanceImage): string =>
  type ?? (kernel === null && ramdisk === null ? 'whole-disk' : 'partition');

/**
 * instance_info as it would be if somebody had written the URL and all that is known of the image there (as Ironic does,
 * which stores it so). It holds a secret: it is made anew for each use, and never stored.
 */
export const withImage = (info: Info, { image, url, checksum_url }: FoundImage): Info => ({
  ...info,
  image_source: url,
  image_disk_format: image.disk_format,
  image_container_format: image.container_format,
  image_checksum: image.checksum ?? checksum_url,
  image_os_hash_algo: image.os_hash_algo,
  image_os_hash_value: image.os_hash_value,
  image_type: info['image_type'] ?? typeOf(image),
  kernel: image.kernel_id ?? info['kernel'],
  ramdisk: image.ramdisk_id ?? info['ramdisk'],
});
