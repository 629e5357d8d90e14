/**
 * The parameters of an agent: the kernel's, and over them what stands on the medium labelled ir-vfd-dev, if the kernel
 * was started with boot_method=vmedia. As the real agent reads them (ironic-python-agent 13.0, utils.get_agent_params).
 */
import { readIso } from '../iso.ts';
import type { Machine } from '../machine.ts';
import { fetchBytes, type Built } from '../media.ts';
import type { World } from '../world.ts';

export type Parameters = {
  readonly api_url: string | null;
  readonly inspection_url: string | null;
  readonly token: string | null;
};

const label = 'ir-vfd-dev';
const file = 'parameters.txt';

/** The volume's label stands in the first descriptor, in sector 16 (ECMA-119 8.4.3). */
const [labelAt, labelEnd] = [16 * 2048 + 40, 16 * 2048 + 72];
const enoughForLabel = 64 * 1024;
/** Nothing that is mounted for a few words is anywhere near it. */
const maxBytes = 2 ** 20;

/**
 * A drive whose server is away stalls: the kernel's SCSI layer waits half a minute for each command, and tries again.
 * In real seconds, because what restarts behind the URL does so in real time.
 */
const tries = 30;
const pause = 1000;

/** The first bytes of an image; none if the server refuses it or stays away. */
const fetchStart = async (world: World, url: string, bytes: number, signal: AbortSignal): Promise<Buffer> => {
  const headers = { range: `bytes=0-${bytes - 1}` };
  for (let left = tries; left > 0; left -= 1) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const take = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    };
    try {
      await world.download(async () => fetchBytes(world, url, take, { signal, headers }));
      return Buffer.concat(chunks);
    } catch {
      signal.throwIfAborted();
      await world.clock.sleep(pause, signal);
    }
  }
  return Buffer.alloc(0);
};

/** What is inserted and has the label; labels are compared without regard to case. */
const findMedium = async (world: World, machine: Machine, signal: AbortSignal): Promise<Buffer | undefined> => {
  for (const media of Object.values(machine.media)) {
    if (!media || media.ready_at > world.clock.now()) continue;
    const start = await fetchStart(world, media.image, enoughForLabel, signal);
    const found = start.toString('latin1', labelAt, labelEnd).replace(/[ \0]+$/, '');
    if (found.toLowerCase() === label) return fetchStart(world, media.image, maxBytes, signal);
  }
};

/** `key=value` words between white space; what has no `=` is passed over. */
const readWords = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(/\s+/)
      .filter((word) => word.includes('='))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );

const wordsOfMedium = async (world: World, machine: Machine, signal: AbortSignal) => {
  const medium = await findMedium(world, machine, signal);
  return medium ? readWords(readIso(medium).files.get(file)?.toString('utf8') ?? '') : {};
};

/** Reads them once, when the ramdisk starts. */
export const readParameters = async (
  world: World,
  machine: Machine,
  built: Built,
  signal: AbortSignal,
): Promise<Parameters> => {
  const words = built.boot_method === 'vmedia' ? await wordsOfMedium(world, machine, signal) : {};
  return {
    api_url: words['ipa-api-url']?.replace(/\/$/, '') ?? built.api_url,
    inspection_url: words['ipa-inspection-callback-url'] ?? built.inspection_url,
    token: words['ipa-agent-token'] ?? null,
  };
};
