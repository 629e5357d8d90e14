/** One request over one connection: bounded in time and size, without redirects or reuse. */
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';

import { bmcFault } from '../bmc/faults.ts';
import { isFault, type Fault } from '../domain/fault.ts';
import type { Answer, Exchange, Peer, Wire } from '../platform/wire.ts';
import { openSocket, type Secured } from './tls.ts';

/** No resource of a BMC that we read is anywhere near it (redfish.md 6). */
const maxBytes = 8 * 1024 * 1024;

const plainPath = (path: string) => path.split('?')[0]!;

/** BMCs choke on kept connections, chunked bodies (411) and compression (weak ETags): redfish.md 1.2, 4.1. */
const requestHeaders = ({ host, port }: Peer, { method, headers }: Exchange, body: Buffer | undefined) => {
  const all: Record<string, string | undefined> = {
    Host: `${isIPv6(host) ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}`,
    Connection: 'close',
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
  socket.setTimeout(limits.read_ms, stop(`nothing came for ${limits.read_ms} ms`));
  const timer = setTimeout(stop(`it was not complete after ${limits.total_ms} ms`), limits.total_ms);
  const cancel = stop('the request was cancelled');
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    over: () => over,
    end: () => {
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

const talk = async ({ socket, fingerprint256 }: Secured, peer: Peer, exchange: Exchange): Promise<Answer> => {
  const body = exchange.body === undefined ? undefined : Buffer.from(JSON.stringify(exchange.body));
  const watcher = watch(socket, exchange);
  let begun = false;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = httpsRequest({
        createConnection: () => socket,
        setHost: false,
        method: exchange.method,
        path: exchange.path,
        headers: requestHeaders(peer, exchange, body),
      });
      outgoing.on('response', resolve).on('error', reject).end(body);
      socket.once('close', () => reject(new Error('closed')));
    });
    begun = true;
    const text = await readBody(response);
    return { status: response.statusCode ?? 0, headers: response.headers, text, fingerprint256 };
  } catch (error) {
    throw explain(peer, exchange, watcher.over(), begun, error);
  } finally {
    watcher.end();
    socket.destroy();
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

const exchange: Wire['exchange'] = async (peer, wanted) => {
  const { limits, signal, method, path } = wanted;
  if (limits.total_ms <= 0 || signal?.aborted) {
    throw bmcFault(
      'BmcTimeout',
      `No time was left for ${method} ${plainPath(path)} to ${peer.label}; nothing was sent.`,
    );
  }
  const secured = await openSocket(peer, Math.min(limits.connect_ms, limits.total_ms));
  const answer = await talk(secured, peer, wanted);
  const refusal = refuseAnswer(peer, wanted, answer);
  if (refusal) throw refusal;
  return answer;
};

/** The wire to real machines: HTTP over TLS, with the certificate checked before anything is sent. */
export const tlsWire: Wire = { exchange };
