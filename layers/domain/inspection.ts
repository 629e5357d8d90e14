/**
 * What an inspection tells about a machine, and what follows from it for the node and its ports (ironic-states.md 12).
 * The inventory may come from a ramdisk that nobody authenticates, so nothing in it is believed to have a type.
 */
import * as z from 'zod';

import { cutText } from './foreign-text.ts';
import { mac } from './values.ts';

/** `plugin_data` is what came beside the inventory, such as the disk that the agent would deploy to. */
export type Inspected = {
  readonly inventory: Readonly<Record<string, unknown>>;
  readonly plugin_data: Readonly<Record<string, unknown>>;
};

const object = z.record(z.string(), z.unknown()).catch({});
const list = z.array(object).catch([]);
const positive = z.number().int().positive().optional().catch(undefined);
const word = z.string().trim().min(1).max(255).optional().catch(undefined);

const shape = z.object({
  interfaces: list,
  disks: z.array(z.object({ size: positive })).catch([]),
  cpu: z.object({ count: positive, architecture: word }).catch({}),
  memory: z.object({ physical_mb: positive }).catch({}),
  boot: z.object({ current_boot_mode: word, pxe_interface: word }).catch({}),
});

const read = ({ inventory }: Inspected) => shape.parse({ interfaces: [], ...inventory });

/** Cards of one machine; more is no machine but an attempt to keep us busy. */
export const maxCards = 256;

/** The MAC addresses of the machine's Ethernet cards, each once; what is none (InfiniBand) is left out. */
export const addressesOf = (inspected: Inspected): string[] => [
  ...new Set(read(inspected).interfaces.flatMap(({ mac_address: address }) => mac.safeParse(address).data ?? [])),
];

/** The card that the machine was booted from over the network; undefined if it was not, as with virtual media. */
export const bootAddress = (inspected: Inspected): string | undefined => {
  // PXELINUX puts the hardware type in front: 01-aa-bb-cc-dd-ee-ff.
  const plain = read(inspected).boot.pxe_interface?.replace(/^01-/, '').replaceAll('-', ':');
  return mac.safeParse(plain).data;
};

/** `uefi` or `bios` as the machine was started; undefined if that is not told. */
export const bootModeOf = (inspected: Inspected): 'uefi' | 'bios' | undefined => {
  const mode = read(inspected).boot.current_boot_mode?.toLowerCase();
  return mode === 'uefi' || mode === 'bios' ? mode : undefined;
};

const gib = 1024 ** 3;
const smallestDisk = 4 * gib;

/** The agent's own choice, else the smallest disk that is large enough, which is what a deploy without hints takes. */
const rootDiskSize = (inspected: Inspected): number | undefined => {
  const { size: chosen } = z.object({ size: positive }).catch({}).parse(inspected.plugin_data['root_disk']);
  const large = read(inspected).disks.flatMap(({ size }) => (size !== undefined && size >= smallestDisk ? [size] : []));
  // Not as arguments: there may be more of them than a call can have.
  return chosen ?? large.toSorted((a, b) => a - b)[0];
};

/**
 * The properties that schedulers and clients read; what is not known is left out. `local_gb` leaves a GiB for
 * partitions, and is text, as in Ironic.
 */
export const propertiesOf = (inspected: Inspected): Record<string, string | number> => {
  const { cpu, memory } = read(inspected);
  const disk = rootDiskSize(inspected);
  const found = {
    cpus: cpu.count,
    cpu_arch: cpu.architecture,
    memory_mb: memory.physical_mb,
    local_gb: disk === undefined ? undefined : String(Math.max(0, Math.floor(disk / gib) - 1)),
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

/** What the ramdisk itself found wrong; undefined if nothing. */
export const ramdiskError = ({ plugin_data: data }: Inspected): string | undefined => {
  const error = data['error'];
  return typeof error === 'string' && error.trim() !== '' ? cutText(error.trim(), 1000) : undefined;
};
