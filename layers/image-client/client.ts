/**
 * The Image API for who has to tell machines where to fetch an image: the one of this installation, or an external Glance
 * (settings image_endpoint, image_credentials). An image is looked up anew each time that it is needed, so what is said
 * of it is true, and no link to it is ever stored.
 */
import type * as z from 'zod';

import { Fault, Invalid, NotFound, Unavailable } from '../domain/fault.ts';
import {
  fetchable,
  type FoundImage,
  glanceImage,
  type GlanceImage,
  glancePlaces,
  isSeen,
} from '../domain/glance-image.ts';
import type { ApiCall, ApiReply } from '../platform/apis.ts';

export type ImageClient = {
  /**
   * The image with this UUID, and where an agent can fetch it from by now. `project`: which has to see it; undefined: it
   * is nobody's business. Throws NotFound (404) for one that is not there or not seen, Invalid (400) for one that is not
   * active, or that agents cannot get at, Unavailable (503).
   */
  find(id: string, project: string | undefined): Promise<FoundImage>;
};

export type ImageClientOptions = {
  readonly call: ApiCall;
  /** Whether it is a Glance of others (setting image_endpoint). */
  readonly is_external: boolean;
  /** Base URL of a Glance that gives the data of its images to anybody; undefined: agents need another place. */
  readonly open_endpoint?: string | undefined;
};

/** Whoever is told so cannot tell one that is not there from one that is not his. */
const missing = (id: string, project: string | undefined, isExternal: boolean) => {
  const where = isExternal
    ? 'It was looked for in the Glance of the setting image_endpoint.'
    : "It was looked for in this installation's own Image API; images of another Glance, such as Nova's, need the setting image_endpoint.";
  return NotFound(`Image ${id} could not be found${project === undefined ? '' : ` for project ${project}`}. ${where}`);
};

const parsed = <T>(schema: z.ZodType<T>, { text }: ApiReply): T => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new Fault('ImageApiFailed', 502, 'The Image API answered with what is no image.', { cause: error });
  }
};

/** Throws Unavailable (503) for what may go away by itself. */
const refused = ({ status }: ApiReply): Fault =>
  status >= 500
    ? Unavailable(`The Image API answered with status ${status}. Try again later.`)
    : new Fault('ImageApiFailed', 502, `The Image API answered with status ${status} to the question for an image.`);

/** Makes the client. */
export const createImageClient = (options: ImageClientOptions): ImageClient => {
  const { call, is_external: isExternal, open_endpoint: open } = options;
  const get = async (path: string) => call({ method: 'GET', path: `/v2/images/${path}`, refusable: true });

  /** 403 is what a Glance says of an image that this installation may not see. */
  const isMissing = ({ status }: ApiReply): boolean => status === 404 || status === 403;

  const show = async (id: string, project: string | undefined): Promise<GlanceImage> => {
    const reply = await get(id);
    if (isMissing(reply)) throw missing(id, project, isExternal);
    if (reply.status !== 200) throw refused(reply);
    return parsed(glanceImage, reply);
  };

  /** Whether the image was offered to the project, whatever that made of the offer. */
  const isMember = async (id: string, project: string): Promise<boolean> => {
    const reply = await get(`${id}/members/${encodeURIComponent(project)}`);
    if (!isMissing(reply) && reply.status !== 200) throw refused(reply);
    return reply.status === 200;
  };

  /** What a Glance shows of where its images are, it shows as operators told it to; services may ask besides. */
  const placeOf = async (image: GlanceImage): Promise<Omit<FoundImage, 'image'> | undefined> => {
    const { id, locations, direct_url: url } = image;
    const shown = fetchable([...locations, ...(url === null ? [] : [{ url, metadata: {} }])]);
    if (shown) return shown;
    const reply = await get(`${id}/locations`);
    const told = reply.status === 200 ? fetchable(parsed(glancePlaces, reply)) : undefined;
    if (told) return told;
    if (reply.status !== 200 && !isMissing(reply)) throw refused(reply);
    return open === undefined ? undefined : { url: `${open}/v2/images/${id}/file`, checksum_url: null };
  };

  return {
    find: async (id, project) => {
      const image = await show(id, project);
      const seen = project === undefined || (isSeen(image, project) ?? (await isMember(id, project)));
      if (!seen) throw missing(id, project, isExternal);
      if (image.status !== 'active') throw Invalid(`Image ${id} is ${image.status}, not active.`);
      const place = await placeOf(image);
      if (place) return { image, ...place };
      throw Invalid(
        `Image ${id}: its Glance names no http or https URL of it (locations, direct_url) that an agent could fetch it from without a token. Set show_image_direct_url there and keep images in an HTTP store, or keep them, by the same UUIDs, in Ingot's own Image API and leave image_endpoint empty.`,
      );
    },
  };
};
