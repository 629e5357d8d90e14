/** What the gateway answers by itself, without a function; on AWS these are its gateway responses. */
import type { Challenge } from '../../infra/challenge.ts';
import { Fault } from '../../layers/domain/fault.ts';
import { MAX, MIN } from '../../layers/domain/versions.ts';
import type { Answer } from './event.ts';

type Status = 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 431 | 500 | 502 | 503 | 504;

/** Ironic's usual error body is JSON in JSON (ironic-api.md 1.3). */
const wrapped = (text: string, faultcode: 'Client' | 'Server') =>
  JSON.stringify({ error_message: JSON.stringify({ faultcode, faultstring: text, debuginfo: null }) });

/** The statuses with a body of their own: 413 is flat (1.1), refused callers are told by middleware (1.3). */
const bodies: Partial<Record<Status, (text: string) => string>> = {
  403: (message) => JSON.stringify({ error: { message, code: 403 } }),
  413: (text) => JSON.stringify({ faultcode: 'Client', faultstring: text }),
};

/** Clients read the range of versions from every answer, also from those that no function gave. */
export const refuse = (status: Status, text: string): Answer => ({
  status,
  headers: [
    'Content-Type',
    'application/json',
    'X-OpenStack-Ironic-API-Minimum-Version',
    `1.${MIN}`,
    'X-OpenStack-Ironic-API-Maximum-Version',
    `1.${MAX}`,
  ],
  body: bodies[status]?.(text) ?? wrapped(text, status < 500 ? 'Client' : 'Server'),
});

/** Faults that the gateway itself throws, or a function host, with the status they have; any other error is a 502. */
const statuses: Record<string, Status> = {
  Forbidden: 403,
  TooLarge: 413,
  'Sandbox.Timedout': 504,
  Unavailable: 503,
};

/** To whom nobody knows. */
const refuseStranger = ({ challenge, error }: Challenge): Answer => {
  const { headers, ...answer } = refuse(401, '');
  return { ...answer, headers: [...headers, 'WWW-Authenticate', challenge], body: JSON.stringify({ error }) };
};

/** The answer to a failed request. Why a function failed is for the log, not for the client. */
export const refuseFault = (error: unknown, challenge: Challenge): Answer => {
  if (error instanceof Fault && error.name === 'Unauthorized') return refuseStranger(challenge);
  const status = error instanceof Fault ? statuses[error.name] : undefined;
  if (status === undefined) return refuse(502, 'The service failed to answer; its log says why.');
  return refuse(status, (error as Fault).message);
};
