/**
 * The form in which a configdrive is stored and handed to agents, which is Ironic's: base64(gzip(image)). An agent
 * takes whatever it gets for base64 text, skips the bytes that are none, and believes that it has an image before it
 * only where that fails: most images it would make something else of (ironic-deploy.md 5).
 *
 * 64 MiB of image are 86 MiB of text, and a function on AWS may have 512 MB: packing and unpacking go piece by piece.
 */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createGzip, gunzip } from 'node:zlib';

import { Invalid } from '../domain/fault.ts';

/** What the agent's partition holds (ironic-deploy.md 5), bytes; a larger image would fail at the end of the deploy. */
export const maxImageBytes = 64 * 1024 * 1024;

const sliceBytes = 1024 * 1024;

/** All together, in memory that is taken as it fills. Throws RangeError past `limit` bytes. */
const collect = async (limit: number, pieces: AsyncIterable<Buffer>): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafeSlow(limit);
  let size = 0;
  for await (const piece of pieces) {
    if (size + piece.length > limit) throw new RangeError(`More than ${limit} bytes came out of a configdrive.`);
    size += piece.copy(bytes, size);
  }
  return bytes.subarray(0, size);
};

/** No more than so many bytes of gzip come of so many (zlib's own bound, rounded up). */
const gzipLimit = (bytes: number): number => Math.ceil(bytes * 1.001) + 64;
const base64Limit = (bytes: number): number => Math.ceil(bytes / 3) * 4;

function* slicesOf({ buffer, byteOffset, byteLength }: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  for (let at = 0; at < byteLength; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

async function* encode(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
    rest = bytes.subarray(whole);
  }
  yield Buffer.from(rest.toString('base64'), 'latin1');
}

/** White space is as good as none; else it is the text that `fromBase64` has taken once. */
function* decode(text: Uint8Array): Generator<Buffer> {
  let rest = '';
  for (const slice of slicesOf(text)) {
    const base64 = rest + slice.toString('latin1').replace(/\s+/g, '');
    const whole = base64.length - (base64.length % 4);
    yield Buffer.from(base64.slice(0, whole), 'base64');
    rest = base64.slice(whole);
  }
}

/** The bytes as base64 text. */
export const toBase64 = async (bytes: Uint8Array): Promise<Uint8Array> =>
  collect(base64Limit(bytes.byteLength), encode(slicesOf(bytes)));

/** The bytes that base64 text stands for; undefined if it is no such text. White space is as good as none. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  const base64 = text.replace(/[ \t\r\n\f\v]+/g, '');
  const isText = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  return isText ? Buffer.from(base64, 'base64') : undefined;
};

/** `maxOutputLength` ends the work on a compression bomb as soon as it has given too much. */
const inflate = async (bytes: Uint8Array): Promise<{ buffer: Buffer; engine: { bytesWritten: number } }> => {
  const options = { maxOutputLength: maxImageBytes, info: true };
  return (await promisify(gunzip)(bytes, options)) as unknown as ReturnType<typeof inflate>;
};

const isTooLarge = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/**
 * Why these bytes are no gzip file that an agent can read; undefined if they are one. `what` holds them. Throws Invalid
 * (400) for an image that is too large.
 */
export const gzipFlaw = async (bytes: Uint8Array, what: string): Promise<string | undefined> => {
  const inflated = await inflate(bytes).catch((error: unknown) => {
    if (isTooLarge(error)) throw Invalid(`The configdrive has more than ${maxImageBytes} bytes (64 MiB) uncompressed.`);
    return undefined;
  });
  if (!inflated) return `${what} is not a gzip file.`;
  // Node ends at a zero behind a member; an agent skips zeros and reads on.
  if (bytes.subarray(inflated.engine.bytesWritten).some((byte) => byte !== 0)) {
    return `${what} is a gzip file with something else behind it.`;
  }
  return inflated.buffer.byteLength === 0 ? 'The configdrive is an empty file.' : undefined;
};

/** The image as it is stored. The same image gives the same bytes. */
export const pack = async (image: Uint8Array): Promise<Uint8Array> => {
  const zipped = Readable.from(slicesOf(image)).compose(createGzip({ chunkSize: sliceBytes }));
  return collect(base64Limit(gzipLimit(image.byteLength)), encode(zipped as AsyncIterable<Buffer>));
};

/** The image of what is stored, which was checked before. */
export const unpack = async (packed: Uint8Array): Promise<Uint8Array> => {
  const unzipped = Readable.from(decode(packed)).compose(createGunzip({ chunkSize: sliceBytes }));
  return collect(maxImageBytes, unzipped as AsyncIterable<Buffer>);
};
