/**
 * Requests to one machine, each bounded in time and size, without redirects. There is one connection at a time, and a
 * request has one of its own wherever the machine does not say that it keeps them.
 */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';

import { bmcFault } from '../bmc/faults.ts';
import { isFault, type Fault } from '../domain/fault.ts';
import type { Answer, Exchange, Line, Peer, Wire } from '../platform/wire.ts';
import { openSocket, type Secured } from './tls.ts';

/** No resource of a BMC that we read is anywhere near it (redfish.md 6). */
const maxBytes = 8 * 1024 * 1024;

const plainPath = (path: string) => path.split('?')[0]!;

/**
 * A kept connection is let go after so many milliseconds of silence: earlier than any machine would close it, so that
 * no request crosses that, and no connection of a BMC, which has few, is held while nothing is asked.
 */
const keptMs = 1000;

/** BMCs choke on chunked bodies (411) and compression (weak ETags): redfish.md 1.2, 4.1. */
const requestHeaders = ({ host, port }: Peer, { method, headers }: Exchange, keep: boolean, body?: Buffer) => {
  const all: Record<string, string | undefined> = {
    Host: `${isIPv6(host) ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}`,
    Connection: keep ? 'keep-alive' : 'close',
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    ...(method !== 'GET' && { 'Content-Length': String(body?.length ?? 0) }),
    ...(body && { 'Content-Type': 'application/json' }),
    ...headers,
  };
  return Object.fromEntries(
    Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
  );
};

/** HPE iLO keeps its registries compressed and gives them away like that only. The limit is for what comes out. */
const unpacked = (response: IncomingMessage): AsyncIterable<Buffer> =>
  response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response;

