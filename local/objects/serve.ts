/** What the holder of a link gets: the gateway mounts it under `/objects/`. Answers as S3 does, in plain text. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Fault, isFault } from '../../layers/domain/fault.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { checksumHeader } from '../../layers/platform/objects.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import { readKey } from '../secrets/key.ts';
import { fileOf, isMissing, removePartials, save, tooLarge } from './file.ts';
import { checkLink, objectsPath } from './link.ts';

export type ObjectRequest = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
};
export type ObjectResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Readable | undefined;
};
export type ServeOptions = {
  readonly folder: string;
  readonly secret: Buffer;
  readonly clock: Pick<Clock, 'now'>;
  /** The most that a PUT link takes, as S3. */
  readonly maxBytes: number;
};

const say = (status: number, sentence: string, headers: Record<string, string> = {}): ObjectResponse => {
  const body = Buffer.from(`${sentence}\n`);
  const described = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.byteLength, ...headers };
  return { status, headers: described, body: Readable.from([body]) };
};

type Part = { readonly start: number; readonly end: number };

/**
 * The part of `size` bytes that a Range header asks for, `end` included (RFC 9110 14). Undefined: all of it, also for
 * several ranges or a header that says nothing known. `none`: it lies outside.
 */
const partOf = (range: unknown, size: number): Part | 'none' | undefined => {
  const [, first, last] = (typeof range === 'string' && /^bytes=(\d*)-(\d*)$/.exec(range)) || [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '')
    return last === '0' || size === 0 ? 'none' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'none' : { start, end };
};

const send = async (file: FileHandle, headers: ObjectRequest['headers']): Promise<ObjectResponse> => {
  const { size, mtime } = await file.stat();
  const part = partOf(headers['range'], size);
  if (part === 'none') {
    await file.close();
    return say(416, 'The range lies outside of the object.', { 'Content-Range': `bytes */${size}` });
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  if (size === 0) await file.close();
  return {
    status: part ? 206 : 200,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start + 1,
      'Accept-Ranges': 'bytes',
      'Last-Modified': mtime.toUTCString(),
      ...(part && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
    },
    body: size === 0 ? undefined : file.createReadStream({ start, end }),
  };
};

const read = async ({ folder }: ServeOptions, key: string, { headers }: ObjectRequest): Promise<ObjectResponse> => {
  try {
    return await send(await open(fileOf(folder, key)), headers);
  } catch (error) {
    if (isMissing(error)) return say(404, 'There is no such object.');
    throw error;
  }
};

/** The parts as they come; at their end they have to be what the link is for. Throws BadDigest (400). */
async function* checked(parts: AsyncIterable<Uint8Array>, checksum: string): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
  if (hash.digest('base64') === checksum) return;
  throw new Fault(
    'BadDigest',
    400,
    `What was sent has another SHA-256 than ${checksumHeader} says. Nothing was stored.`,
  );
}

const write = async (
  options: ServeOptions,
  key: string,
  request: ObjectRequest,
  checksum: string | undefined,
): Promise<ObjectResponse> => {
  const { folder, maxBytes } = options;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  await save(folder, key, checksum === undefined ? request.body : checked(request.body, checksum), maxBytes);
  return { status: 200, headers: { 'Content-Length': 0 }, body: undefined };
};

/** Answers one request below `/objects/`: 200, 206, 400, 403, 404, 413 or 416. Never throws a Fault. */
export const serveObject = async (options: ServeOptions, request: ObjectRequest): Promise<ObjectResponse> => {
  const link = checkLink(options.secret, request, options.clock.now());
  if ('refusal' in link) return say(403, link.refusal);
  try {
    return request.method === 'PUT'
      ? await write(options, link.key, request, link.checksum)
      : await read(options, link.key, request);
  } catch (error) {
    if (isFault(error)) return say(error.code, error.message);
    throw error;
  }
};

/**
 * The gateway's mount for the objects of `createObjects` with the same folder and key file. Removes uploads that a
 * killed process left unfinished, so it is made before anybody writes.
 */
export const createObjectsMount = async (paths: { readonly folder: string; readonly key: string }) => {
  await removePartials(paths.folder);
  const options: ServeOptions = {
    folder: paths.folder,
    secret: readKey(paths.key),
    clock: systemClock,
    maxBytes: 5 * 1024 * 1024 * 1024,
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    // A refused upload must not break the connection before its answer is out; the rest of it is read and dropped.
    const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    const answer = await serveObject(options, { method, url, headers, body });
    request.resume();
    response.writeHead(answer.status, answer.headers);
    // Whoever holds a link may hang up at any time; that is no failure of ours.
    if (answer.body && method !== 'HEAD') await pipeline(answer.body, response).catch(() => response.destroy());
    else response.end();
  };
  return { prefix: objectsPath, serve };
};
