/** BMCs at addresses of their own, for clients that know of no path before /redfish: a port each. */
import { createServer, type Server } from 'node:https';

import type { Answer, Ask } from './http.ts';
import { close, listen, serve } from './server.ts';

/** How a machine answers at the address that it shares with the others. */
type Shared = (ask: Ask) => Promise<Answer>;

/** Links of the machine as they are where nothing stands before them. */
const withoutPrefix = (name: string, text: string): string => text.replaceAll(`"/${name}/redfish`, '"/redfish');

const atOwn = (name: string, answer: Answer): Answer => {
  if (typeof answer === 'string') return answer;
  const { body, headers } = answer;
  const isResource = typeof body === 'object' && !('pipe' in body);
  return {
    ...answer,
    ...(headers && { headers: JSON.parse(withoutPrefix(name, JSON.stringify(headers))) as Record<string, string> }),
    ...(isResource && { body: JSON.parse(withoutPrefix(name, JSON.stringify(body))) as object }),
  };
};

/** The same machine, asked without its name in the path. */
const answerOwn =
  (name: string, shared: Shared): Shared =>
  async (ask) => {
    if (!/^\/redfish(\/|$)/.test(ask.path)) return { status: 404 };
    return atOwn(name, await shared({ ...ask, path: `/${name}${ask.path}` }));
  };

/** By the names of the machines; nothing if `first` is 0. */
export const ownAddresses = (names: readonly string[], first: number): ReadonlyMap<string, string> =>
  new Map(first === 0 ? [] : names.map((name, at) => [name, `https://127.0.0.1:${first + at}`]));

/**
 * Listens for each machine, from port `first` on in their order, or for none if that is 0. Returns what lets go of all of them. Throws PortTaken, and
 * listens nowhere then.
 */
export const listenForEach = async (
  names: readonly string[],
  first: number,
  tls: { readonly key: string; readonly cert: string },
  shared: Shared,
): Promise<() => Promise<void>> => {
  const servers: Server[] = [];
  const closeAll = async (): Promise<void> => void (await Promise.all(servers.map(close)));
  for (const [at, name] of (first === 0 ? [] : names).entries()) {
    const server = createServer({ ...tls, minVersion: 'TLSv1.2' });
    serve(server, answerOwn(name, shared));
    try {
      await listen(server, first + at, 0, '--own-ports');
    } catch (error) {
      await closeAll();
      throw error;
    }
    servers.push(server);
  }
  return closeAll;
};
