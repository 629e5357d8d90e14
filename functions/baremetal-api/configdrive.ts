/**
 * Intake of configdrives by PUT states/provision, in Ironic's three forms (DESIGN.md 6, ironic-api.md 2.7), and as the
 * name of an upload (node/upload.ts).
 */
import * as z from 'zod';

import { buildConfigdrive } from '../../layers/configdrive/index.ts';
import { fromBase64, gzipFlaw, maxImageBytes, pack, toBase64 } from '../../layers/configdrive/packed.ts';
import { type Verb, verbs, verbsTaking } from '../../layers/domain/baremetal/verbs.ts';
import { isUploadReference, uploadNamed } from '../../layers/domain/configdrive.ts';
import { Invalid, isRefusal } from '../../layers/domain/fault.ts';
import { isWebUrl } from '../../layers/domain/instance-image.ts';
import { json } from '../../layers/domain/values.ts';
import { removeConfigdrive as removeObjects, storeConfigdrive as store } from '../../layers/store/configdrives.ts';
import type { Deps } from './route.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import type { Changed } from '../../layers/store/records/change.ts';

const documents = z.strictObject({
  meta_data: json.optional(),
  network_data: json.optional(),
  user_data: z.union([z.string(), json, z.array(z.unknown())]).nullish(),
  vendor_data: json.optional(),
});

/**
 * What to store, base64(gzip(image)) that was read to its end once, with the key of the upload it is from; or a URL to
 * keep as it is. `flaw`: it is none, for which no agent will have a use.
 */
export type Configdrive =
  | { readonly packed: Uint8Array; readonly upload?: string; readonly flaw?: string | undefined }
  | { readonly url: string };

/** Ironic takes an empty value for none. */
const isNone = (given: unknown): boolean =>
  (given ?? '') === '' || (typeof given === 'object' && Object.keys(given as object).length === 0);

const isLink = (given: unknown): boolean => typeof given === 'string' && given.includes('://') && isWebUrl(given);

/** Whether it becomes an object of its own: none is nothing, and a URL is kept as it is. */
export const isStored = (given: unknown): boolean => !isNone(given) && !isLink(given);

/** Whether this target and microversion take this configdrive. Throws Invalid (400). */
export const checkConfigdriveAllowed = (given: unknown, target: Verb, version: number): void => {
  if (isNone(given)) return;
  const fits = verbs[target].body?.configdrive;
  if (!fits) {
    const takers = verbsTaking('configdrive').join(', ');
    throw Invalid(`Adding a config drive is only supported when setting provision state to ${takers}.`);
  }
  if (version < (fits.since ?? 1)) {
    throw Invalid(`Adding a config drive is only supported when ${target}ing since API version 1.${fits.since}.`);
  }
  if (typeof given !== 'object') return;
  if (version < 56) throw Invalid('A configdrive as a JSON object is only supported since API version 1.56.');
  if (version < 59 && Object.hasOwn(given as object, 'vendor_data')) {
    throw Invalid('vendor_data in a configdrive is only supported since API version 1.59.');
  }
};

/** Text is stored as it came, whatever it is, once it has been read as an agent will read it. */
const fromText = async (text: string, otherwise: string): Promise<{ packed: Uint8Array; flaw: string | undefined }> => {
  const bytes = fromBase64(text);
  const flaw = bytes ? await gzipFlaw(bytes, 'configdrive is base64 text, but what it encodes') : otherwise;
  return { packed: Buffer.from(text, bytes ? 'latin1' : 'utf8'), flaw };
};

const fromGzip = async (bytes: Uint8Array) => ({
  flaw: await gzipFlaw(bytes, 'The uploaded configdrive'),
  packed: await toBase64(bytes),
});

/** Whoever uploads may leave base64 out, which is there for JSON only. */
const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * What an upload holds. It is copied when it is stored, because whoever has the link to upload may use it again
 * until it expires. The size is asked first: links of earlier versions had none.
 */
const fromUpload = async ({ objects }: Pick<Deps, 'objects'>, upload: string): Promise<Configdrive> => {
  const size = await objects.size(upload);
  if (size !== undefined && size > maxImageBytes) {
    throw Invalid(`The uploaded configdrive has ${size} bytes, at most ${maxImageBytes} (64 MiB) are possible.`);
  }
  const bytes = size === undefined ? undefined : await objects.get(upload);
  if (!bytes) {
    throw Invalid(
      'configdrive names an upload that this node does not have: PUT the file to upload_url first, within its time, ' +
        'or ask for a new one with POST /v1/nodes/{node}/configdrive.',
    );
  }
  const otherwise = 'The uploaded configdrive is neither gzip nor base64 text.';
  const { packed, flaw } = isGzip(bytes)
    ? await fromGzip(bytes)
    : await fromText(Buffer.from(bytes).toString('latin1'), otherwise);
  if (flaw !== undefined) throw Invalid(flaw);
  return { packed, upload };
};

