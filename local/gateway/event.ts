/** HTTP to and from the events of API Gateway (REST API, Lambda proxy integration). */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

import type { APIGatewayEventRequestContext, APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

type Multi = Record<string, string[]>;

/** Headers of one connection, not of the message (RFC 9110, 7.6.1), and those that the gateway itself writes. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);
const gatewayHeaders = new Set(['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']);

/** Without a prototype, because clients choose the names (`__proto__`). */
const noValues = () => Object.create(null) as Multi;

const last = (values: Multi): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1)!]));

/** Header names as the client wrote them; repeated ones in order. */
const toHeaders = (request: IncomingMessage, sourceIp: string): Multi => {
  const headers = noValues();
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const lower = name.toLowerCase();
    if (connectionHeaders.has(lower) || gatewayHeaders.has(lower)) continue;
    (headers[name] ??= []).push(rawHeaders[at + 1]!);
  }
  const before = request.headers['x-forwarded-for'];
  headers['X-Forwarded-For'] = [before ? `${String(before)}, ${sourceIp}` : sourceIp];
  headers['X-Forwarded-Port'] = [String(request.socket.localPort ?? '')];
  headers['X-Forwarded-Proto'] = ['http'];
  return headers;
};

const toQuery = (query: string): Multi | null => {
  if (query === '') return null;
  const values = noValues();
  for (const [name, value] of new URLSearchParams(query)) (values[name] ??= []).push(value);
  return values;
};

/** Nobody is known to the gateway; it leaves that to the authorizer. */
const unknownIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
} as const;

/** Names that stand for the stage and the API in events and ARNs. */
export const stage = 'local';
export const apiId = 'ingot';

const toContext = (
  { request, base, path, source }: Head,
  resource: string,
  requestId: string,
  now: number,
): APIGatewayEventRequestContext => ({
  accountId: '000000000000',
  apiId,
  authorizer: undefined,
  protocol: `HTTP/${request.httpVersion}`,
  httpMethod: request.method ?? 'GET',
  identity: {
    ...unknownIdentity,
    sourceIp: source,
    userAgent: request.headers['user-agent'] ?? null,
  },
  path: base + path,
  stage,
  requestId,
  requestTimeEpoch: now,
  resourceId: resource,
  resourcePath: resource,
});

/** What a request is, once its head is read: `path` is as sent (percent-encoded), `query` without the question mark. */
export type Head = {
  readonly request: IncomingMessage;
  /** What stands before the path: the prefix of the API. */
  readonly base: string;
  readonly path: string;
  readonly query: string;
  /** Address of the caller; empty if it is not known. */
  readonly source: string;
};

/**
 * The event of one request at `resource`, the path of a row. A body that is not UTF-8 comes in base64; an empty one is
 * null. `now` is in milliseconds.
 */
export const toEvent = (
  head: Head,
  body: Buffer,
  { resource, params }: { readonly resource: string; readonly params: Record<string, string> | null },
  requestId: string,
  now: number,
): APIGatewayProxyEvent => {
  const { request, path, query } = head;
  const headers = toHeaders(request, request.socket.remoteAddress ?? '');
  const parameters = toQuery(query);
  const text = isUtf8(body);
  return {
    resource,
    path,
    httpMethod: request.method ?? 'GET',
    headers: last(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && last(parameters),
    multiValueQueryStringParameters: parameters,
    pathParameters: params,
    stageVariables: null,
    requestContext: toContext(head, resource, requestId, now),
    body: body.length === 0 ? null : body.toString(text ? 'utf8' : 'base64'),
    isBase64Encoded: !text,
  };
};

/** What is written to the client: `headers` alternate names and values, as node:http takes them. */
export type Answer = { readonly status: number; readonly headers: string[]; readonly body: string | Buffer };

const isResult = (value: unknown): value is APIGatewayProxyResult =>
  typeof value === 'object' && value !== null && Number.isInteger((value as APIGatewayProxyResult).statusCode);

/** The answer in a function's result; undefined when it is not one (API Gateway: 502, malformed proxy response). */
export const toAnswer = (result: unknown): Answer | undefined => {
  if (!isResult(result)) return undefined;
  const headers: string[] = [];
  const add = (name: string, value: unknown) => {
    if (!connectionHeaders.has(name.toLowerCase()) && name.toLowerCase() !== 'content-length') {
      headers.push(name, String(value));
    }
  };
  const many = result.multiValueHeaders ?? {};
  for (const [name, value] of Object.entries(result.headers ?? {})) if (!(name in many)) add(name, value);
  for (const [name, values] of Object.entries(many)) for (const value of values) add(name, value);
  return {
    status: result.statusCode,
    headers,
    // Text stays text: node:http writes it in one piece with the head.
    body: result.isBase64Encoded ? Buffer.from(result.body, 'base64') : (result.body ?? ''),
  };
};
