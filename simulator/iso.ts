/**
 * Reads ISO 9660 images: label and files, with their Joliet or Rock Ridge names. Written from ECMA-119, the Joliet
 * specification and SUSP/RRIP, on purpose without the code that builds images: the one checks the other.
 */
import { Invalid } from '../layers/domain/fault.ts';

export type Iso = { readonly label: string; readonly files: ReadonlyMap<string, Buffer> };

const sector = 2048;
const maxEntries = 10_000;

type Volume = { readonly joliet: boolean; readonly label: string; readonly root: Buffer };

const ucs2 = (bytes: Buffer): string => {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  return even.swap16().toString('utf16le');
};

const part = (bytes: Buffer, from: number, length: number): Buffer => {
  if (from + length > bytes.length) throw Invalid('The ISO 9660 image is cut off.');
  return bytes.subarray(from, from + length);
};

/** Volume descriptors stand from sector 16 on until type 255; escape %/@, %/C or %/E marks Joliet. */
const readVolumes = (image: Buffer): Volume[] => {
  const volumes: Volume[] = [];
  for (let at = 16 * sector; ; at += sector) {
    const descriptor = part(image, at, sector);
    if (descriptor.toString('latin1', 1, 6) !== 'CD001') throw Invalid('This is not an ISO 9660 image.');
    const type = descriptor[0];
    if (type === 255) return volumes;
    const joliet = type === 2 && /^%\/[@CE]/.test(descriptor.toString('latin1', 88, 91));
    if (type !== 1 && !joliet) continue;
    const raw = descriptor.subarray(40, 72);
    const label = (joliet ? ucs2(raw) : raw.toString('latin1')).replace(/[ \0]+$/, '');
    volumes.push({ joliet, label, root: descriptor.subarray(156, 190) });
  }
};

/** The Rock Ridge name: NM fields in the system use area, joined. */
const rockRidgeName = (record: Buffer, nameLength: number): string | undefined => {
  let at = 33 + nameLength + (nameLength % 2 === 0 ? 1 : 0);
  let name: string | undefined;
  while (at + 4 <= record.length && record[at + 2]! >= 4) {
    const length = record[at + 2]!;
    if (record.toString('latin1', at, at + 2) === 'NM') {
      name = (name ?? '') + record.toString('utf8', at + 5, at + length);
    }
    at += length;
  }
  return name;
};

const nameOf = (record: Buffer, joliet: boolean): string => {
  const length = record[32]!;
  const raw = record.subarray(33, 33 + length);
  if (joliet) return ucs2(raw).replace(/;\d+$/, '');
  return rockRidgeName(record, length) ?? raw.toString('latin1').replace(/\.?;\d+$/, '');
};

/** The records of a directory but for itself and its parent (identifiers 0 and 1). */
const readRecords = (image: Buffer, extent: number, size: number): Buffer[] => {
  const data = part(image, extent * sector, size);
  const records: Buffer[] = [];
  for (let at = 0; at < data.length;) {
    const length = data[at]!;
    if (length === 0) {
      at = (Math.floor(at / sector) + 1) * sector;
      continue;
    }
    const record = part(data, at, length);
    const special = record[32] === 1 && record[33]! <= 1;
    if (!special) records.push(record);
    at += length;
  }
  return records;
};

const contentOf = (image: Buffer, record: Buffer, cut: boolean): Buffer => {
  const [from, size] = [record.readUInt32LE(2) * sector, record.readUInt32LE(10)];
  return cut && from + size > image.length ? Buffer.alloc(0) : part(image, from, size);
};

/**
 * Label and files of an image. Joliet names are preferred, then Rock Ridge's. `cut`: it may be the beginning of one, whose
 * files are empty that are not in it as a whole. Throws Invalid.
 */
export const readIso = (bytes: Uint8Array, cut = false): Iso => {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const volumes = readVolumes(image);
  const primary = volumes.find(({ joliet }) => !joliet);
  const volume = volumes.find(({ joliet }) => joliet) ?? primary;
  if (!volume || !primary) throw Invalid('The ISO 9660 image has no volume.');
  const files = new Map<string, Buffer>();
  let entries = 0;
  const walk = (directory: Buffer, path: string): void => {
    for (const record of readRecords(image, directory.readUInt32LE(2), directory.readUInt32LE(10))) {
      entries += 1;
      if (entries > maxEntries) throw Invalid(`The ISO 9660 image has more than ${maxEntries} entries.`);
      const name = path + nameOf(record, volume.joliet);
      if (record[25]! & 2) walk(record, `${name}/`);
      else files.set(name, contentOf(image, record, cut));
    }
  };
  walk(volume.root, '');
  return { label: primary.label, files };
};