const fromDocuments = async (given: object, { uuid, name }: StoredNode): Promise<Configdrive> => {
  const parsed = documents.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw Invalid(`configdrive${issue?.path.map((part) => `.${String(part)}`).join('')}: ${issue?.message}`);
  }
  const image = buildConfigdrive(parsed.data, { uuid, name });
  if (image.byteLength > maxImageBytes) {
    throw Invalid(`The configdrive has ${image.byteLength} bytes, at most ${maxImageBytes} (64 MiB) are possible.`);
  }
  return { packed: await pack(image) };
};

/**
 * Reads one of the forms: base64(gzip(image)), an http(s) URL, an object of documents from which an ISO image is
 * built, or the name of an upload of this node, which holds the first form or gzip(image). Returns undefined for none.
 * Any text is taken, as by Ironic, with its `flaw`. Throws Invalid (400) that says which form it took it for and what is
 * wrong; Unavailable (503).
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
  if (isUploadReference(given)) throw Invalid('configdrive is no name of an upload: POST .../configdrive answers one.');
  if (isLink(given)) return { url: given };
  const otherwise = given.includes('://')
    ? 'is a URL, but not an http or https one'
    : 'is neither a URL nor base64 text';
  return fromText(given, `configdrive ${otherwise}.`);
};

/** Stores it as an object of its own unless it is a URL. Returns the value for instance_info.configdrive. */
export const storeConfigdrive = async (
  deps: Pick<Deps, 'objects' | 'ids'>,
  uuid: string,
  configdrive: Configdrive,
): Promise<string> => ('url' in configdrive ? configdrive.url : store(deps, uuid, configdrive.packed));

/** What nobody needs is removed. A failure is logged only: sync does it later (sync/sweep.ts). */
const orLater = async ({ log }: Pick<Deps, 'log'>, uuid: string, removing: Promise<void>): Promise<void> =>
  removing.catch((error: unknown) => log.warn('A configdrive was not removed.', { node: uuid, error }));

/** Removes the objects behind a value of instance_info.configdrive, if they are this node's. */
const removeConfigdrive = async (deps: Pick<Deps, 'objects' | 'log'>, uuid: string, value: unknown): Promise<void> => {
  await orLater(deps, uuid, removeObjects(deps, { uuid, instance_info: { configdrive: value } }));
};

/** Removes the upload that one is from, once a request with it was accepted; a refused one may be sent again. */
const removeUpload = async (
  deps: Pick<Deps, 'objects' | 'log'>,
  uuid: string,
  configdrive: Configdrive | undefined,
): Promise<void> => {
  if (configdrive && 'upload' in configdrive) await orLater(deps, uuid, deps.objects.remove(configdrive.upload));
};

/**
 * Keeps what was given for as long as the node refers to it: it is stored before `record` makes the node do so, with the
 * value for instance_info, and the one that it takes the place of is removed afterwards. If `record` is refused it is
 * removed again. After any other failure the write may have happened, so it stays: better one too many, which sync
 * sweeps, than a node without its own. Throws Invalid (400), Unavailable (503), and what `record` throws.
 */
export const keepConfigdrive = async (
  deps: Pick<Deps, 'objects' | 'ids' | 'log'>,
  node: StoredNode,
  given: unknown,
  record: (value: string | undefined, flaw?: string) => Promise<Changed<StoredNode>>,
): Promise<Changed<StoredNode>> => {
  const configdrive = await readConfigdrive(deps, given, node);
  if (!configdrive) return record(undefined);
  const value = await storeConfigdrive(deps, node.uuid, configdrive);
  const flaw = 'flaw' in configdrive ? configdrive.flaw : undefined;
  const changed = await record(value, flaw).catch(async (error: unknown) => {
    if (isRefusal(error)) await removeConfigdrive(deps, node.uuid, value);
    throw error;
  });
  await removeConfigdrive(deps, node.uuid, changed.before.instance_info['configdrive']);
  await removeUpload(deps, node.uuid, configdrive);
  return changed;
};
