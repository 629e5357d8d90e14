/** How the simulator's servers take requests and give answers; routes are rows here as everywhere. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

import { Fault, Invalid, isFault, TooLarge } from '../layers/domain/fault.ts';

export type Ask = {
  readonly method: string;
  /** Without query and without trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** `drop`: the connection is closed instead of answering. `hang`: nothing ever comes. */
export type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object | string | Readable }
  | 'drop'
  | 'hang';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const maxBody = 128 * 2 ** 20;

/** Reads a request whole. Throws TooLarge past 128 MiB. */
export const readAsk = async (request: IncomingMessage): Promise<Ask> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBody) throw TooLarge('The body is larger than 128 MiB.');
    chunks.push(chunk as Buffer);
  }
  return {
    method: request.method ?? 'GET',
    path: pathname.replace(/\/+$/, '') || '/',
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
};

/** The JSON object in a body; an empty body is {}. Throws Invalid. */
export const parseObject = (body: Buffer): Record<string, unknown> => {
  if (body.length === 0) return {};
  try {
    const value = JSON.parse(body.toString()) as unknown;
    if (value && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, with the other way of not being an object.
  }
  throw Invalid('The body is not a JSON object.');
};

/** Gives the answer; `head` leaves the body out. */
export const respond = (response: ServerResponse, answer: Answer, head = false): void => {
  if (answer === 'hang') return;
  if (answer === 'drop') {
    response.destroy();
    return;
  }
  const { status, headers = {}, body } = answer;
  if (body !== undefined && typeof body === 'object' && 'pipe' in body) {
    response.writeHead(status, headers);
    if (head) body.destroy();
    if (head) response.end();
    else body.on('error', () => response.destroy()).pipe(response);
    return;
  }
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...type, ...length, ...headers });
  response.end(head ? undefined : text);
};

export type Route<Handler> = { readonly at: `${Method} /${string}`; readonly handle: Handler };
export type Match<Handler> =
  | { readonly handle: Handler; readonly params: Record<string, string> }
  | { readonly allowed: readonly string[] };

const fits = (pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined => {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = decodeURIComponent(path[at]!);
    else if (part !== path[at]) return undefined;
  }
  return params;
};

/** Finds the row for a request; otherwise the methods that the path has, none if there is no such path. */
export const createRouter = <Handler>(routes: readonly Route<Handler>[]) => {
  const rows = routes.map(({ at, handle }) => {
    const [method, path] = at.split(' ') as [Method, string];
    return { method, pattern: path.split('/'), handle };
  });
  return (method: string, path: string): Match<Handler> => {
    const parts = path.split('/');
    const allowed: string[] = [];
    for (const row of rows) {
      const params = fits(row.pattern, parts);
      if (params && row.method === method) return { handle: row.handle, params };
      if (params) allowed.push(row.method);
    }
    return { allowed };
  };
};

/** A thrown error as the fault it is; whatever is not a Fault is the simulator's own. */
export const asFault = (error: unknown): Fault => {
  if (isFault(error)) return error;
  if (error instanceof URIError) return Invalid('The path is not properly encoded.');
  return new Fault('SimulatorError', 500, String(error), { cause: error });
};
