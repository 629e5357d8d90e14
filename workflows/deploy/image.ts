/** What the agent is told to write: `image_info` of the step write_image (ironic-deploy.md 4). */
import { instanceCapabilities, wantedBootMode } from '../../layers/domain/capabilities.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { autoAlgorithm, imageType, isWebUrl } from '../../layers/domain/instance-image.ts';
import { bool } from '../../layers/domain/values.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';

type Info = Readonly<Record<string, unknown>>;

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
const given = (values: Info): Info => Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));
const pick = (info: Info, names: readonly string[]): Info =>
  given(Object.fromEntries(names.map((name) => [name, info[name]])));

/**
 * Agents take an algorithm with its value; of image_checksum alone the length tells which one it is. Either may be the
 * URL of a checksum file: the agent fetches that as it fetches the image, nobody here does.
 */
const checksums = (info: Info): Info => {
  const auto = info['image_os_hash_algo'] === autoAlgorithm;
  const checksum = auto ? info['image_os_hash_value'] : info['image_checksum'];
  if (!auto && isGiven(info['image_os_hash_value'])) {
    return given({
      checksum,
      os_hash_algo: info['image_os_hash_algo'],
      os_hash_value: info['image_os_hash_value'],
    });
  }
  const digits = isWebUrl(checksum) ? 0 : ((checksum ?? '') as string).length;
  const algorithm = { 64: 'sha256', 128: 'sha512' }[digits];
  return given({ checksum, ...(algorithm && { os_hash_algo: algorithm, os_hash_value: checksum }) });
};

const megabytes = (gigabytes: unknown) => (isGiven(gigabytes) ? Number(gigabytes) * 1024 : undefined);

const partition = (node: StoredNode, info: Info): Info => ({
  ...pick(info, ['kernel', 'ramdisk', 'root_gb', 'ephemeral_format']),
  // Agents are Python: they take any text for yes, also "False".
  preserve_ephemeral: bool.parse(info['preserve_ephemeral'] ?? false),
  ...given({ root_mb: megabytes(info['root_gb']), ephemeral_mb: megabytes(info['ephemeral_gb']) }),
  swap_mb: Number(info['swap_mb'] ?? 0),
  image_type: 'partition',
  deploy_boot_mode: wantedBootMode(node) ?? 'uefi',
  boot_option: 'local',
  ...given({ disk_label: instanceCapabilities(info['capabilities'])['disk_label'] }),
});

const proxies = (driverInfo: Info): Info => {
  const found = given({ http: driverInfo['image_http_proxy'], https: driverInfo['image_https_proxy'] });
  return {
    ...(Object.keys(found).length > 0 && { proxies: found }),
    ...given({ no_proxy: driverInfo['image_no_proxy'] }),
  };
};

/**
 * image_info for the agent. `node`: with its source; `id` is what the image is called, else the name of the file at the
 * URL. Throws Invalid if there is no image.
 */
export const imageInfo = (node: StoredNode, id?: string): Info => {
  const info = node.instance_info;
  const source = info['image_source'];
  if (!isWebUrl(source)) throw Invalid('instance_info.image_source must be an http or https URL.');
  return {
    id: id ?? new URL(source).pathname.split('/').at(-1),
    urls: [source],
    ...given({ disk_format: info['image_disk_format'] }),
    container_format: info['image_container_format'] ?? 'bare',
    stream_raw_images: true,
    ...checksums(info),
    ...proxies(node.driver_info),
    node_uuid: node.uuid,
    ...(imageType(info) === 'partition' && partition(node, info)),
  };
};
