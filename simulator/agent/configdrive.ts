/** What a configdrive partition would hold. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

import { Fault } from '../../layers/domain/fault.ts';
import { readIso } from '../iso.ts';
import type { Disk, DriveFile } from '../machine.ts';

/** The partition's size at the end of the disk. */
const maxBytes = 64 * 2 ** 20;
/** Files up to this size are kept as text in the disk map. */
const maxText = 16 * 1024;

const refused = (message: string, cause?: unknown) => new Fault('ConfigDriveWriteError', 500, message, { cause });

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isBase64 = (bytes: Buffer): boolean =>
  bytes.length > 0 && /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(bytes.toString('latin1'));

const gunzip = (bytes: Buffer): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes + 1 });
  } catch (cause) {
    throw refused('The configdrive cannot be unpacked, or is larger than 64 MiB.', cause);
  }
};

/** base64, gzip, both or neither: down to the image itself. */
const unpack = (bytes: Buffer): Buffer => {
  const raw = !isGzip(bytes) && isBase64(bytes) ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
  return isGzip(raw) ? gunzip(raw) : raw;
};

/** Machines are kept in memory and in a snapshot; an ISO of a few documents is under 2 KB when packed. */
const maxPacked = 64 * 1024;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const describe = (bytes: Buffer): DriveFile => {
  const text = bytes.length <= maxText ? bytes.toString('utf8') : undefined;
  const readable = text !== undefined && Buffer.from(text).equals(bytes);
  return { size: bytes.length, sha256: sha256(bytes), ...(readable && { text }) };
};

/** The partition made of what the agent was given. Throws ConfigDriveWriteError. */
export const readConfigdrive = (given: Buffer): NonNullable<Disk['configdrive']> => {
  const image = unpack(given);
  if (image.length > maxBytes) throw refused('The configdrive is larger than 64 MiB.');
  const packed = gzipSync(image).toString('base64');
  const base = { sha256: sha256(image), size: image.length, packed: packed.length <= maxPacked ? packed : null };
  try {
    const { label, files } = readIso(image);
    return { ...base, label, files: Object.fromEntries([...files].map(([path, bytes]) => [path, describe(bytes)])) };
  } catch {
    // Any file system is written as it comes; only ISO 9660 can be looked into.
    return { ...base, label: null, files: {} };
  }
};
