/** An API Gateway (REST, proxy integration) event read into what a pipeline needs. Shared by the HTTP functions. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { Fault, Invalid, NotAcceptable, TooLarge } from '../domain/fault.ts';

export type HttpRequest = {
  readonly method: string;
  /** Decoded pieces of the path; the root has none. One trailing slash is dropped. */
  readonly segments: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** What the client called: scheme, host and stage, without a trailing slash. */
  readonly base: string;
  readonly body: Uint8Array;
  /** Address the request came from; empty if it is unknown, as behind a proxy that nobody vouches for. */
  readonly source: string;
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw Invalid('The path has a broken percent-encoding.', error);
  }
};

const segmentsOf = (path: string): string[] => {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/').map(decode);
};

const headersOf = (event: APIGatewayProxyEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.headers ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), value]],
    ),
  );

const queryOf = (event: APIGatewayProxyEvent): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [name, values ?? []]),
  );

/** API Gateway puts the stage in front of the path in `requestContext.path` only; links must carry it. */
const baseOf = (event: APIGatewayProxyEvent, headers: Record<string, string>): string => {
  const full = event.requestContext?.path ?? event.path;
  const stage = full.endsWith(event.path) ? full.slice(0, full.length - event.path.length) : '';
  return `${headers['x-forwarded-proto'] ?? 'http'}://${headers['host'] ?? 'localhost'}${stage}`.replace(/\/$/, '');
};

/** Reads the event; the body stays bytes until `jsonBody`. Throws Invalid (400) for a broken path. */
export const readRequest = (event: APIGatewayProxyEvent): HttpRequest => {
  const headers = headersOf(event);
  return {
    method: event.httpMethod.toUpperCase(),
    segments: segmentsOf(event.path),
    headers,
    query: queryOf(event),
    base: baseOf(event, headers),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    source: event.requestContext?.identity?.sourceIp ?? '',
  };
};

/** Throws NotAcceptable (406) for an Accept header that leaves no room for any of these media types. */
export const refuseAccept = ({ headers }: HttpRequest, types: readonly string[]): void => {
  const accept = headers['accept'];
  if (accept === undefined || accept.trim() === '') return;
  const welcome = new Set(types.flatMap((type) => [type, type.replace(/\/.*/, '/*'), '*/*']));
  const asked = accept.split(',').map((entry) => entry.split(';')[0]!.trim().toLowerCase());
  if (asked.some((type) => welcome.has(type))) return;
  throw NotAcceptable(`Only ${types.join(' or ')} is answered; the Accept header allows something else only.`);
};

const maxDepth = 25;

/** Ends early, so that no nesting can exhaust the stack. */
const deeper = (value: unknown, left: number): boolean =>
  typeof value === 'object' && value !== null && (left === 0 || Object.values(value).some((v) => deeper(v, left - 1)));

/** As a key it is the prototype in most code that copies objects, so it would be lost on the way, or do worse. */
const unkeepable = '__proto__';

const hasKey = (value: unknown, name: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, name) || Object.values(value).some((inner) => hasKey(inner, name)));

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    // The parser's own message quotes the body, which may hold a password.
    throw Invalid('The request body is not valid JSON in UTF-8.', error instanceof SyntaxError ? undefined : error);
  }
};

/** The bytes of the body. `limit` in bytes. Throws TooLarge (413). */
export const bytesOf = ({ body }: HttpRequest, limit: number): Uint8Array => {
  if (body.length > limit) throw TooLarge(`The request body is larger than ${limit} bytes.`);
  return body;
};

/**
 * The JSON of the body; undefined when it is empty. `limit` in bytes. Any content type is taken as JSON, but there
 * has to be one (measured on real servers). Throws TooLarge (413), TooDeep (400), Invalid (400).
 */
export const jsonBody = (request: HttpRequest, limit: number): unknown => {
  const body = bytesOf(request, limit);
  if (body.length === 0) return undefined;
  if (!request.headers['content-type'])
    throw Invalid('The request has a body but no Content-Type, use application/json.');
  const value = parse(body);
  if (deeper(value, maxDepth)) {
    throw new Fault('TooDeep', 400, `The JSON of the request body is nested deeper than ${maxDepth}.`);
  }
  if (hasKey(value, unkeepable)) throw Invalid(`The request body has a key ${unkeepable}, which cannot be stored.`);
  return value;
};
