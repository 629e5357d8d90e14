/** What the gateway answers by itself, without a function, in the form of an API's protocol. */
import type { Challenge } from '../../infra/challenge.ts';
import { bodyOf, strangerBody } from '../../infra/refusals.ts';
import { Fault } from '../../layers/domain/fault.ts';
import type { Content, Protocol } from '../../layers/http/protocol.ts';
import type { Answer } from './event.ts';

/** A function failed, or answered what is no answer. Why is for the log, not for the client. */
export const BadGateway = (): Fault => new Fault('BadGateway', 502, 'The service failed to answer; its log says why.');

const answer = (protocol: Protocol, status: number, { type, text }: Content, more: readonly string[] = []): Answer => ({
  status,
  headers: ['Content-Type', type, ...Object.entries(protocol.headers()).flat(), ...more],
  body: text,
});

/** The refusal of a request by a fault of the gateway's own. */
export const refuse = (protocol: Protocol, fault: Fault): Answer =>
  answer(protocol, fault.code, bodyOf(protocol, fault));

/**
 * Faults that the gateway itself throws, or a function host, with the status they have: of what a function throws only
 * name and message arrive. Any other error is a failure of the function.
 */
const told: ReadonlyMap<string, number> = new Map([
  ['Forbidden', 403],
  ['TooLarge', 413],
  ['Sandbox.Timedout', 504],
  ['Unavailable', 503],
]);

const asTold = (error: unknown): Fault => {
  const code = error instanceof Fault ? told.get(error.name) : undefined;
  return code === undefined ? BadGateway() : new Fault((error as Fault).name, code, (error as Fault).message);
};

/** The answer to a failed request; `challenge`: to whom nobody knows. */
export const refuseFault = (protocol: Protocol, error: unknown, challenge?: Challenge): Answer => {
  if (error instanceof Fault && error.name === 'Unauthorized' && challenge) {
    return answer(protocol, 401, strangerBody(protocol, challenge), ['WWW-Authenticate', challenge.challenge]);
  }
  return refuse(protocol, asTold(error));
};
