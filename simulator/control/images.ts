/** Images to boot and to deploy, made when asked for: a deploy ramdisk, a live system, a disk image. */
import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import { buildIso } from '../../layers/configdrive/iso.ts';
import type { Answer, Ask } from '../http.ts';

export type Image = { readonly size: number; readonly sha256: string; read(from: number, to: number): Readable };

export type ImageName = 'deploy.iso' | 'plain.iso' | 'live.iso' | 'demo.raw';

const chunk = 64 * 1024;
/** Enough for many chunks. Larger ones only keep the computer busy on which all machines download at once. */
const demoSize = 2 ** 20;
/** Every start makes the same bytes. */
const date = new Date('2026-01-01T00:00:00Z');

const digestOf = (chunks: Iterable<Uint8Array>): string => {
  const digest = createHash('sha256');
  for (const bytes of chunks) digest.update(bytes);
  return digest.digest('hex');
};

const isoImage = (label: string, path: string, text: string): Image => {
  const bytes = buildIso({ label, files: [{ path, data: Buffer.from(text) }], date });
  return {
    size: bytes.length,
    sha256: digestOf([bytes]),
    read: (from, to) => Readable.from([bytes.subarray(from, to)], { objectMode: false }),
  };
};

/** The demo disk's bytes: the key stream of AES-CTR, which looks like data and can be entered anywhere. */
function* demoBytes(from: number, to: number): Generator<Buffer> {
  const block = 16;
  const counter = Buffer.alloc(block);
  counter.writeBigUInt64BE(BigInt(Math.floor(from / block)), 8);
  const key = createHash('sha256').update('ingot demo disk').digest().subarray(0, 16);
  const stream = createCipheriv('aes-128-ctr', key, counter);
  stream.update(Buffer.alloc(from % block));
  for (let at = from; at < to; at += chunk) yield stream.update(Buffer.alloc(Math.min(chunk, to - at)));
}

const demoImage = (): Image => ({
  size: demoSize,
  sha256: digestOf(demoBytes(0, demoSize)),
  read: (from, to) => Readable.from(demoBytes(from, to), { objectMode: false }),
});

/** The images, each made once and on first use. `apiUrl` is where the agents call. */
export const createImages = (apiUrl: string): ((name: string) => Image | undefined) => {
  const built = { api_url: apiUrl, inspection_url: `${apiUrl}/v1/continue_inspection` };
  const ramdisk = (kernel: object) =>
    isoImage('INGOT-DEPLOY', 'ingot-agent', `INGOT-AGENT ${JSON.stringify(kernel)}\n`);
  const make: Record<ImageName, () => Image> = {
    'deploy.iso': () => ramdisk({ ...built, boot_method: 'vmedia' }),
    // Its agent looks for no medium, and has to ask for its token.
    'plain.iso': () => ramdisk(built),
    'live.iso': () => isoImage('INGOT-LIVE', 'readme', 'A system that runs from its media.\n'),
    'demo.raw': demoImage,
  };
  const made = new Map<string, Image>();
  return (name) => {
    if (!Object.hasOwn(make, name)) return undefined;
    const image = made.get(name) ?? make[name as ImageName]();
    made.set(name, image);
    return image;
  };
};

/** First and last byte of `Range: bytes=..`; undefined: not a single range, so the whole is sent (RFC 9110 14.2). */
const rangeOf = (header: string | undefined, size: number): readonly [number, number] | undefined => {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first) return [Number(first), last ? Math.min(Number(last), size - 1) : size - 1];
  return last ? [Math.max(0, size - Number(last)), size - 1] : undefined;
};

/** Answers GET and HEAD of an image, also in parts. */
export const serveImage = (image: Image, { headers }: Ask): Answer => {
  const { size, sha256 } = image;
  const common = { 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream', etag: `"${sha256}"` };
  const range = rangeOf(headers.range, size);
  if (!range) {
    return { status: 200, headers: { ...common, 'content-length': String(size) }, body: image.read(0, size) };
  }
  const [first, last] = range;
  if (first > last || first >= size) {
    return { status: 416, headers: { 'content-range': `bytes */${size}` } };
  }
  const span = { 'content-length': String(last - first + 1), 'content-range': `bytes ${first}-${last}/${size}` };
  return { status: 206, headers: { ...common, ...span }, body: image.read(first, last + 1) };
};
