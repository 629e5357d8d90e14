/** How firmware finds what to boot on an ISO 9660 image (El Torito 1.0, 2.0 to 2.4), of UEFI only (platform EFh). */
import { sector } from './iso-record.ts';

const efi = 0xef;
/** The sizes in a catalogue are in these, whatever the medium has. */
const smallSector = 512;

/** The descriptor that says in which sector the catalogue is. It has to stand in sector 17. */
export const bootRecord = (catalogue: number): Buffer => {
  const bytes = Buffer.alloc(sector);
  bytes.write('\u0000CD001\u0001EL TORITO SPECIFICATION', 0, 'latin1');
  bytes.writeUInt32LE(catalogue, 71);
  return bytes;
};

/** The sum of all words is 0. */
const validation = (): Buffer => {
  const entry = Buffer.alloc(32);
  entry.set([1, efi]);
  entry.set([0x55, 0xaa], 30);
  let sum = 0;
  for (let at = 0; at < entry.length; at += 2) sum += entry.readUInt16LE(at);
  entry.writeUInt16LE((0x1_0000 - (sum & 0xffff)) & 0xffff, 28);
  return entry;
};

/**
 * A catalogue with one entry: the image of an EFI system partition, booted without emulation. `size` is in bytes; of one
 * too large for the entry firmware takes all up to the end of the medium.
 */
export const bootCatalogue = (start: number, size: number): Buffer => {
  const entry = Buffer.alloc(32);
  const count = Math.ceil(size / smallSector);
  entry[0] = 0x88;
  entry.writeUInt16LE(count > 0xffff ? 0 : count, 6);
  entry.writeUInt32LE(start, 8);
  return Buffer.concat([validation(), entry, Buffer.alloc(sector - 64)]);
};
