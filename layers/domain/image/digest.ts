/**
 * How a client says what the data at a URL hashes to. Nobody of ours reads that data, only the agent does, so it has to
 * be said; Glance's own fields for it are read-only, so ordinary clients say it in properties (docs/guides/images.md).
 */
import { Invalid } from '../fault.ts';
import { isWebUrl } from '../instance-image.ts';
import type { Digest } from './image.ts';

/** By the length of the digest in hexadecimal. Nothing shorter: two files with one MD5 or SHA-1 are easily made. */
const algorithms: Readonly<Record<number, string>> = { 64: 'sha256', 128: 'sha512' };

/** The property of ours, and those that openstacksdk sets from its argument `sha256`. The first that is given counts. */
const digestProperties = ['image_checksum', 'owner_specified.openstack.sha256', 'owner_specified.shade.sha256'];

/** Its checksum, or the URL of a file that has it. */
export type Said = { readonly digest: Digest } | { readonly checksum_url: string };

/** Where the digest is to be said, for messages. */
export const howToSay =
  'Say it with the property image_checksum (SHA-256 or SHA-512 in hexadecimal, or the http(s) URL of a checksum file), or send the URL with validation_data to /v2/images/{image_id}/locations.';

/** A digest of an algorithm that can be relied on. Throws Invalid (400) naming `name`. */
export const readDigest = (name: string, value: string, algorithm?: string): Digest => {
  const known = algorithms[value.length];
  if (!known || !/^[0-9a-fA-F]+$/.test(value) || (algorithm !== undefined && algorithm !== known)) {
    throw Invalid(`${name} must be a SHA-256 (64 hexadecimal digits) or a SHA-512 (128).`);
  }
  return { os_hash_algo: known, os_hash_value: value.toLowerCase() };
};

/** What the properties of an image say of its data; undefined: nothing. Throws Invalid (400). */
export const saidDigest = (properties: Readonly<Record<string, string>>): Said | undefined => {
  const name = digestProperties.find((one) => Object.hasOwn(properties, one) && properties[one] !== '');
  if (name === undefined) return undefined;
  const value = properties[name]!.trim();
  if (name === 'image_checksum' && value.includes('://')) {
    if (!isWebUrl(value)) throw Invalid('image_checksum must be a SHA-256 or SHA-512, or an http or https URL.');
    return { checksum_url: value };
  }
  return { digest: readDigest(name, value) };
};
