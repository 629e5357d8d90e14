/** What a configdrive partition would hold. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { Fault } from '../../layers/domain/fault.ts';
import { readIso } from '../iso.ts';
import type { Disk, DriveFile } from '../machine.ts';
import { decodeBase64, gunzip, PythonError } from './decode.ts';

/** The partition's size at the end of the disk. */
const maxBytes = 64 * 2 ** 20;
/** Files up to this size are kept as text in the disk map. */
const maxText = 16 * 1024;

const DeploymentError = (message: string, cause?: unknown) => new Fault('DeploymentError', 500, message, { cause });

const tooLarge = (node: string, bytes: number) => {
  const size = `${Math.ceil(bytes / 2 ** 20)} MiB for node ${node}`;
  return DeploymentError(
    `Config drive size exceeds maximum limit of 64MiB. Size of the given config drive is ${size}.`,
  );
};

/** `text` is in the command; `bytes` are what a URL served. */
export type Given = { readonly text: string } | { readonly bytes: Buffer };

/** Undefined for bytes that are not base64, which are the image then. */
const fromBase64 = (given: Given, node: string): Buffer | undefined => {
  try {
    if ('bytes' in given) return decodeBase64(given.bytes);
    if (/[^\0-\x7f]/.test(given.text)) {
      throw new PythonError('ValueError', 'string argument should contain only ASCII characters');
    }
    return decodeBase64(Buffer.from(given.text, 'latin1'));
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    if ('bytes' in given) return undefined;
    throw DeploymentError(
      `Config drive for node ${node} is not base64 encoded or the content is malformed. ` +
        `${error.type}: ${error.message}.`,
      error,
    );
  }
};

/** What is told of errors of the file system goes for a broken gzip file too; others end the command as they are. */
const fromGzip = (bytes: Buffer, node: string): Buffer => {
  try {
    return gunzip(bytes, maxBytes + 1);
  } catch (error) {
    if (!(error instanceof PythonError)) throw tooLarge(node, maxBytes + 1);
    if (error.type !== 'BadGzipFile') throw new Fault('CommandExecutionError', 500, error.message, { cause: error });
    const what = 'Encountered error while decompressing and writing config drive';
    throw DeploymentError(`${what} for node ${node}. Error: ${error.message}`, error);
  }
};

/**
 * The image that the real agent makes of what it is given (`partition_utils.get_configdrive` of ironic-python-agent):
 * whatever can be taken for base64 is, and then has to be gzip. `node` is the UUID that it names.
 * Throws DeploymentError and CommandExecutionError (500) in its words.
 */
export const decodeConfigdrive = (given: Given, node: string): Buffer => {
  const decoded = fromBase64(given, node);
  return decoded ? fromGzip(decoded, node) : (given as { bytes: Buffer }).bytes;
};

/** Machines are kept in memory and in a snapshot; an ISO of a few documents is under 2 KB when packed. */
const maxPacked = 64 * 1024;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const describe = (bytes: Buffer): DriveFile => {
  const text = bytes.length <= maxText ? bytes.toString('utf8') : undefined;
  const readable = text !== undefined && Buffer.from(text).equals(bytes);
  return { size: bytes.length, sha256: sha256(bytes), ...(readable && { text }) };
};

/** The partition made of what the agent was given. Throws what `decodeConfigdrive` throws. */
export const readConfigdrive = (given: Given, node: string): NonNullable<Disk['configdrive']> => {
  const image = decodeConfigdrive(given, node);
  if (image.length > maxBytes) throw tooLarge(node, image.length);
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
