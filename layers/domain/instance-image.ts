/** What instance_info must say about the image: deploy interfaces direct and ramdisk (ironic-deploy.md 1.2, 6). */
import { Invalid } from './fault.ts';

type Info = Readonly<Record<string, unknown>>;

/** Whether a value is an http or https URL; what else Ironic takes needs services that Ingot does not have. */
export const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

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

/** The pair image_os_hash_* wins over image_checksum; one of them must be there, or a bad image would go unnoticed. */
const checkDigest = (info: Info): void => {
  const [algorithm, value] = [info['image_os_hash_algo'] ?? null, info['image_os_hash_value'] ?? null];
  if (algorithm !== null || value !== null) {
    need(info, ['image_os_hash_algo', 'image_os_hash_value']);
    oneOf(info, 'image_os_hash_algo', Object.keys(digests));
    const length = digests[algorithm as string] ?? 0;
    if (isDigest(value, length)) return;
    throw Invalid(`instance_info.image_os_hash_value must be ${length} hexadecimal digits for this algorithm.`);
  }
  need(info, ['image_checksum']);
  const checksum = info['image_checksum'];
  const fits = ['md5', 'sha256', 'sha512'].some((name) => isDigest(checksum, digests[name]!));
  if (!fits && !isWebUrl(checksum)) {
    throw Invalid('instance_info.image_checksum must be an MD5, SHA-256 or SHA-512 in hexadecimal, or the URL of one.');
  }
};

const checkPartition = (info: Info): void => {
  need(info, ['root_gb']);
  for (const name of ['root_gb', 'swap_mb', 'ephemeral_gb']) {
    if (!/^\d+$/.test(JSON.stringify(info[name] ?? 0).replaceAll('"', ''))) {
      throw Invalid(`instance_info.${name} must be a whole number.`);
    }
  }
};

/** `partition` or `whole-disk`: as given, else partition exactly when a kernel or ramdisk comes with the image. */
export const imageType = (info: Info): 'partition' | 'whole-disk' => {
  const given = info['image_type'] ?? null;
  if (given === 'partition' || given === 'whole-disk') return given;
  return (info['kernel'] ?? info['ramdisk'] ?? null) === null ? 'whole-disk' : 'partition';
};

/** Deploy interface direct: an image that the agent downloads and writes. Throws Invalid naming the key. */
export const checkImage = (info: Info): void => {
  need(info, ['image_source']);
  webUrl(info, 'image_source');
  if ((info['image_source'] as string).endsWith('/')) {
    throw Invalid('instance_info.image_source must be a disk image; a path (ending in /) cannot be written to a disk.');
  }
  checkDigest(info);
  oneOf(info, 'image_disk_format', ['raw', 'gpt', 'qcow2', 'iso']);
  oneOf(info, 'image_type', ['partition', 'whole-disk']);
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
