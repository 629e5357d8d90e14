/**
 * The byte forms of an ISO 9660 image: numbers, dates, directory records, and the Rock Ridge fields in them.
 * Sources: ECMA-119 (ISO 9660), IEEE P1282 (Rock Ridge, RRIP 1.09) on P1281 (SUSP); Joliet 1991.
 */

/** Bytes of a logical sector. */
export const sector = 2048;

/** Both-byte-order numbers: little-endian first, then big-endian (ECMA-119 7.2.3, 7.3.3). */
export const both16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(value, 0);
  bytes.writeUInt16BE(value, 2);
  return bytes;
};

/** The same with four bytes for each order. */
export const both32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(value, 0);
  bytes.writeUInt32BE(value, 4);
  return bytes;
};

/** Seven bytes in UTC (ECMA-119 9.1.5). */
const shortDate = (date: Date): Buffer =>
  Buffer.from([
    date.getUTCFullYear() - 1900,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    0,
  ]);

/** Seventeen bytes: sixteen digits and the offset from UTC (ECMA-119 8.4.26.1). */
export const longDate = (date: Date | undefined): Buffer => {
  const digits = date ? date.toISOString().replace(/\D/g, '').slice(0, 16) : '0'.repeat(16);
  return Buffer.concat([Buffer.from(digits, 'ascii'), Buffer.from([0])]);
};

export type Entry = {
  readonly identifier: Buffer;
  readonly extent: number;
  readonly size: number;
  readonly directory: boolean;
  readonly date: Date;
  /** System use fields (Rock Ridge); Joliet has none. */
  readonly fields?: readonly Buffer[];
};

/** A directory record (ECMA-119 9.1); its length is even and at most 254 bytes. */
export const directoryRecord = ({ identifier, extent, size, directory, date, fields = [] }: Entry): Buffer => {
  const padding = identifier.length % 2 === 0 ? Buffer.alloc(1) : Buffer.alloc(0);
  const system = Buffer.concat(fields);
  const length = 33 + identifier.length + padding.length + system.length;
  const record = Buffer.concat([
    Buffer.from([length + (length % 2), 0]),
    both32(extent),
    both32(size),
    shortDate(date),
    Buffer.from([directory ? 2 : 0, 0, 0]),
    both16(1),
    Buffer.from([identifier.length]),
    identifier,
    padding,
    system,
    Buffer.alloc(length % 2),
  ]);
  if (record.length > 254) throw new RangeError(`Directory record of ${record.length} bytes, 254 are possible.`);
  return record;
};

/** A path table record (ECMA-119 9.4) in little- or big-endian form. */
export const pathRecord = (identifier: Buffer, extent: number, parent: number, order: 'LE' | 'BE'): Buffer => {
  const head = Buffer.alloc(8);
  head[0] = identifier.length;
  head[`writeUInt32${order}`](extent, 2);
  head[`writeUInt16${order}`](parent, 6);
  return Buffer.concat([head, identifier, Buffer.alloc(identifier.length % 2)]);
};

const field = (signature: string, ...data: Buffer[]): Buffer => {
  const body = Buffer.concat(data);
  return Buffer.concat([Buffer.from(signature, 'ascii'), Buffer.from([body.length + 4, 1]), body]);
};

/** Everything is owned by root and readable by all, as a configdrive is when it is mounted. */
const modes = { directory: 0o040555, file: 0o100444 };

/** The system use fields of a directory record (RRIP 1.09). */
export const rockRidge = {
  /** First field of the root's own record: the system use areas follow SUSP. */
  sharing: () => field('SP', Buffer.from([0xbe, 0xef, 0])),
  /** Which extension the fields belong to, in the root's own record. */
  extension: () => {
    const texts = ['RRIP_1991A', 'POSIX file names and attributes', 'IEEE P1282'].map((text) => Buffer.from(text));
    return field('ER', Buffer.from([...texts.map(({ length }) => length), 1]), ...texts);
  },
  attributes: (directory: boolean, links: number) =>
    field('PX', both32(directory ? modes.directory : modes.file), both32(links), both32(0), both32(0)),
  /** Modification, access and attribute times in the short form. */
  times: (date: Date) => field('TF', Buffer.from([0x0e]), shortDate(date), shortDate(date), shortDate(date)),
  name: (name: string) => field('NM', Buffer.from([0]), Buffer.from(name, 'utf8')),
};
