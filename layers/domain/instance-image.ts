/** What instance_info must say about the image: deploy interfaces direct and ramdisk (ironic-deploy.md 1.2, 6). */
import { Invalid } from './fault.ts';
import { bool, isUuid } from './values.ts';

type Info = Readonly<Record<string, unknown>>;

/** Whether a value is an http or https URL. */
export const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** The UUID of an image of the Image API, in either of Ironic's two ways; undefined for what is none. */
export const imageIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const id = value.replace(/^glance:\/\//, '');
  return isUuid(id) ? id.toLowerCase() : undefined;
};

/** What agents write. */
export const diskFormats: readonly string[] = ['raw', 'gpt', 'qcow2', 'iso'];

/** Length of the hexadecimal digest of each algorithm the agent knows. */
const digests: { readonly [algorithm: string]: number } = { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 };

const isDigest = (value: unknown, length: number) =>
  typeof value === 'string' && value.length === length && /^[0-9a-fA-F]+$/.test(value);

const need = (info: Info, names: readonly string[]): void => {
  const missing = names.filter((name) => (info[name] ?? '') === '').map((name) => `instance_info.${name}`);
  if (missing.length > 0) throw Invalid(`Missing: ${missing.join(', ')}.`);
};

const webUrl = (info: Info, name: string): void => {
  if (!isWebUrl(info[name])) throw Invalid(`instance_info.${name} must be an http or https URL.`);
};

const oneOf = (info: Info, name: string, values: readonly string[]): void => {
  const value = info[name] ?? null;
  if (value !== null && !values.includes(value as string)) {
    throw Invalid(`instance_info.${name} must be one of ${values.join(', ')}.`);
  }
};

/** The word for whatever algorithm the length of the digest tells. */
export const autoAlgorithm = 'auto';

/** What agents tell by the length of a digest, or of one in a checksum file that they fetch. */
const checkByLength = (info: Info, name: string): void => {
  const value = info[name];
  const fits = ['md5', 'sha256', 'sha512'].some((algorithm) => isDigest(value, digests[algorithm]!));
  if (fits || isWebUrl(value)) return;
  throw Invalid(
    `instance_info.${name} must be an MD5, SHA-256 or SHA-512 in hexadecimal, or the URL of a checksum file.`,
  );
};

/** The pair image_os_hash_* wins over image_checksum; one of them must be there, or a bad image would go unnoticed. */
const checkDigest = (info: Info): void => {
  const [algorithm, value] = [info['image_os_hash_algo'] ?? null, info['image_os_hash_value'] ?? null];
  if (algorithm !== null || value !== null) {
    need(info, ['image_os_hash_algo', 'image_os_hash_value']);
    oneOf(info, 'image_os_hash_algo', [...Object.keys(digests), autoAlgorithm]);
    if (algorithm === autoAlgorithm) return checkByLength(info, 'image_os_hash_value');
    const length = digests[algorithm as string] ?? 0;
    if (isDigest(value, length) || isWebUrl(value)) return undefined;
    throw Invalid(
      `instance_info.image_os_hash_value must be ${length} hexadecimal digits for this algorithm, or the URL of a checksum file.`,
    );
  }
  need(info, ['image_checksum']);
  return checkByLength(info, 'image_checksum');
};

const checkPartition = (info: Info): void => {
  need(info, ['root_gb']);
  for (const name of ['root_gb', 'swap_mb', 'ephemeral_gb']) {
    if (!/^\d+$/.test(JSON.stringify(info[name] ?? 0).replaceAll('"', ''))) {
      throw Invalid(`instance_info.${name} must be a whole number.`);
    }
  }
  if (!bool.safeParse(info['preserve_ephemeral'] ?? false).success) {
    throw Invalid('instance_info.preserve_ephemeral must be True or False.');
  }
};

/** `partition` or `whole-disk`: as given, else partition exactly when a kernel or ramdisk comes with the image. */
export const imageType = (info: Info): 'partition' | 'whole-disk' => {
  const given = info['image_type'] ?? null;
  if (given === 'partition' || given === 'whole-disk') return given;
  return (info['kernel'] ?? info['ramdisk'] ?? null) === null ? 'whole-disk' : 'partition';
};

const checkSource = ({ image_source: source }: Info): void => {
  if (!isWebUrl(source)) {
    throw Invalid('instance_info.image_source must be an http or https URL, or the UUID of an image of the Image API.');
  }
  if (source.endsWith('/')) {
    throw Invalid('instance_info.image_source must be a disk image; a path (ending in /) cannot be written to a disk.');
  }
};

/**
 * Deploy interface direct: an image that the agent downloads and writes. What an image of the Image API says of itself is
 * not looked at here. Throws Invalid naming the key.
 */
export const checkImage = (info: Info): void => {
  need(info, ['image_source']);
  oneOf(info, 'image_type', ['partition', 'whole-disk']);
  if (imageIdOf(info['image_source']) === undefined) {
    checkSource(info);
    checkDigest(info);
    oneOf(info, 'image_disk_format', diskFormats);
  }
  if (imageType(info) === 'partition') checkPartition(info);
};

/** Deploy interface ramdisk: an ISO that the machine boots and nothing else. Throws Invalid naming the key. */
export const checkBootIso = (info: Info): void => {
  if ((info['boot_iso'] ?? '') !== '' && (info['image_source'] ?? '') !== '') {
    throw Invalid('instance_info.boot_iso and instance_info.image_source exclude each other.');
  }
  if ((info['boot_iso'] ?? '') === '' && (info['kernel'] ?? info['ramdisk'] ?? '') !== '') {
    throw Invalid(
      'Missing: instance_info.boot_iso. This version cannot build an ISO from instance_info.kernel and ramdisk.',
    );
  }
  need(info, ['boot_iso']);
  webUrl(info, 'boot_iso');
};
