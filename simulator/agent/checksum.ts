/** What an image must hash to, as agents read it from image_info and from checksum files (ironic-deploy.md 4). */
import { Fault, Invalid } from '../../layers/domain/fault.ts';

export type Expected = { readonly algorithm: string; readonly value: string };

/** `named`: with a name the agent knows. Without one it goes by the length of the digest. */
type Wanted = { readonly named: string | undefined; readonly value: string };

const algorithms: readonly unknown[] = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'];
const algorithmOfLength: Readonly<Record<number, string>> = { 32: 'md5', 64: 'sha256', 128: 'sha512' };

const digest = '([0-9a-fA-F]{32}|[0-9a-fA-F]{64}|[0-9a-fA-F]{128})';
/** A file with a digest and nothing else. */
const bare = new RegExp(`^${digest}$`);
/** `digest  name`, with * for binary; else `SHA256 (name) = digest`, as BSD tools write it. */
const atStart = new RegExp(`^${digest}\\s`);
const atEnd = new RegExp(`\\s${digest}$`);

const isAbout = (line: string, name: string): boolean => {
  const last = line.split(/\s/).at(-1);
  return last === name || last === `*${name}` || line.includes(` (${name}) `);
};

const Unreadable = (why: string) => new Fault('ImageDownloadError', 500, `Error downloading the checksum: ${why}.`);

/** The digest that the text of a checksum file has for the file `name`. Throws ImageDownloadError. */
export const digestIn = (text: string, name: string): string => {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  if (lines.length === 0) throw Unreadable('the checksum file is empty');
  const only = lines.length === 1 ? bare.exec(lines[0]!)?.[1] : undefined;
  if (only) return only;
  const about = lines.filter((line) => !line.startsWith('#') && isAbout(line, name));
  const found = about.flatMap((line) => (atStart.exec(line) ?? atEnd.exec(line))?.[1] ?? []);
  if (found.length === 0) throw Unreadable(`the checksum file does not contain name ${name}`);
  return found[0]!;
};

/** What image_info says, which may be the URL of a checksum file. Throws Invalid. */
export const wanted = (info: { checksum?: unknown; os_hash_algo?: unknown; os_hash_value?: unknown }): Wanted => {
  const { checksum, os_hash_algo: algorithm, os_hash_value: hash } = info;
  const named = algorithms.includes(algorithm) ? (algorithm as string) : undefined;
  const value = named ? hash : checksum;
  if (typeof value === 'string' && value !== '') return { named, value };
  throw Invalid('image_info must have a checksum, or os_hash_algo and os_hash_value.');
};

/** `value`: of the digest, once it was fetched. Throws Invalid if it tells no algorithm. */
export const expectedOf = (named: string | undefined, value: string): Expected => {
  const algorithm = named ?? algorithmOfLength[value.length];
  if (algorithm) return { algorithm, value: value.toLowerCase() };
  throw Invalid('The algorithm of the image checksum is not md5, sha256 or sha512.');
};
