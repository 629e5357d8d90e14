/**
 * What the real agent's decoder makes of a configdrive: Python's `base64.b64decode` and `gzip.GzipFile`, whose leniency
 * decides whether a drive can be written. Recorded from the real one in test/fixtures/agent.
 */
import { crc32, inflateRawSync } from 'node:zlib';

/** An exception of Python; `type` is its class. */
export class PythonError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const none = 64;
const sextets = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = alphabet.indexOf(String.fromCharCode(byte));
  return value < 0 ? none : value;
});
const pad = '='.charCodeAt(0);

/** Text that ends before its last group of four is whole and not padded. */
const unfinished = (characters: number): PythonError =>
  characters % 4 === 1
    ? new PythonError(
        'Error',
        `Invalid base64-encoded string: number of data characters (${characters}) cannot be 1 more than a multiple of 4`,
      )
    : new PythonError('Error', 'Incorrect padding');

/**
 * Bytes that are not of the alphabet are skipped; the text ends where padding completes a group, whatever follows.
 * Padding too early is skipped as well. Throws PythonError.
 */
export const decodeBase64 = (text: Uint8Array): Buffer => {
  const decoded = Buffer.allocUnsafe(Math.ceil(text.length / 4) * 3);
  let [size, characters, left, pads] = [0, 0, 0, 0];
  // Iterators would take several times as long for a drive.
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]!;
    const place = characters % 4;
    if (byte === pad) {
      if (place >= 2 && place + ++pads >= 4) return decoded.subarray(0, size);
      continue;
    }
    const sextet = sextets[byte]!;
    if (sextet === none) continue;
    pads = 0;
    characters += 1;
    if (place > 0) decoded[size++] = (left << (2 * place)) | (sextet >> (6 - 2 * place));
    left = sextet;
  }
  if (characters % 4 !== 0) throw unfinished(characters);
  return decoded.subarray(0, size);
};

/** `repr` of bytes. */
const repr = (bytes: Uint8Array): string => {
  const names: Record<number, string> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' };
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  const shown = [...bytes].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === quote) return `\\${char}`;
    return names[byte] ?? (byte >= 32 && byte < 127 ? char : `\\x${byte.toString(16).padStart(2, '0')}`);
  });
  return `b${quote}${shown.join('')}${quote}`;
};

const BadGzipFile = (message: string) => new PythonError('BadGzipFile', message);
const CutOff = () => new PythonError('EOFError', 'Compressed file ended before the end-of-stream marker was reached');

const flags = { checksum: 2, extra: 4, name: 8, comment: 16 };

/** Where the data of the member that begins at `start` begin. Throws PythonError. */
const skipHeader = (file: Buffer, start: number): number => {
  const magic = file.subarray(start, start + 2);
  if (!magic.equals(Buffer.from([0x1f, 0x8b]))) throw BadGzipFile(`Not a gzipped file (${repr(magic)})`);
  let at = start + 10;
  const need = (bytes: number) => {
    if (at + bytes > file.length) throw CutOff();
    at += bytes;
  };
  need(0);
  if (file[start + 2] !== 8) throw BadGzipFile('Unknown compression method');
  const flag = file[start + 3]!;
  if (flag & flags.extra) {
    need(2);
    need(file.readUInt16LE(at - 2));
  }
  for (const text of [flags.name, flags.comment]) {
    if (!(flag & text)) continue;
    const end = file.indexOf(0, at);
    at = end < 0 ? file.length : end + 1;
  }
  if (flag & flags.checksum) need(2);
  return at;
};

type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
type ZlibError = Error & { readonly code?: string; readonly errno?: number };

/** The data of a member, and how many bytes they took. Throws PythonError. */
const inflate = (data: Buffer, limit: number): Inflated => {
  try {
    return inflateRawSync(data, { info: true, maxOutputLength: limit }) as unknown as Inflated;
  } catch (error) {
    const { code, errno, message } = error as ZlibError;
    if (code === 'Z_BUF_ERROR') throw CutOff();
    if (code === 'Z_DATA_ERROR') throw new PythonError('error', `Error ${errno} while decompressing data: ${message}`);
    throw error;
  }
};

const hex = (number: number) => `0x${number.toString(16)}`;

/** Where the next member begins, after the trailer at `at` and the zeros behind it. Throws PythonError. */
const checkTrailer = (file: Buffer, at: number, data: Buffer): number => {
  if (at + 8 > file.length) throw CutOff();
  const [wanted, found] = [file.readUInt32LE(at), crc32(data)];
  if (wanted !== found) throw BadGzipFile(`CRC check failed ${hex(wanted)} != ${hex(found)}`);
  if (file.readUInt32LE(at + 4) !== data.length) throw BadGzipFile('Incorrect length of data produced');
  let next = at + 8;
  while (file[next] === 0) next += 1;
  return next;
};

/**
 * All members of a gzip file; nothing is a file of none. Throws PythonError, and RangeError (ERR_BUFFER_TOO_LARGE) for
 * a member of more than `limit` bytes, where Python would go on.
 */
export const gunzip = (file: Buffer, limit: number): Buffer => {
  const members: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const data = skipHeader(file, at);
    const { buffer, engine } = inflate(file.subarray(data), limit);
    members.push(buffer);
    at = checkTrailer(file, data + engine.bytesWritten, buffer);
  }
  return Buffer.concat(members);
};
