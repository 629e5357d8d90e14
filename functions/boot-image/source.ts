/**
 * The parts of boot images, read from web servers that operators name: never whole, only as far as a piece needs. Where
 * they may be is limited (settings boot_image_networks), since who may write a node's driver_info says what is asked for.
 */
import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { connect, isIP, type LookupFunction } from 'node:net';

import { isPublic, type Networks } from '../../layers/bmc/networks.ts';
import type { Source } from '../../layers/domain/boot-image.ts';
import { Fault, Invalid, Unavailable } from '../../layers/domain/fault.ts';
import { isWebUrl } from '../../layers/domain/instance-image.ts';
import type { Known } from './name.ts';

/** An answer of a web server whose body nobody has read yet. */
export type Opened = Pick<IncomingMessage, 'headers' | 'destroy' | typeof Symbol.asyncIterator> & {
  readonly statusCode?: number | undefined;
};

/** Asks for a URL from a byte on. Redirects are answers. Throws Unavailable, TargetForbidden. */
export type Open = (url: string, range: string) => Promise<Opened>;

/** Milliseconds without a byte. */
const patience = 30_000;

const Forbidden = (host: string) =>
  new Fault(
    'TargetForbidden',
    400,
    `${host} is in no network of the setting boot_image_networks, and its address is no public one. Put kernels, ramdisks and boot loaders elsewhere, or name the network.`,
  );

const mayAsk = (networks: Networks, address: string): boolean => isPublic(address) || networks.allows(address);

/** Resolves once, and gives only addresses that may be asked, so that a name cannot change behind the check. */
const lookupAllowed =
  (networks: Networks): LookupFunction =>
  (host, { all }, answer) =>
    lookup(host, { all: true, verbatim: true }, (error, found) => {
      const allowed = found?.filter(({ address }) => mayAsk(networks, address)) ?? [];
      const [first] = allowed;
      if (error || !first) answer(error ?? (Forbidden(host) as Error), []);
      else if (all) answer(null, allowed);
      else answer(null, first.address, first.family);
    });

/** How a request goes there. One without TLS has its own socket: node:http itself would load fetch with it. */
const way = ({ protocol, port }: URL, host: string, lookup: LookupFunction): RequestOptions =>
  protocol === 'https:'
    ? { lookup, agent: false }
    : {
        protocol: 'https:',
        defaultPort: 80,
        createConnection: () => connect({ host, port: Number(port || 80), lookup }),
      };

/**
 * Over the network, until `end`, however little at a time is sent. An address that is written as such is resolved by
 * nobody, so it is looked at here.
 */
export const createOpen = (networks: Networks, end: AbortSignal): Open => {
  const allowed = lookupAllowed(networks);
  return async (url, range) => {
    const at = new URL(url);
    const host = at.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !mayAsk(networks, host)) throw Forbidden(host);
    return new Promise((resolve, reject) => {
      const headers = { range, 'accept-encoding': 'identity', connection: 'close' };
      const sent = request(at, { headers, signal: end, ...way(at, host, allowed) });
      sent.setTimeout(patience, () => sent.destroy(new Error('It was silent for too long.')));
      sent.on('error', (error) => {
        reject(error instanceof Fault ? error : Unavailable(`${host} cannot be reached, or does not answer.`, error));
      });
      sent.on('response', resolve);
      sent.end();
    });
  };
};

const redirects = 5;

const follow = async (open: Open, { name, url }: Source, from: number): Promise<Opened> => {
  let at = url;
  for (let left = redirects; left >= 0; left -= 1) {
    const answer = await open(at, `bytes=${from}-`);
    const { statusCode = 0, headers } = answer;
    if (statusCode < 300 || statusCode > 399) return answer;
    answer.destroy();
    at = URL.canParse(headers.location ?? '', at) ? new URL(headers.location!, at).href : '';
    if (!isWebUrl(at)) throw Invalid(`${name}: its server sends to what is no http or https URL.`);
  }
  throw Invalid(`${name}: its server sends on more than ${redirects} times.`);
};

