/**
 * API Gateway on one machine: HTTP on 127.0.0.1 to events for functions, with API Gateway's limits of size and time.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { APIGatewayProxyEvent } from 'aws-lambda';

import { maxEvent } from '../../infra/body-limit.ts';
import type { Challenge } from '../../infra/challenge.ts';
import type { RouteRow } from '../../infra/manifest.ts';
import { otherMethodSentence } from '../../infra/other-method.ts';
import type { Networks } from '../../layers/bmc/networks.ts';
import { Fault } from '../../layers/domain/fault.ts';
import type { Ids, Log } from '../../layers/platform/platform.ts';
import type { Context } from './authorizer.ts';
import { isTooLarge, readBody, tooLarge } from './body.ts';
import { toAnswer, toEvent, type Answer } from './event.ts';
import type { Guard } from './noauth.ts';
import { refuse, refuseFault } from './refusal.ts';
import { createRouter } from './router.ts';
import { sourceOf } from './source.ts';

export type Mount = {
  /** Requests whose path starts with it are answered by `serve` instead of a function. */
  readonly prefix: string;
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

export type GatewayOptions = {
  readonly routes: readonly RouteRow[];
  /** Runs a function with the JSON text of an event; answers its result. */
  invoke(name: string, event: string): Promise<unknown>;
  /** For routes with `authorize`; see `authorizer.ts` for the faults. */
  authorize(event: APIGatewayProxyEvent): Promise<Context>;
  /** Refuses requests before anything is done for them. */
  readonly guard?: Guard;
  /** What callers are told whom nobody knows. */
  readonly challenge: Challenge;
  readonly mounts?: readonly Mount[];
  /** Reverse proxies whose word about the caller's address is believed. */
  readonly trusted: Networks;
  readonly port: number;
  readonly ids: Ids;
  readonly log: Log;
  now(): number;
  /** API Gateway gives up after 29 seconds. */
  readonly timeoutMs?: number;
};

export type Gateway = {
  readonly port: number;
  readonly url: string;
  /** Lets requests in progress end for at most `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>;
};

const host = '127.0.0.1';

const write = (response: ServerResponse, { status, headers, body }: Answer): void => {
  if (response.destroyed || response.headersSent) return;
  const hasNoBody = status === 204 || status === 304;
  response.writeHead(status, hasNoBody ? headers : [...headers, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(hasNoBody ? undefined : body);
};

/** Path and query of the request target; undefined for one that names no path of ours (`*`, an authority). */
const target = ({ url = '' }: IncomingMessage): { path: string; query: string } | undefined => {
  const origin = /^https?:\/\/[^/?]+/i.exec(url)?.[0] ?? '';
  const local = url.slice(origin.length) || '/';
  if (!local.startsWith('/')) return undefined;
  const at = local.indexOf('?');
  return at < 0 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
};

const timedOut = () => new Fault('Sandbox.Timedout', 504, 'Endpoint request timed out.');

const within = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timedOut()), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
};

/** Errors of the parser, before there is a request. */
const clientErrors: Record<string, Answer> = {
  HPE_HEADER_OVERFLOW: refuse(431, 'The request headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: refuse(408, 'The request did not arrive in time.'),
};
const malformed = refuse(400, 'The request is not valid HTTP.');

const answerRaw = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = clientErrors[error.code ?? ''] ?? malformed;
  const lines = [`HTTP/1.1 ${status} Refused`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${String(body)}`);
};

/** Answers one request with what a function says, or with a refusal of the gateway's own. */
const createHandler = (options: GatewayOptions) => {
  const { routes, invoke, guard, authorize, challenge, trusted, ids, log, now, timeoutMs = 29_000 } = options;
  const route = createRouter(routes);

  const call = async (request: IncomingMessage, requestId: string): Promise<Answer> => {
    const at = target(request);
    const match = at && route(at.path);
    const refusal = guard?.(request, match);
    if (refusal) return refusal;
    if (!match) return refuse(404, 'The resource could not be found.');
    if (match.row.method && request.method !== match.row.method) return refuse(405, otherMethodSentence);
    const head = { request, ...at, source: sourceOf(request, trusted) };
    const event = toEvent(head, await readBody(request), match, requestId, now());
    if (match.row.authorize) event.requestContext.authorizer = await authorize(event);
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > maxEvent) throw tooLarge();
    return (
      toAnswer(await invoke(match.row.function, payload)) ??
      refuse(502, 'The service failed to answer; its log says why.')
    );
  };

  return async (request: IncomingMessage): Promise<Answer> => {
    const requestId = ids.uuid();
    try {
      return await within(call(request, requestId), timeoutMs);
    } catch (error) {
      const answer = refuseFault(error, challenge);
      // An incomplete request is a client that went away: nobody's failure, and nobody reads the answer.
      if (answer.status >= 500 && request.complete) log.error('A request failed.', { request_id: requestId, error });
      return answer;
    }
  };
};

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Fault('PortTaken', 500, `Port ${port} on ${host} is taken: stop what uses it or choose another port.`);
  }
  return (server.address() as AddressInfo).port;
};

/** Starts to listen. Throws PortTaken. `port` 0 means any free one. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const handle = createHandler(options);
  let closing = false;

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mount = options.mounts?.find(({ prefix }) => request.url?.startsWith(prefix));
    if (mount) return mount.serve(request, response);
    const answer = await handle(request);
    if (closing) response.setHeader('Connection', 'close');
    write(response, answer);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    onRequest(request, response).catch((error: unknown) => {
      options.log.error('A request failed.', { error });
      write(response, refuseFault(error, options.challenge));
    });
  };

  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 }, listener);
  server.on('clientError', answerRaw);
  server.on('checkContinue', (request, response) => {
    if (!isTooLarge(request)) response.writeContinue();
    listener(request, response);
  });
  const port = await listen(server, options.port);

  return {
    port,
    url: `http://${host}:${port}`,
    close: async (graceMs) => {
      closing = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
};
