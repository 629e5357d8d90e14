/** The data of images that Ingot stores: objects under `images/`, each named by its image before it is there. */
import { createHash } from 'node:crypto';

import { Conflict, Fault, Invalid, isFault } from '../../layers/domain/fault.ts';
import { saidDigest } from '../../layers/domain/image/digest.ts';
import type { Digest, Upload } from '../../layers/domain/image/image.ts';
import { type ImageEvent, nextStatus } from '../../layers/domain/image/states.ts';
import { imageObject, imageObjects } from '../../layers/store/image-objects.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import type { Deps } from './route.ts';

const kind = tenantKinds.image;

/** The key of the object that is going to be stored. */
export const newObject = ({ ids }: Pick<Deps, 'ids'>, uuid: string): string => imageObject(uuid, ids.ulid());

/** Milliseconds after which a request is over for sure; API Gateway gives up on one after 29 s. */
const requestIsOver = 60_000;

const hash = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex');

/** What is known of bytes that were seen. The MD5 is for clients that compare it. */
export const digestOf = (bytes: Uint8Array): Digest => ({
  checksum: hash('md5', bytes),
  os_hash_algo: 'sha512',
  os_hash_value: hash('sha512', bytes),
});

/** Throws Invalid (400) for bytes that are not what the image says of itself. */
export const refuseOther = ({ properties }: StoredImage, bytes: Uint8Array): void => {
  const said = saidDigest(properties);
  if (!said || !('digest' in said)) return;
  const { os_hash_algo: algorithm, os_hash_value: value } = said.digest;
  if (hash(algorithm, bytes) === value) return;
  throw Invalid(`The data is not what the properties of the image say: its ${algorithm} is another one.`);
};

/** Throws Invalid (400): agents have to know in which form the data is. */
const needFormats = ({ disk_format, container_format }: StoredImage): void => {
  const missing = Object.entries({ disk_format, container_format }).filter(([, value]) => value === null);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(', ');
  throw Invalid(`${missing.length > 1 ? 'Properties' : 'Property'} ${names} must be set prior to saving data.`);
};

const began = ({ status }: StoredImage, event: ImageEvent) =>
  nextStatus(status, event, `Image status transition from ${status} to ${event} is not allowed`);

/**
 * Names the object that is going to be stored, so that no crash leaves one that nobody knows. What the image named before
 * and never got is removed. Throws Invalid (400) without formats, Conflict (409) in another state, and while another
 * request is at it.
 */
export const beginUpload = async (
  deps: Deps,
  uuid: string,
  event: 'save' | 'stage' | 'link',
  upload: Upload,
): Promise<void> => {
  const { before } = await changeRecord(deps, kind, uuid, (image) => {
    needFormats(image);
    const status = began(image, event);
    const isBusy = image.status === 'saving' && upload.at - (image.upload?.at ?? 0) < requestIsOver;
    if (isBusy) throw Conflict(`Image status transition from ${image.status} to saving is not allowed`);
    return { set: { status, upload, size: upload.size ?? null } };
  });
  if (before.upload) await deps.objects.remove(before.upload.object);
};

/** What became of an upload while its data was stored. Throws Gone (410) if the image has another one, or is going. */
const stillOurs = ({ upload, uuid }: StoredImage, object: string): Upload => {
  if (upload?.object === object) return upload;
  throw new Fault('Gone', 410, `Image ${uuid} was given other data, or deleted, while this was stored.`);
};

/** The image has its data: what was uploaded as `object`. Throws Gone (410), NotFound (404). */
export const endUpload = async (
  deps: Deps,
  uuid: string,
  object: string,
  known: Partial<Digest> & { readonly size: number },
): Promise<void> => {
  await changeRecord(deps, kind, uuid, (image) => {
    const { digest } = stillOurs(image, object);
    const event = image.status === 'saving' ? 'saved' : 'staged';
    return { set: { ...digest, ...known, status: began(image, event), source: { object }, upload: null } };
  });
};

/**
 * The upload did not come to an end; the image waits for another one. If it did, and only the answer was lost, the data
 * stays.
 */
export const loseUpload = async (deps: Deps, uuid: string, object: string): Promise<void> => {
  const left = await changeRecord(deps, kind, uuid, (image) =>
    image.upload?.object === object ? { set: { status: began(image, 'lost'), upload: null, size: null } } : undefined,
  ).catch((error: unknown) => {
    if (isFault(error) && error.code === 404) return undefined;
    throw error;
  });
  if (left && imageObjects(left.after).includes(object)) return;
  await deps.objects.remove(object);
};