/** Throws Unavailable (503) for what may go away by itself, else Invalid (400). */
const refused = ({ name }: Source, status: number): Fault => {
  const told = `${name}: its server answered with status ${status}.`;
  return status >= 500 || status === 429 ? Unavailable(`${told} It is asked again later.`) : Invalid(told);
};

/** The whole size, in bytes, whichever way the server tells it. */
const sizeOf = (source: Source, { statusCode, headers }: Opened): number => {
  const [, range] = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  const size = Number((statusCode === 206 ? range : headers['content-length']) ?? 0);
  if (size > 0) return size;
  throw Invalid(`${source.name}: its server does not say how large it is, or it is empty.`);
};

const knownBy = (source: Source, opened: Opened): Known => ({
  size: sizeOf(source, opened),
  validator: opened.headers.etag ?? opened.headers['last-modified'] ?? '',
});

const start = async (open: Open, source: Source, from: number): Promise<Opened> => {
  const opened = await follow(open, source, from);
  const { statusCode = 0 } = opened;
  if (statusCode === 200 || statusCode === 206) return opened;
  opened.destroy();
  throw refused(source, statusCode);
};

/** What the server says of a part; nothing of it is read. Throws Unavailable, Invalid, TargetForbidden. */
export const look = async (open: Open, source: Source): Promise<Known> => {
  const opened = await start(open, source, 0);
  try {
    return knownBy(source, opened);
  } finally {
    opened.destroy();
  }
};

/** The bytes of a part, from one on; of a server that knows no ranges all before it are read too, and dropped. */
const bytesFrom = async function* (open: Open, source: Source, known: Known, from: number): AsyncGenerator<Buffer> {
  const opened = await start(open, source, from);
  try {
    const now = knownBy(source, opened);
    if (now.size !== known.size || now.validator !== known.validator) {
      throw Unavailable(`${source.name} has changed while a boot image was built of it. It is built anew.`);
    }
    let left = opened.statusCode === 206 ? 0 : from;
    for await (const chunk of opened as AsyncIterable<Buffer>) {
      if (left < chunk.length) yield chunk.subarray(left);
      left = Math.max(0, left - chunk.length);
    }
  } finally {
    opened.destroy();
  }
};

/** Reads a part in order, over one connection as long as nobody skips anything. */
export type Reader = {
  /** So many bytes from there on. Throws as `look`, and Unavailable for a part that has changed, or is cut off. */
  read(from: number, bytes: number): Promise<Buffer[]>;
  close(): Promise<void>;
};

/** Makes one. `known`: what the part was when its image was given a name. */
export const createReader = (open: Open, source: Source, known: Known): Reader => {
  let stream: AsyncGenerator<Buffer> | undefined;
  let at = 0;
  let rest = Buffer.alloc(0);
  const close = async () => {
    await stream?.return(undefined);
    stream = undefined;
  };
  const next = async (): Promise<Buffer> => {
    if (rest.length > 0) return rest;
    const { value, done } = await stream!.next().catch((error: unknown) => {
      throw error instanceof Fault ? error : Unavailable(`${source.name}: the connection to its server broke.`, error);
    });
    if (done) throw Unavailable(`${source.name} ends before its end: ${known.size} bytes were promised.`);
    return value;
  };
  return {
    close,
    read: async (from, bytes) => {
      if (!stream || at !== from) {
        await close();
        stream = bytesFrom(open, source, known, from);
        [at, rest] = [from, Buffer.alloc(0)];
      }
      const found: Buffer[] = [];
      for (let left = bytes; left > 0;) {
        const chunk = await next();
        const part = chunk.subarray(0, left);
        rest = chunk.subarray(part.length) as Buffer<ArrayBuffer>;
        found.push(part);
        left -= part.length;
      }
      at += bytes;
      return found;
    },
  };
};
