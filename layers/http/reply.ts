/** Answers on Ironic's wire: headers of every answer and the three forms of an error body (ironic-api.md 1.3). */
import type { APIGatewayProxyResult } from 'aws-lambda';

import { isFault } from '../domain/fault.ts';
import { MAX, MIN } from '../domain/versions.ts';

/** What is known of the request when it is answered. */
export type About = {
  /** Effective microversion; 1.1 if the negotiation itself failed. */
  readonly version: number;
  readonly request_id: string;
};

/** `router`: the request did not get as far as a resource. `controller`: a resource refused it. */
export type ErrorForm = 'router' | 'controller';

const headersOf = ({ version, request_id }: About): Record<string, string> => ({
  'X-OpenStack-Ironic-API-Minimum-Version': `1.${MIN}`,
  'X-OpenStack-Ironic-API-Maximum-Version': `1.${MAX}`,
  'X-OpenStack-Ironic-API-Version': `1.${version}`,
  'Openstack-Request-Id': request_id,
  ...(version >= 107 && { 'X-OpenStack-Request-Id': request_id }),
});

/** The JSON text of a body; undefined without one. */
export const toJson = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body));

/** An answer whose body is `json` text; without it, it has no Content-Type either. */
export const replyJson = (
  about: About,
  status: number,
  json: string | undefined,
  headers: Record<string, string> = {},
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headersOf(about), ...(json !== undefined && { 'Content-Type': 'application/json' }), ...headers },
  body: json ?? '',
});

/** An answer; without a `body` it has no Content-Type either. */
export const reply = (
  about: About,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): APIGatewayProxyResult => replyJson(about, status, toJson(body), headers);

/** Titles of what a router says; those of node:http would load all of Node's HTTP and fetch into every cold start. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Refused before any controller was asked; these two are not wrapped. */
const flat = new Set(['TooLarge', 'TooDeep']);

const errorBody = (name: string, code: number, message: string, form: ErrorForm): object => {
  const fault = { faultcode: code < 500 ? 'Client' : 'Server', faultstring: message };
  if (flat.has(name)) return fault;
  const inner =
    form === 'router'
      ? { status: code, code, title: titles[code] ?? 'Error', description: message }
      : { ...fault, debuginfo: null };
  return { error_message: JSON.stringify(inner) };
};

/** 500 and everything that is not a Fault: the cause is for the log, not for the client. */
const unexpected = (requestId: string) =>
  `The server met something unexpected. Ask its operator to look for ${requestId} in the log.`;

/** Whether an error is our fault and must be logged with its cause. */
export const isServerError = (error: unknown): boolean => !isFault(error) || error.code >= 500;

/** The answer to an error. Only faults below 500, and 503, show their own message. */
export const refuse = (about: About, error: unknown, form: ErrorForm): APIGatewayProxyResult => {
  const known = isFault(error) && (error.code < 500 || error.code === 503);
  const code = isFault(error) ? error.code : 500;
  const message = known ? error.message : unexpected(about.request_id);
  return reply(about, code, errorBody(known ? error.name : 'Error', code, message, form));
};
