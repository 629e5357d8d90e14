/** Answers in the form of API Gateway, with what a protocol puts on each. */
import type { APIGatewayProxyResult } from 'aws-lambda';

import { type Fault, isFault } from '../domain/fault.ts';
import type { About, Content, Protocol, Refusal } from './protocol.ts';

/** An answer; without `content` it has no Content-Type either. */
export const reply = (
  { headers }: Protocol,
  about: About,
  status: number,
  content?: Content,
  more: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers(about), ...(content && { 'Content-Type': content.type }), ...more },
  body: content?.text ?? '',
});

/** 500 and everything that is not a Fault: the cause is for the log, not for the client. */
const unexpected = (requestId: string) =>
  `The server met something unexpected. Ask its operator to look for ${requestId} in the log.`;

/** What an API does not do at all is nobody's fault. */
const notImplemented = 501;
/** Of 500 and more, what is said to clients. */
const toldAll: readonly number[] = [notImplemented, 503];

/** How an error is logged, with its cause: not at all if the caller is told all of it, as an error if it is our fault. */
export const levelOf = (error: unknown): 'error' | 'warn' | undefined => {
  if (!isFault(error)) return 'error';
  if (error.code < 500 || error.code === notImplemented || error.retryAfter !== undefined) return undefined;
  // Something that is asked does not answer, a BMC most of all: try again.
  return error.code === 503 ? 'warn' : 'error';
};

const headersOf = ({ retryAfter, allow }: Fault): Record<string, string> => ({
  ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  ...(allow && { Allow: allow.join(', ') }),
});

/** The answer to an error. Only faults below 500, and those that are meant for clients, show their own message. */
export const refuse = (protocol: Protocol, about: About, error: unknown, by: Refusal['by']): APIGatewayProxyResult => {
  const code = isFault(error) ? error.code : 500;
  const told =
    isFault(error) && (code < 500 || toldAll.includes(code))
      ? { name: error.name, message: error.message }
      : { name: 'Error', message: unexpected(about.request_id) };
  return reply(protocol, about, code, protocol.refuse({ by, code, ...told }), isFault(error) ? headersOf(error) : {});
};
