/**
 * API Gateway on one machine: the APIs of the manifest on 127.0.0.1, each below its prefix of the one port or at a port
 * of its own, with API Gateway's limits of size and time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { createApi, type ServedApi, type Surroundings, type Target } from './api.ts';
import type { Answer } from './event.ts';
import { listen, type Listener } from './listener.ts';

export type Mount = {
  /** Requests of the one port whose path starts with it are answered by `serve` instead of a function. */
  readonly prefix: string;
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

export type GatewayOptions = Surroundings & {
  /** By name. At each port one has no prefix: it answers what the others do not. */
  readonly apis: Readonly<Record<string, ServedApi>>;
  readonly mounts?: readonly Mount[];
  /** Of the APIs that have none of their own; 0: any free one, for the others too. */
  readonly port: number;
};

export type Gateway = Listener & {
  /** Where each API is. */
  readonly urls: Readonly<Record<string, string>>;
};

/** Path and query of the request target; undefined for one that names no path of ours (`*`, an authority). */
const targetOf = ({ url = '' }: IncomingMessage): Target | undefined => {
  const origin = /^https?:\/\/[^/?]+/i.exec(url)?.[0] ?? '';
  const local = url.slice(origin.length) || '/';
  if (!local.startsWith('/')) return undefined;
  const at = local.indexOf('?');
  return at < 0 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
};

type Rows = GatewayOptions['apis'];

/** The APIs of each port; undefined stands for the one that they share. */
const byPort = (apis: Rows): Map<number | undefined, Rows> => {
  const found = new Map<number | undefined, Rows>([[undefined, {}]]);
  for (const [name, row] of Object.entries(apis)) found.set(row.port, { ...found.get(row.port), [name]: row });
  return found;
};

/** Answers the requests of one port: those below a prefix by its API, the others by the one without. */
const createHandler = (rows: Rows, options: GatewayOptions) => {
  const longestFirst = Object.values(rows).sort(
    ({ prefix: one = '' }, { prefix: other = '' }) => other.length - one.length,
  );
  const apis = longestFirst.map((row) => createApi(row, options));
  return async (request: IncomingMessage): Promise<Answer> => {
    const target = targetOf(request);
    const api = apis.find(({ covers }) => target && covers(target.path)) ?? apis.at(-1)!;
    return api.answer(request, target);
  };
};

const open = async (wanted: number | undefined, rows: Rows, options: GatewayOptions): Promise<Listener> => {
  const handle = createHandler(rows, options);
  const mounts = wanted === undefined ? (options.mounts ?? []) : [];
  return listen({
    port: wanted === undefined || options.port === 0 ? options.port : wanted,
    protocol: Object.values(rows).find(({ prefix = '' }) => prefix === '')!.protocol,
    log: options.log,
    instead: wanted === undefined ? 'choose another with --port' : 'let all APIs have free ports with --port 0',
    serve: async (request, response) => {
      const mount = mounts.find(({ prefix }) => request.url?.startsWith(prefix));
      return mount ? mount.serve(request, response) : handle(request);
    },
  });
};

/** Starts to listen, at every port or none. Throws PortTaken. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const listeners = new Map<number | undefined, Listener>();
  const close = async (graceMs: number) =>
    void (await Promise.all([...listeners.values()].map(async (listener) => listener.close(graceMs))));
  try {
    for (const [port, rows] of byPort(options.apis)) listeners.set(port, await open(port, rows, options));
  } catch (error) {
    await close(0);
    throw error;
  }
  const urls = Object.entries(options.apis).map(([name, { port, prefix = '' }]) => [
    name,
    listeners.get(port)!.url + prefix,
  ]);
  const { port, url } = listeners.get(undefined)!;
  return { port, url, urls: Object.fromEntries(urls) as Gateway['urls'], close };
};
