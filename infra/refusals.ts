/**
 * What callers are told before any function is asked: by API Gateway on AWS, by local/gateway on one machine. How it
 * looks is for the protocol of the API to say.
 */
import { type Fault, MethodNotAllowed, Unavailable } from '../layers/domain/fault.ts';
import type { Content, Protocol } from '../layers/http/protocol.ts';
import type { Challenge } from './challenge.ts';

/** The path has other methods. */
export const otherMethod = (): Fault => MethodNotAllowed('This method is not possible at this path.');

/** The authorizer fails, so nobody is let in; clients try a 503 again. */
export const notToldWho = (): Fault => Unavailable('It can not be found out who calls. Try again.');

/** The body of a refusal. */
export const bodyOf = (protocol: Protocol, { name, code, message }: Fault): Content =>
  protocol.refuse({ by: 'gateway', name, code, message });

/** The body for a caller whom the authorizer does not know. */
export const strangerBody = (protocol: Protocol, { message, title }: Challenge): Content =>
  protocol.refuse({ by: 'gateway', name: 'Unauthorized', code: 401, message, ...(title && { title }) });
