/** A service of AWS on a socket that answers from a script, and says of each request whether it is signed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Site } from '../../../../layers/platform/aws/client.ts';
import { credentials, isSigned, read, type Seen } from './signature.ts';

export type Scripted = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
};

/** A function makes an answer of the request; `drop` breaks the connection, and so does a script that has ended. */
export type Line = Scripted | 'drop' | ((seen: Seen) => Promise<Scripted>);

/** Each request gets the next line of the script; a script of one function answers them all. */
export const serveScript = async (...script: readonly Line[]) => {
  const left = [...script];
  const seen: (Seen & { readonly signed: boolean })[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const one = await read(request);
      seen.push({ ...one, signed: isSigned(one, Date.now()) });
      const line = left.length === 1 && typeof left[0] === 'function' ? left[0] : (left.shift() ?? 'drop');
      if (line === 'drop') return request.socket.destroy();
      const { status = 200, headers = {}, body } = typeof line === 'function' ? await line(one) : line;
      return response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
    };
    answer().catch(() => request.socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site: Site = { endpoint, region: 'eu-central-1', credentials };
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { site, seen, close };
};
