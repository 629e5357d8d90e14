/**
 * Intake of configdrives by PUT states/provision, in Ironic's three forms (DESIGN.md 6, ironic-api.md 2.7), and as the
 * name of an upload (node/upload.ts).
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as z from 'zod';

import { buildConfigdrive } from '../../layers/configdrive/index.ts';
import {
  configdriveKey,
  configdriveObject,
  configdriveReference,
  uploadNamed,
} from '../../layers/domain/configdrive.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { isWebUrl } from '../../layers/domain/image.ts';
import { json } from '../../layers/domain/values.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import type { Deps } from './route.ts';

/** What the agent's partition holds (ironic-deploy.md 5); a larger image would fail at the end of the deploy. */
const maxBytes = 64 * 1024 * 1024;

const unzip = promisify(gunzip);

const documents = z.strictObject({
  meta_data: json.optional(),
  network_data: json.optional(),
  user_data: z.union([z.string(), json, z.array(z.unknown())]).nullish(),
  vendor_data: json.optional(),
});

/** As given: the bytes of an image to store, with the key of the upload they are from, or a URL to keep as it is. */
export type Configdrive = { readonly image: Uint8Array; readonly upload?: string } | { readonly url: string };

/** Ironic takes an empty value for none. */
const isNone = (given: unknown): boolean =>
  (given ?? '') === '' || (typeof given === 'object' && Object.keys(given as object).length === 0);

/**
 * Whether this target and microversion take this configdrive. Throws Invalid (400). `deploy`, the newer name of
 * `active`, takes none, as in Ironic.
 */
export const checkConfigdriveAllowed = (given: unknown, target: string, version: number): void => {
  if (isNone(given)) return;
  if (target !== 'active' && target !== 'rebuild') {
    throw Invalid('Adding a config drive is only supported when setting provision state to active, rebuild.');
  }
  if (target === 'rebuild' && version < 35) {
    throw Invalid('Adding a config drive is only supported when rebuilding since API version 1.35.');
  }
  if (typeof given !== 'object') return;
  if (version < 56) throw Invalid('A configdrive as a JSON object is only supported since API version 1.56.');
  if (version < 59 && Object.hasOwn(given as object, 'vendor_data')) {
    throw Invalid('vendor_data in a configdrive is only supported since API version 1.59.');
  }
};

const limited = (image: Uint8Array): Configdrive => {
  if (image.byteLength > maxBytes) {
    throw Invalid(`The configdrive has ${image.byteLength} bytes, at most ${maxBytes} (64 MiB) are possible.`);
  }
  return { image };
};

const isTooLarge = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/** `maxOutputLength` ends the work on a compression bomb as soon as it has given too much. `what` holds the file. */
const fromGzip = async (bytes: Uint8Array, what: string): Promise<Uint8Array> => {
  const image = await unzip(bytes, { maxOutputLength: maxBytes }).catch((error: unknown) => {
    if (isTooLarge(error)) throw Invalid(`The configdrive has more than ${maxBytes} bytes (64 MiB) uncompressed.`);
    throw Invalid(`${what} is not a gzip file.`, error);
  });
  if (image.byteLength === 0) throw Invalid('The configdrive is an empty file.');
  return image;
};

const fromText = async (text: string, otherwise: string): Promise<Uint8Array> => {
  const base64 = text.replace(/\s+/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw Invalid(otherwise);
  }
  return fromGzip(Buffer.from(base64, 'base64'), 'configdrive is base64 text, but what it encodes');
};

/** Whoever uploads may leave base64 out, which is there for JSON only. */
const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The image of an upload. It is copied when it is stored, because whoever has the link to upload may use it again
 * until it expires. The size is asked first: S3 takes 5 GB.
 */
const fromUpload = async ({ objects }: Pick<Deps, 'objects'>, upload: string): Promise<Configdrive> => {
  const size = await objects.size(upload);
  if (size !== undefined && size > maxBytes) {
    throw Invalid(`The uploaded configdrive has ${size} bytes, at most ${maxBytes} (64 MiB) are possible.`);
  }
  const bytes = size === undefined ? undefined : await objects.get(upload);
  if (!bytes) {
    throw Invalid(
      'configdrive names an upload that this node does not have: PUT the file to upload_url first, within its time, ' +
        'or ask for a new one with POST /v1/nodes/{node}/configdrive.',
    );
  }
  const image = isGzip(bytes)
    ? await fromGzip(bytes, 'The uploaded configdrive')
    : await fromText(
        Buffer.from(bytes).toString('latin1'),
        'The uploaded configdrive is neither gzip nor base64 text.',
      );
  return { image, upload };
};

const fromDocuments = (given: object, { uuid, name }: StoredNode): Configdrive => {
  const parsed = documents.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw Invalid(`configdrive${issue?.path.map((part) => `.${String(part)}`).join('')}: ${issue?.message}`);
  }
  return limited(buildConfigdrive(parsed.data, { uuid, name }));
};

/**
 * Reads one of the forms: base64(gzip(image)), an http(s) URL, an object of documents from which an ISO image is
 * built, or the name of an upload of this node, which holds the first form or gzip(image). Returns undefined for none.
 * Throws Invalid (400) that says which form it took it for and what is wrong; Unavailable (503).
 */
export const readConfigdrive = async (
  deps: Pick<Deps, 'objects'>,
  given: unknown,
  node: StoredNode,
): Promise<Configdrive | undefined> => {
  if (isNone(given)) return undefined;
  if (typeof given === 'object' && !Array.isArray(given)) return fromDocuments(given as object, node);
  if (typeof given !== 'string') throw Invalid('configdrive must be an object, a URL or base64 text.');
  const upload = uploadNamed(node.uuid, given);
  if (upload !== undefined) return fromUpload(deps, upload);
  if (!given.includes('://')) {
    return { image: await fromText(given, 'configdrive is neither a URL nor base64 text.') };
  }
  if (!isWebUrl(given)) throw Invalid('configdrive is a URL, but not an http or https one.');
  return { url: given };
};

/** Stores an image as an object of its own. Returns the value for instance_info.configdrive. */
export const storeConfigdrive = async (
  { objects, ids }: Pick<Deps, 'objects' | 'ids'>,
  uuid: string,
  configdrive: Configdrive,
): Promise<string> => {
  if ('url' in configdrive) return configdrive.url;
  const key = configdriveKey(uuid, ids.ulid());
  await objects.put(key, configdrive.image, 'application/octet-stream');
  return configdriveReference(key);
};

/** Removes an object that nobody needs. A failure is logged only: sync removes it later (sync/sweep.ts). */
const remove = async ({ objects, log }: Pick<Deps, 'objects' | 'log'>, uuid: string, key: string): Promise<void> => {
  await objects
    .remove(key)
    .catch((error: unknown) => log.warn('A configdrive was not removed.', { node: uuid, error }));
};

/** Removes the object behind a value of instance_info.configdrive, if it is one of this node. */
export const removeConfigdrive = async (
  deps: Pick<Deps, 'objects' | 'log'>,
  uuid: string,
  value: unknown,
): Promise<void> => {
  const key = configdriveObject({ uuid, instance_info: { configdrive: value } });
  if (key !== undefined) await remove(deps, uuid, key);
};

/** Removes the upload that an image is from, once a request with it was accepted; a refused one may be sent again. */
export const removeUpload = async (
  deps: Pick<Deps, 'objects' | 'log'>,
  uuid: string,
  configdrive: Configdrive | undefined,
): Promise<void> => {
  if (configdrive && 'upload' in configdrive) await remove(deps, uuid, configdrive.upload);
};
