/**
 * How UEFI boots a medium on which there is more than a finished system: firmware finds the EFI system partition by the
 * El Torito catalogue (El Torito 1.0; UEFI 2.10, 13.3.2.1), in that the boot loader, which reads its configuration from the
 * file system of the medium. Written without the code that builds such images.
 */
import { isFault } from '../layers/domain/fault.ts';
import { readIso } from './iso.ts';
import type { Machine } from './machine.ts';
import { fetchBytes } from './media.ts';
import type { World } from './world.ts';

const sector = 2048;
/** What is read at once: directories and configuration stand at the start. */
const much = 2 ** 20;

/** The arguments of the kernel that the boot loader starts, or why none is started. */
export type Started = { readonly words: Readonly<Record<string, string>> } | { readonly reason: string };

type Fetch = (from: number, bytes: number) => Promise<Buffer>;

const fetchOf =
  (world: World, url: string, signal: AbortSignal): Fetch =>
  async (from, bytes) => {
    const chunks: Uint8Array[] = [];
    const headers = { range: `bytes=${from}-${from + bytes - 1}` };
    const take = (chunk: Uint8Array) => void chunks.push(chunk);
    const status = await world.download(async () => fetchBytes(world, url, take, { signal, headers }));
    const start = status === 206 ? 0 : from;
    return Buffer.concat(chunks).subarray(start, start + bytes);
  };

/** The boot record in sector 17 says where it is. */
const catalogueOf = (head: Buffer): Buffer => {
  const at = head.readUInt32LE(17 * sector + 71) * sector;
  return head.subarray(at, at + sector);
};

const isValid = (catalogue: Buffer): boolean => {
  let sum = 0;
  for (let at = 0; at < 32; at += 2) sum += catalogue.readUInt16LE(at);
  return catalogue[0] === 1 && catalogue.readUInt16LE(30) === 0xaa55 && (sum & 0xffff) === 0;
};

/** Where the EFI system partition begins, in bytes: the entry of platform EFh that can be booted. */
const partitionOf = (catalogue: Buffer): number | undefined =>
  catalogue[1] === 0xef && catalogue[32] === 0x88 ? catalogue.readUInt32LE(40) * sector : undefined;

/** A FAT whose directories name a loader for this processor; clusters are not followed. */
const hasLoader = (partition: Buffer): boolean => {
  const isFat = /FAT/.test(partition.toString('latin1', 54, 90)) && partition.readUInt16LE(510) === 0xaa55;
  return isFat && partition.includes('BOOTX64 EFI');
};

const unquoted = (word: string): string => word.replace(/^'(.*)'$/, '$1');

/** What the first entry of a configuration of GRUB starts. */
const entryOf = (configuration: string) => {
  const [, kernel, line = ''] = /\blinux(?:efi)? \/(\S+) ([^;\n]*)/.exec(configuration) ?? [];
  const [, ramdisk] = /\binitrd(?:efi)? \/(\S+)/.exec(configuration) ?? [];
  const words = line.split(/\s+/).map(unquoted);
  const pairs = words
    .filter((word) => word.includes('='))
    .map((word) => [word.split('=')[0], word.replace(/^[^=]*=/, '')]);
  return { kernel, ramdisk, words: Object.fromEntries(pairs) as Record<string, string> };
};

const start = async (fetch: Fetch): Promise<Started> => {
  const head = await fetch(0, much);
  const catalogue = catalogueOf(head);
  if (catalogue.length < sector || !isValid(catalogue)) return { reason: 'the boot catalogue is damaged' };
  const partition = partitionOf(catalogue);
  if (partition === undefined || !hasLoader(await fetch(partition, much))) {
    return { reason: 'there is no boot loader for UEFI on the medium' };
  }
  const { files } = readIso(head, true);
  const { kernel, ramdisk, words } = entryOf(files.get('EFI/BOOT/grub.cfg')?.toString() ?? '');
  const isThere = (name: string | undefined) => name !== undefined && files.has(name);
  return isThere(kernel) && isThere(ramdisk) ? { words } : { reason: 'the boot loader finds no kernel or no ramdisk' };
};

/** Starts the boot loader of a medium that has a boot record. In mode Legacy nobody looks for one of UEFI. */
export const startLoader = async (
  world: World,
  machine: Machine,
  url: string,
  signal: AbortSignal,
): Promise<Started> => {
  if (machine.boot.mode === 'Legacy') return { reason: 'there is no boot loader for mode Legacy on the medium' };
  try {
    return await start(fetchOf(world, url, signal));
  } catch (error) {
    return { reason: isFault(error) ? error.message : 'the medium could not be read' };
  }
};