const readBody = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of unpacked(response)) {
    size += chunk.length;
    if (size > maxBytes) throw bmcFault('BmcProtocol', `The answer has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** Ends the connection when a limit is passed and remembers which. */
const watch = (socket: TLSSocket, { limits, signal }: Exchange) => {
  let over: string | undefined;
  const stop = (why: string) => () => {
    over ??= why;
    socket.destroy();
  };
  const silence = stop(`nothing came for ${limits.read_ms} ms`);
  socket.setTimeout(limits.read_ms, silence);
  const timer = setTimeout(stop(`it was not complete after ${limits.total_ms} ms`), limits.total_ms);
  const cancel = stop('the request was cancelled');
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    over: () => over,
    end: () => {
      socket.setTimeout(0, silence);
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    },
  };
};

const explain = (peer: Peer, { method, path }: Exchange, over: string | undefined, begun: boolean, error: unknown) => {
  const what = `${method} ${plainPath(path)} to ${peer.label}`;
  const { code = '', message } = error as { code?: string; message: string };
  if (isFault(error)) return bmcFault('BmcProtocol', `${what}: ${message}`, error);
  if (over) return bmcFault('BmcTimeout', `${what} got no answer: ${over}. Whether it was done is unknown.`, error);
  if (code.startsWith('Z_')) return bmcFault('BmcProtocol', `${what} was answered with damaged gzip (${code}).`, error);
  if (code.startsWith('HPE_')) return bmcFault('BmcProtocol', `${what} was not answered in HTTP (${code}).`, error);
  if (begun) return bmcFault('BmcProtocol', `${what}: the answer ended in the middle.`, error);
  return bmcFault(
    'BmcTimeout',
    `${what}: the connection was closed without an answer (${code || message}). Whether it was done is unknown.`,
    error,
  );
};

const ask = async (socket: TLSSocket, peer: Peer, exchange: Exchange, keep: boolean): Promise<IncomingMessage> => {
  const body = exchange.body === undefined ? undefined : Buffer.from(JSON.stringify(exchange.body));
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error('closed'));
    const outgoing = httpsRequest({
      createConnection: () => socket,
      setHost: false,
      method: exchange.method,
      path: exchange.path,
      headers: requestHeaders(peer, exchange, keep, body),
    });
    outgoing.on('close', () => socket.off('close', closed));
    outgoing.on('response', resolve).on('error', reject).end(body);
    socket.once('close', closed);
  });
};

/** The connection was closed before a word of the answer came. */
type Lost = { readonly lost: Fault };

const talk = async ({ socket, fingerprint256 }: Secured, peer: Peer, exchange: Exchange, keep: boolean) => {
  const watcher = watch(socket, exchange);
  let begun = false;
  try {
    const response = await ask(socket, peer, exchange, keep);
    begun = true;
    const text = await readBody(response);
    return { status: response.statusCode ?? 0, headers: response.headers, text, fingerprint256 } satisfies Answer;
  } catch (error) {
    socket.destroy();
    const over = watcher.over();
    const fault = explain(peer, exchange, over, begun, error);
    if (begun || over !== undefined || fault.name !== 'BmcTimeout') throw fault;
    return { lost: fault } satisfies Lost;
  } finally {
    watcher.end();
  }
};

const refuseAnswer = (peer: Peer, { method, path }: Exchange, { status, headers }: Answer): Fault | undefined => {
  const what = `${method} ${plainPath(path)} to ${peer.label}`;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (status >= 300 && status < 400) {
    return bmcFault('BmcProtocol', `${what} was answered with a redirect (${status}), which is not followed.`);
  }
  if (encoding !== 'identity' && encoding !== 'gzip')
    return bmcFault('BmcProtocol', `${what}: the answer is compressed (${encoding}).`);
  return undefined;
};

/** Only what a machine says in so many words is believed: what HTTP/1.1 means without a word, not every BMC knows. */
const isKept = ({ headers }: Answer, { socket }: Secured): boolean =>
  headers.connection?.toLowerCase() === 'keep-alive' && socket.writable && socket.writableLength === 0;

/** What happens to a kept connection that nobody asked for: silence for too long, a word, its end. */
const unasked = ['timeout', 'data', 'end'] as const;

/** Keeps one connection between two requests. */
const createKeeper = () => {
  let kept: Secured | undefined;
  const close = (): void => {
    kept?.socket.destroy();
    kept = undefined;
  };
  return {
    close,
    keep: (secured: Secured): void => {
      kept = secured;
      for (const event of unasked) secured.socket.on(event, close);
      secured.socket.setTimeout(keptMs);
    },
    /** The connection for the next request, if there is one that is still open. */
    take: (): Secured | undefined => {
      const taken = kept;
      kept = undefined;
      for (const event of unasked) taken?.socket.off(event, close);
      return taken?.socket.writable ? taken : undefined;
    },
  };
};

const open: Wire['open'] = (peer) => {
  const keeper = createKeeper();
  let keeps = true;

  const exchange: Line['exchange'] = async (wanted) => {
    const { limits, signal, method, path, last } = wanted;
    if (limits.total_ms <= 0 || signal?.aborted) {
      throw bmcFault(
        'BmcTimeout',
        `No time was left for ${method} ${plainPath(path)} to ${peer.label}; nothing was sent.`,
      );
    }
    const begun = performance.now();
    const kept = keeper.take();
    const secured = kept ?? (await openSocket(peer, Math.min(limits.connect_ms, limits.total_ms)));
    const answer = await talk(secured, peer, wanted, keeps && !last);
    if ('lost' in answer) {
      // A machine that closes what it said it keeps is not believed any more, and asked once more if that is harmless.
      keeps = false;
      if (!kept || method !== 'GET') throw answer.lost;
      return exchange({ ...wanted, limits: { ...limits, total_ms: limits.total_ms - (performance.now() - begun) } });
    }
    if (keeps && !last && isKept(answer, secured)) keeper.keep(secured);
    else secured.socket.destroy();
    const refusal = refuseAnswer(peer, wanted, answer);
    if (refusal) throw refusal;
    return answer;
  };

  return { exchange, close: keeper.close };
};

/** The wire to real machines: HTTP over TLS, with the certificate checked before anything is sent. */
export const tlsWire: Wire = { open };
