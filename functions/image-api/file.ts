/** The data of an image through the API itself, as far as a request can hold it. */
import { Forbidden, isFault } from '../../layers/domain/fault.ts';
import { allows } from '../../layers/domain/policy.ts';
import type { StoredImage } from '../../layers/store/kinds/tenants.ts';
import { beginUpload, digestOf, endUpload, loseUpload, newObject, refuseOther } from './data.ts';
import { findImage } from './find.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { imagesPath } from './view.ts';

const at = `${imagesPath}/{image_id}` as const;

/** Bytes of a body. Fewer get through: Lambda takes 6 MB with the body in base64; the gateway refuses the rest (413). */
const mostBytes = 10 * 1024 * 1024;

/** Seconds that a link to download works until it is followed. */
export const downloadSeconds = 15 * 60;

/** Stores the bytes of a request; `known` goes into the record with the end. */
const store = async (deps: Deps, { target, raw }: Call<undefined, StoredImage>, event: 'save' | 'stage') => {
  const bytes = raw.bytes(mostBytes);
  // A client whose standard input is no terminal sends what is in it, which often is nothing.
  if (bytes.length === 0) return;
  refuseOther(target, bytes);
  const { uuid } = target;
  const object = newObject(deps, uuid);
  const known = { ...digestOf(bytes), size: bytes.length };
  const { size, ...digest } = known;
  await beginUpload(deps, uuid, event, { object, at: deps.clock.now(), ...(event === 'stage' && { digest, size }) });
  try {
    await deps.objects.put(object, bytes);
    if (event === 'save') await endUpload(deps, uuid, object, known);
  } catch (error) {
    await loseUpload(deps, uuid, object).catch((lost: unknown) => {
      if (!isFault(lost) || lost.code !== 404) deps.log.warn('An upload was not taken back.', { image: uuid, lost });
    });
    throw error;
  }
};

/** Throws Forbidden (403) for data that is not for this caller, or not ours to give. */
const objectOf = ({ status, source }: StoredImage, { subject }: Pick<Call, 'subject'>): string | undefined => {
  if (status === 'deactivated' && !allows('deactivate', subject)) {
    throw Forbidden('The requested image has been deactivated. Image data download is forbidden.');
  }
  if (source === null) return undefined;
  if ('object' in source) return source.object;
  throw Forbidden('The data of this image is at a URL, from which machines fetch it. Ingot does not have it.');
};

/** A link to the data, which is a secret; undefined if there is none yet. Throws Forbidden (403). */
export const downloadLink = async (deps: Deps, call: Call<undefined, StoredImage>): Promise<string | undefined> => {
  const object = objectOf(call.target, call);
  return object && deps.objects.link(object, downloadSeconds);
};

export const fileRoutes: readonly Route[] = [
  route<undefined, StoredImage>({
    at: `PUT ${at}/file`,
    policy: 'upload_image',
    find: findImage,
    raw: true,
    limit: mostBytes,
    doc: 'The data itself; what is larger than a request goes to a link (POST upload).',
    handle: async (deps, call) => {
      await store(deps, call, 'save');
      return {};
    },
  }),
  route<undefined, StoredImage>({
    at: `PUT ${at}/stage`,
    policy: 'modify_image',
    find: findImage,
    raw: true,
    limit: mostBytes,
    doc: 'The same, for an import with the method glance-direct.',
    handle: async (deps, call) => {
      await store(deps, call, 'stage');
      return {};
    },
  }),
  route<undefined, StoredImage>({
    at: `GET ${at}/file`,
    policy: 'download_image',
    status: 302,
    otherwise: 204,
    find: findImage,
    doc: 'Leads to the data, which is no part of an answer.',
    handle: async (deps, call) => {
      const link = await downloadLink(deps, call);
      return link === undefined ? { status: 204 } : { headers: { Location: link } };
    },
  }),
];
