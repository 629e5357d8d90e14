/** Deploy step write_image: downloads, verifies and "writes" an image: the disk map keeps what would be on the disk. */
import { createHash, type Hash } from 'node:crypto';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import { recordViolation } from '../evidence.ts';
import { withoutSecrets } from '../log.ts';
import type { Disk, Machine } from '../machine.ts';
import { fetchBytes } from '../media.ts';
import { spanOf, type World } from '../world.ts';
import { digestIn, type Expected, expectedOf, wanted } from './checksum.ts';
import { readConfigdrive } from './configdrive.ts';

type ImageInfo = {
  readonly id?: unknown;
  readonly urls?: unknown;
  readonly checksum?: unknown;
  readonly os_hash_algo?: unknown;
  readonly os_hash_value?: unknown;
  readonly node_uuid?: unknown;
  readonly image_type?: unknown;
  readonly ephemeral_mb?: unknown;
  readonly ephemeral_format?: unknown;
  readonly preserve_ephemeral?: unknown;
};

const firstUrl = ({ id, urls }: ImageInfo): string => {
  if (typeof id !== 'string') throw Invalid('image_info must have an id.');
  const url = Array.isArray(urls) ? (urls[0] as unknown) : undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) throw Invalid('image_info must have a non-empty list urls.');
  return url;
};

const fail = (type: string, message: string): Fault => new Fault(type, 500, message);

/** One download of what `url` points to; the status, 0 if it did not come whole. */
const downloadOnce = async (
  world: World,
  machine: Machine,
  url: string,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal,
): Promise<number> => {
  let status = 0;
  try {
    status = await world.download(async () => fetchBytes(world, url, take, { signal }));
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    signal.throwIfAborted();
  } finally {
    const path = withoutSecrets(url);
    world.log.add({ at: world.clock.now(), machine: machine.name, side: 'image', method: 'GET', path, status });
  }
  return status;
};

const tries = 10;

/**
 * Downloads what `url` points to; `start` is called before each try and gives who takes the bytes. No answer or 5xx is
 * tried again, 4xx is final. Throws ImageDownloadError.
 */
const download = async (
  world: World,
  machine: Machine,
  url: string,
  start: () => (chunk: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> => {
  for (let left = tries; ; left -= 1) {
    const status = await downloadOnce(world, machine, url, start(), signal);
    if (status === 200) return;
    if (left === 1 || (status >= 400 && status < 500)) {
      throw fail('ImageDownloadError', `Error downloading ${withoutSecrets(url)}: ${status || 'no whole answer'}.`);
    }
    // A second at least at any scale: what restarts behind the URL does so in real time.
    await world.clock.sleep(Math.max(1000, spanOf(world, machine, [10, 10])), signal);
  }
};

/** Collects what comes, up to `limit` bytes. `refuse` makes what is thrown beyond that. */
const collector = (limit: number, refuse: () => Fault) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const start = () => {
    size = 0;
    chunks.length = 0;
    return (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > limit) throw refuse();
      chunks.push(chunk);
    };
  };
  return { start, bytes: () => Buffer.concat(chunks) };
};

const maxChecksums = 2 ** 20;

