/** HTTP on one port of 127.0.0.1, with API Gateway's manners: connections, what is no HTTP, and how it ends. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Protocol } from '../../layers/http/protocol.ts';
import type { Log } from '../../layers/platform/platform.ts';
import { isTooLarge } from './body.ts';
import type { Answer } from './event.ts';
import { refuse, refuseFault } from './refusal.ts';

export type ListenerOptions = {
  /** 0: any free one. */
  readonly port: number;
  /** Of refusals of what is no request yet. */
  readonly protocol: Protocol;
  /** Answers a request, or nothing if it has written the response itself. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<Answer | void>;
  readonly log: Log;
  /** What to do if the port is taken, as the end of a sentence: which option chooses another. */
  readonly instead: string;
};

export type Listener = {
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

/** Errors of the parser, before there is a request. */
const parserFaults: Readonly<Record<string, () => Fault>> = {
  HPE_HEADER_OVERFLOW: () => new Fault('HeadersTooLarge', 431, 'The request headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new Fault('RequestTimeout', 408, 'The request did not arrive in time.'),
};
const malformed = () => Invalid('The request is not valid HTTP.');

const answerRaw = (protocol: Protocol) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refuse(protocol, (parserFaults[error.code ?? ''] ?? malformed)());
  const lines = [`HTTP/1.1 ${status} Refused`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${String(body)}`);
};

/** Starts to listen. Throws PortTaken. */
export const listen = async ({ port: wanted, protocol, serve, log, instead }: ListenerOptions): Promise<Listener> => {
  let closing = false;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = await serve(request, response);
    if (!given) return;
    if (closing) response.setHeader('Connection', 'close');
    write(response, given);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: unknown) => {
      log.error('A request failed.', { error });
      write(response, refuseFault(protocol, error));
    });
  };

  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 }, onRequest);
  server.on('clientError', answerRaw(protocol));
  server.on('checkContinue', (request, response) => {
    if (!isTooLarge(request)) response.writeContinue();
    onRequest(request, response);
  });
  server.listen(wanted, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Fault('PortTaken', 500, `Port ${wanted} on ${host} is taken: stop what uses it, or ${instead}.`);
  }
  const { port } = server.address() as AddressInfo;

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
