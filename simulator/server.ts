/** Listening on 127.0.0.1, and letting go of it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Fault } from '../layers/domain/fault.ts';
import { asFault, readAsk, respond, type Answer, type Ask } from './http.ts';

const listenOn = async (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 1024, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Listens and returns the port. `wanted` 0 means `last` if that is still free, so that machines keep their addresses
 * over a restart. Throws PortTaken, which names the `flag` that chooses another.
 */
export const listen = async (server: Server, wanted: number, last: number, flag: string): Promise<number> => {
  try {
    return await listenOn(server, wanted || last);
  } catch (cause) {
    if (!wanted && last) return listenOn(server, 0);
    const message = `The simulator cannot listen on 127.0.0.1:${wanted}: the port is taken or not allowed. Stop what uses it, or choose another with ${flag}.`;
    throw new Fault('PortTaken', 500, message, { cause });
  }
};

/** Answers every request of a server with `answer`. */
export const serve = (server: Server, answer: (ask: Ask) => Promise<Answer> | Answer): void => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      respond(response, await answer(await readAsk(request)), request.method === 'HEAD');
    } catch (error) {
      const { code, message } = asFault(error);
      if (!response.headersSent && !request.destroyed) respond(response, { status: code, body: { message } });
      else response.destroy();
    }
  };
  server.on('request', (request, response) => void handle(request, response));
  server.on('clientError', (_error, socket) => socket.destroy());
};

/** Stops listening and drops every connection. */
export const close = async (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
