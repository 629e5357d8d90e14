/**
 * From where an image gets its data without sending it: a URL from which agents fetch it, or what was staged before. Who
 * says a URL has to say what its data hashes to: nobody of ours looks at it, so nobody else could.
 */
import * as z from 'zod';

import { Conflict, Invalid } from '../../layers/domain/fault.ts';
import { howToSay, readDigest, saidDigest, type Said } from '../../layers/domain/image/digest.ts';
import type { Digest } from '../../layers/domain/image/image.ts';
import { nextStatus } from '../../layers/domain/image/states.ts';
import { check } from '../../layers/domain/schema.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { endUpload } from './data.ts';
import { findImage } from './find.ts';
import { importMethods, type ImportMethod } from './info.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { checkSourceUrl } from './source-url.ts';
import { imagesPath } from './view.ts';

const kind = tenantKinds.image;
const at = `${imagesPath}/{image_id}` as const;

const needsQueued = (method: string) => Conflict(`Image needs to be in 'queued' state to use '${method}' method`);

/** Throws Conflict (409) in Glance's words, which here are other ones than for data that is sent. */
const formatsFirst = (image: StoredImage): void => {
  const missing = (['container_format', 'disk_format'] as const).find((name) => image[name] === null);
  if (missing) throw Conflict(`'${missing}' needs to be set before import`);
};

/** The image has its data at a URL. Throws Invalid (400), Conflict (409). */
const locate = async (deps: Deps, { target, subject }: Call<unknown, StoredImage>, url: string, told?: Digest) => {
  checkSourceUrl(deps.config, subject, 'uri', url);
  await changeRecord(deps, kind, target.uuid, (image) => {
    if (image.status !== 'queued') throw needsQueued('web-download');
    formatsFirst(image);
    const said: Said | undefined = told ? { digest: told } : saidDigest(image.properties);
    if (!said) throw Invalid(`Nobody could check the data at this URL without its checksum. ${howToSay}`);
    if ('checksum_url' in said) checkSourceUrl(deps.config, subject, 'image_checksum', said.checksum_url);
    const known = 'digest' in said ? said.digest : {};
    const source = { url, ...('checksum_url' in said && said) };
    return { set: { ...known, source, status: nextStatus(image.status, 'locate', '') } };
  });
};

/** What was staged, or sent to a link, becomes the data. Throws Conflict (409) if nothing was. */
const takeStaged = async (deps: Deps, { target }: Call<unknown, StoredImage>): Promise<void> => {
  const { status, upload, uuid } = target;
  if (status !== 'uploading' || !upload) {
    throw Conflict("Image needs to be staged before 'glance-direct' method can be used");
  }
  const size = upload.size ?? (await deps.objects.size(upload.object));
  if (size === undefined) {
    throw Conflict('Nothing was sent to the link for this image yet. PUT the data there first, or ask for a new link.');
  }
  await endUpload(deps, uuid, upload.object, { size });
};

const importBody = z.looseObject({ method: z.looseObject({ name: z.string(), uri: z.string().optional() }) });

/** Clients send these for images in several stores; there is one. */
const storeKeys = z.looseObject({
  stores: z.array(z.string()).max(0).nullish(),
  all_stores: z.boolean().nullish(),
  all_stores_must_succeed: z.boolean().nullish(),
});

const isMethod = (name: string): name is ImportMethod => (importMethods as readonly string[]).includes(name);

/** With the hash or without; as Glance has it, both halves or none. */
const locationBody = z.strictObject({
  url: z.string(),
  validation_data: z.strictObject({ os_hash_algo: z.string(), os_hash_value: z.string() }).partial().nullish(),
});

/** Throws Invalid (400). */
const toldDigest = ({ validation_data: told }: z.output<typeof locationBody>): Digest | undefined => {
  const { os_hash_algo: algorithm, os_hash_value: value } = told ?? {};
  if (algorithm === undefined && value === undefined) return undefined;
  if (algorithm === undefined || value === undefined) {
    throw Invalid('validation_data needs os_hash_algo and os_hash_value, or neither.');
  }
  return readDigest('os_hash_value', value, algorithm);
};

export const importRoutes: readonly Route[] = [
  route<z.output<typeof importBody>, StoredImage>({
    at: `POST ${at}/import`,
    policy: 'modify_image',
    status: 202,
    find: findImage,
    body: importBody,
    doc: 'Gives the image the data at a URL (web-download), or what was staged (glance-direct).',
    handle: async (deps, call) => {
      const { name, uri } = call.body.method;
      if (!isMethod(name)) throw Invalid(`Unknown import method name '${name}'.`);
      check(storeKeys, call.body);
      if (name === 'glance-direct') await takeStaged(deps, call);
      else if (call.target.status !== 'queued') throw needsQueued(name);
      else await locate(deps, call, uri ?? '');
      return {};
    },
  }),
  route<z.output<typeof locationBody>, StoredImage>({
    at: `POST ${at}/locations`,
    policy: 'add_image_location',
    status: 202,
    find: findImage,
    body: locationBody,
    doc: 'Gives the image the data at a URL, with its hash.',
    handle: async (deps, call) => {
      const told = toldDigest(call.body);
      if (call.target.status !== 'queued') {
        throw Conflict(`It's not allowed to add locations if image status is ${call.target.status}.`);
      }
      await locate(deps, call, call.body.url, told);
      return {};
    },
  }),
  route<undefined, StoredImage>({
    at: `GET ${at}/locations`,
    policy: 'fetch_image_location',
    find: findImage,
    doc: 'Where the data can be fetched from for a while: for services, which tell machines.',
    handle: async ({ objects, config }, { target: { source } }) => {
      if (source === null) return { body: [] };
      if ('url' in source) {
        const { url, checksum_url } = source;
        return { body: [{ url, metadata: { ...(checksum_url !== undefined && { checksum_url }) } }] };
      }
      return { body: [{ url: await objects.link(source.object, config.linkSeconds), metadata: {} }] };
    },
  }),
];
