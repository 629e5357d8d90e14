/** Web servers that have what boot images are made of, in memory. */
import { Readable } from 'node:stream';

import { Unavailable } from '../../../layers/domain/fault.ts';
import type { Open, Opened } from '../../../functions/boot-image/source.ts';

export type Served = {
  body: Buffer;
  etag?: string;
  /** It knows no ranges, and always sends all. */
  whole?: true;
  status?: number;
  location?: string;
  /** Nobody is told how large it is. */
  unsized?: true;
  /** How large it is said to be, if not as large as it is. */
  says?: number;
  /** The connection breaks behind so many bytes. */
  breaks?: number;
};

const chunks = function* (body: Buffer, breaks = Infinity): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 65_536) {
    if (at >= breaks) throw new Error('ECONNRESET');
    yield body.subarray(at, at + 65_536);
  }
};

/** `asked`: URL and first byte of each request, in order. */
export const createServers = (served: Record<string, Served>) => {
  const asked: [url: string, from: number][] = [];
  const open: Open = async (url, range) => {
    const from = Number(/^bytes=(\d+)-$/.exec(range)![1]);
    asked.push([url, from]);
    const one = served[url];
    if (!one) throw Unavailable(`${new URL(url).host} cannot be reached, or does not answer.`);
    const { body, etag, whole, status, location, unsized, breaks, says = body.length } = one;
    const sent = whole ? body : body.subarray(from);
    const headers = {
      ...(etag !== undefined && { etag }),
      ...(location !== undefined && { location }),
      ...(!unsized && { 'content-length': String(sent.length) }),
      ...(!whole && !unsized && { 'content-range': `bytes ${from}-${says - 1}/${says}` }),
    };
    const stream = Readable.from(chunks(sent, breaks), { objectMode: false });
    return Object.assign(stream, { statusCode: status ?? (whole ? 200 : 206), headers }) as unknown as Opened;
  };
  return { served, asked, open };
};