/** What the image must hash to. A checksum may be the URL of a file, which is fetched as the image is. */
const expectedHash = async (
  world: World,
  machine: Machine,
  info: ImageInfo,
  signal: AbortSignal,
): Promise<Expected> => {
  const { named, value } = wanted(info);
  if (!/^https?:\/\//.test(value)) return expectedOf(named, value);
  const file = collector(maxChecksums, () => fail('ImageDownloadError', 'The checksum file is larger than 1 MiB.'));
  await download(world, machine, value, file.start, signal);
  const name = new URL(firstUrl(info)).pathname.split('/').at(-1)!;
  return expectedOf(named, digestIn(file.bytes().toString(), name));
};

const verifiedImage = async (world: World, machine: Machine, info: ImageInfo, signal: AbortSignal) => {
  const expected = await expectedHash(world, machine, info, signal);
  const digests = new Map<string, Hash>();
  let size = 0;
  const take = (chunk: Uint8Array) => {
    size += chunk.length;
    for (const digest of digests.values()) digest.update(chunk);
  };
  const start = () => {
    size = 0;
    for (const name of ['sha256', expected.algorithm]) digests.set(name, createHash(name));
    return take;
  };
  await download(world, machine, firstUrl(info), start, signal);
  if (world.faults.strikes('wrong_checksum', machine)) take(Buffer.from('another image'));
  const found = new Map([...digests].map(([name, digest]) => [name, digest.digest('hex')]));
  if (found.get(expected.algorithm) !== expected.value) {
    throw fail('ImageChecksumError', `Error verifying image checksum: ${expected.algorithm} is not what it should be.`);
  }
  return { sha256: found.get('sha256')!, size };
};

const maxDownload = 96 * 2 ** 20;

/** A configdrive comes as base64 text in the command, or as an http(s) URL of such text or of the image itself. */
const fetchConfigdrive = async (
  world: World,
  machine: Machine,
  { given, node }: { readonly given: string; readonly node: string },
  signal: AbortSignal,
) => {
  if (!/^https?:\/\//i.test(given)) return readConfigdrive({ text: given }, node);
  const drive = collector(maxDownload, () =>
    fail('ConfigDriveTooLargeError', 'The configdrive is larger than 64 MiB.'),
  );
  await download(world, machine, given, drive.start, signal);
  return readConfigdrive({ bytes: drive.bytes() }, node);
};

/** The agent's process ends in the middle of the work; nothing answers any more. */
const die = async (world: World, machine: Machine, signal: AbortSignal): Promise<never> => {
  await world.clock.sleep(spanOf(world, machine, [5, 10]), signal);
  machine.agent!.state = 'dead';
  machine.disk.writing = false;
  world.lives.get(machine)?.nap?.ring();
  throw fail('CommandExecutionError', 'The agent died (fault agent_dies_while_writing).');
};

/** What becomes of the ephemeral partition: made anew, or kept if that is asked for, by any value that Python takes for yes. */
const partitionEphemeral = ({ clock }: World, { disk }: Machine, info: ImageInfo): Disk['ephemeral'] => {
  const mb = Number(info.ephemeral_mb ?? 0);
  if (info.image_type !== 'partition' || mb === 0) return null;
  const made = { mb, format: (info.ephemeral_format ?? null) as string | null, made_at: clock.now() };
  if (!info.preserve_ephemeral) return made;
  if (disk.ephemeral?.mb === mb) return disk.ephemeral;
  throw fail('DeploymentError', `There is no ephemeral partition of ${mb} MB on the disk that could be kept.`);
};

/** Machines whose disk is being written by this process. */
const written = new WeakSet<Machine>();

/**
 * Writes `args.image_info` and, if given, `args.configdrive` to the disk map. Throws ImageDownloadError,
 * ImageChecksumError, DeploymentError, Invalid; the disk is unusable then.
 */
export const writeImage = async (
  world: World,
  machine: Machine,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string> => {
  const info = (args['image_info'] ?? {}) as ImageInfo;
  const configdrive = args['configdrive'] ?? (info as { configdrive?: unknown }).configdrive;
  const node = typeof info.node_uuid === 'string' ? info.node_uuid : 'local';
  if (configdrive !== undefined && configdrive !== null && typeof configdrive !== 'string') {
    throw Invalid('configdrive must be base64 text or a URL.');
  }
  const ephemeral = partitionEphemeral(world, machine, info);
  if (written.has(machine)) recordViolation(world, machine, 'two images were written at once');
  written.add(machine);
  machine.disk = { image: null, configdrive: null, ephemeral, writing: true, residue: true };
  world.changed(machine);
  try {
    if (world.faults.strikes('agent_dies_while_writing', machine)) await die(world, machine, signal);
    const taken = world.clock.sleep(spanOf(world, machine, [15, 45]), signal);
    const [image] = await Promise.all([verifiedImage(world, machine, info, signal), taken]);
    const drive = configdrive ? await fetchConfigdrive(world, machine, { given: configdrive, node }, signal) : null;
    signal.throwIfAborted();
    machine.disk.image = { ...image, written_at: world.clock.now() };
    machine.disk.configdrive = drive;
    return `image (${String(info.id)}) written to device /dev/sda`;
  } finally {
    written.delete(machine);
    if (!signal.aborted) machine.disk.writing = false;
  }
};
