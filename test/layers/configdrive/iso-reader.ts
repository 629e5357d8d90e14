/**
 * Reads an ISO 9660 image by the book and complains about whatever is not by it. Shares no code with the writer; the
 * clients walk reads the same images with xorriso and isoinfo.
 */
import { expect } from 'vitest';

const sector = 2048;

type Names = 'rock ridge' | 'joliet';
export type Volume = { label: string; files: Record<string, string>; directories: string[] };

const both32 = (bytes: Buffer, at: number): number => {
  expect(bytes.readUInt32LE(at)).toBe(bytes.readUInt32BE(at + 4));
  return bytes.readUInt32LE(at);
};

/** The system use fields of a record by signature. */
const systemUse = (record: Buffer, start: number): Map<string, Buffer> => {
  const found = new Map<string, Buffer>();
  for (let at = start; at + 4 <= record.length && record[at] !== 0; at += record[at + 2]!) {
    found.set(record.toString('latin1', at, at + 2), record.subarray(at + 4, at + record[at + 2]!));
  }
  return found;
};

const readRecord = (record: Buffer, names: Names) => {
  const length = record[32]!;
  const identifier = record.subarray(33, 33 + length);
  const fields = systemUse(record, 33 + length + (length % 2 === 0 ? 1 : 0));
  const joliet = Buffer.from(identifier.length % 2 ? Buffer.alloc(0) : identifier)
    .swap16()
    .toString('utf16le');
  const name = names === 'joliet' ? joliet.replace(/;1$/, '') : fields.get('NM')?.subarray(1).toString('utf8');
  return {
    special: length === 1 && identifier[0]! < 2,
    name: name ?? '',
    extent: both32(record, 2),
    size: both32(record, 10),
    directory: (record[25]! & 2) !== 0,
    fields,
  };
};

const recordsOf = (image: Buffer, extent: number, size: number): Buffer[] => {
  const found: Buffer[] = [];
  for (let start = extent * sector; start < extent * sector + size; start += sector) {
    for (let at = start; at < start + sector && image[at] !== 0; at += image[at]!) {
      expect(at + image[at]!).toBeLessThanOrEqual(start + sector);
      found.push(image.subarray(at, at + image[at]!));
    }
  }
  return found;
};

const walk = (
  image: Buffer,
  names: Names,
  at: { extent: number; size: number },
  path: string,
  volume: Volume,
): void => {
  const records = recordsOf(image, at.extent, at.size).map((record) => readRecord(record, names));
  expect(records.slice(0, 2).every(({ special }) => special)).toBe(true);
  expect(records[0]!.extent).toBe(at.extent);
  for (const record of records.slice(2)) {
    const full = path ? `${path}/${record.name}` : record.name;
    if (record.directory) {
      volume.directories.push(full);
      walk(image, names, record, full, volume);
    } else {
      const start = record.extent * sector;
      volume.files[full] = image.toString('latin1', start, start + record.size);
    }
  }
};

/** The extents of all directories by a path table in one byte order. */
const pathTable = (image: Buffer, start: number, size: number, order: 'LE' | 'BE'): number[] => {
  const found: number[] = [];
  for (let at = start * sector; at < start * sector + size; at += 8 + image[at]! + (image[at]! % 2)) {
    found.push(image[`readUInt32${order}`](at + 2));
  }
  return found;
};

/** Reads the tree of one volume descriptor: 1 with Rock Ridge names, 2 with Joliet names. */
export const readVolume = (bytes: Uint8Array, type: 1 | 2): Volume => {
  const image = Buffer.from(bytes);
  const descriptor = image.subarray((15 + type) * sector, (16 + type) * sector);
  expect([descriptor[0], descriptor.toString('latin1', 1, 6)]).toEqual([type, 'CD001']);
  expect(both32(descriptor, 80) * sector).toBe(image.length);
  const label = Buffer.from(descriptor.subarray(40, 72));
  const root = readRecord(descriptor.subarray(156, 190), 'rock ridge');
  const volume: Volume = {
    label: (type === 1 ? label.toString('ascii') : label.swap16().toString('utf16le')).trimEnd(),
    files: {},
    directories: [],
  };
  walk(image, type === 1 ? 'rock ridge' : 'joliet', root, '', volume);
  const size = both32(descriptor, 132);
  const little = pathTable(image, descriptor.readUInt32LE(140), size, 'LE');
  expect(little).toEqual(pathTable(image, descriptor.readUInt32BE(148), size, 'BE'));
  expect(little).toHaveLength(volume.directories.length + 1);
  return volume;
};
