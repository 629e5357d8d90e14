/** What a boot image is called: by what it is made of, so the same content has the same name. */
import { createHash } from 'node:crypto';

import { bootParts, type BootImageRequest, type BootPart } from '../../layers/domain/boot-image.ts';

/** An image is booted from in the week in which it is built; links to it end a few hours later. ms. */
export const week = 7 * 24 * 3600 * 1000;

/** Counted up when an image of the same parts is made otherwise than before. */
const form = 1;

/** What a server says of a part, by which its content is known again; `size` in bytes. */
export type Known = { readonly size: number; readonly validator: string };

/** `known`: what is known of the parts' contents; `now` in ms. */
export const bootImageId = (
  { parts, words }: Pick<BootImageRequest, 'parts' | 'words'>,
  known: Readonly<Record<BootPart, Known>>,
  now: number,
): string => {
  // The link to an image of the Image API is another one each time.
  const of = (name: BootPart) => [parts[name].content ?? parts[name].url, known[name].size, known[name].validator];
  const content = [form, Math.floor(now / week), words, ...(Object.keys(bootParts) as BootPart[]).map(of)];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
};
