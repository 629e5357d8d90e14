/**
 * Requests to one BMC, one at a time over one line, as somebody: within the deadline, with the login they need, and with errors that
 * hold no secret.
 */
import { isRetryable } from '../bmc/faults.ts';
import { Fault, isFault } from '../domain/fault.ts';
import { parseObject, refusalFault, refusalOf } from './answer.ts';
import { createAuth, type Credentials } from './auth.ts';
import { linkPath, type Place } from './paths.ts';
import { createMessageRedactor } from './redact.ts';
import { serviceRoot, type ServiceRoot } from './resources.ts';
import type { Answer, Method, Peer, Wire } from '../platform/wire.ts';

export type RedfishOptions = Credentials &
  Pick<Place, 'root_prefix'> & {
    readonly peer: Peer;
    readonly wire: Wire;
    readonly clock: { now(): number; sleep(ms: number): Promise<void> };
    /** When all of it must be over, milliseconds since the epoch by `clock`. Giving a session back may take longer. */
    readonly deadline: number;
    readonly connect_ms: number;
    /** Longest silence of the BMC while it answers. */
    readonly read_ms: number;
    readonly signal?: AbortSignal;
  };

export type Wanted = {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  /** undefined: a header that is otherwise always sent is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Gives the session back: has a time of its own and is not cancelled. */
  readonly closing?: true;
};

export type Conversation = {
  readonly rootPath: string;
  /** Logs in. The service root, if that had to be read for it and says where the systems are. */
  enter(): Promise<ServiceRoot | undefined>;
  /** The checked path of a link. Throws BmcProtocol. */
  link(value: unknown): string;
  /** GET until it succeeds, within reason. Throws what the last refusal means. */
  read(path: string): Promise<Answer>;
  /** Sends once (twice if the session had run out) and gives back the answer of any status. */
  write(wanted: Wanted): Promise<Answer>;
  /** The answer if it is a success. Throws what the refusal means. */
  success(wanted: Wanted, answer: Answer): Answer;
  /** Blanks what is secret in a text of the BMC. */
  redact(text: string): string;
  fingerprint256(): string | null;
  close(): Promise<void>;
};

const maxTries = 3;
const longestPause = 10_000;
/** The password was good: it opened the sessions that were refused then. */
const lostSessions =
  ' The BMC took the password and gave a session, which it refused, and so with a new one. Set redfish_auth_type to basic.';
/** For giving the session back: a hanging BMC must not hold up the answer for long. */
const closingMs = 5_000;

/** Milliseconds to pause after try number `attempt`: what the BMC asked for, within reason. */
const pauseAfter = (attempt: number, retryAfter: string | undefined): number => {
  const asked = Number(retryAfter) * 1000;
  return Math.min(asked > 0 ? asked : 1000 * attempt, longestPause);
};

/** How messages name a request: without its query. */
export const nameOf = ({ method, path }: Wanted, { label }: Peer): string =>
  `${method} ${path.split('?')[0]!} to ${label}`;

const originOf = ({ host, port }: Peer) => `https://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Begins nothing yet; the first request logs in. */
export const createConversation = (options: RedfishOptions): Conversation => {
  const { peer, wire, root_prefix, clock, deadline, connect_ms, read_ms, signal } = options;
  const place: Place = { origin: originOf(peer), root_prefix };
  const link = (value: unknown): string => linkPath(place, value);
  const rootPath = `${root_prefix}/redfish/v1/`;
  const line = wire.open(peer);
  let fingerprint: string | null = null;
  let root: ServiceRoot | undefined;

  const send = async ({ method, path, body, headers, closing }: Wanted): Promise<Answer> => {
    const total = closing ? closingMs : deadline - clock.now();
    const answer = await line.exchange({
      method,
      path,
      body,
      limits: { connect_ms, read_ms: Math.min(read_ms, total), total_ms: total },
      signal: closing ? undefined : signal,
      headers: { 'OData-Version': '4.0', ...headers },
      ...(closing && { last: true }),
    });
    fingerprint = answer.fingerprint256;
    return answer;
  };

  const sessionsPath = async (): Promise<string | undefined> => {
    // The service root is for everybody; a BMC that keeps it to itself has its sessions at the usual place.
    const answer = await send({ method: 'GET', path: rootPath });
    const body = answer.status === 200 ? parseObject(answer.text) : undefined;
    root = body && serviceRoot.parse(body);
    const named = root?.Links?.Sessions?.['@odata.id'];
    if (named !== undefined) return link(named);
    return root && !root.SessionService ? undefined : link(`${rootPath}SessionService/Sessions`);
  };

  const auth = createAuth({ ...options, label: peer.label, send, sessionsPath, link });

  const redact = (text: string) => createMessageRedactor(auth.secrets())(text);
  const refusal = (wanted: Wanted, answer: Answer, remedy?: string) =>
    refusalFault(nameOf(wanted, peer), answer, redact, remedy);

  /** Every error leaves through here: no secret passes. */
  const clean = (error: unknown): unknown => {
    if (!isFault(error)) return error;
    return new Fault(error.name, error.code, redact(error.message), { cause: error.cause });
  };

  const authorized = async (wanted: Wanted): Promise<Answer> => {
    const once = async () => send({ ...wanted, headers: { ...wanted.headers, ...(await auth.headers()) } });
    const first = await once();
    if (first.status !== 401) return first;
    await auth.renew(refusal(wanted, first));
    const second = await once();
    if (second.status !== 401) return second;
    return auth.giveUp(refusal(wanted, second, auth.hasSession() ? lostSessions : undefined));
  };

  const success = (wanted: Wanted, answer: Answer): Answer => {
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw clean(auth.blame(refusal(wanted, answer)));
  };

  const readOnce = async (path: string): Promise<Answer> => {
    const wanted: Wanted = { method: 'GET', path };
    const answer = await authorized(wanted);
    if (answer.status !== 406) return success(wanted, answer);
    // HPE iLO 5 refuses `identity` for some resources.
    const any: Wanted = { ...wanted, headers: { 'Accept-Encoding': undefined } };
    return success(any, await authorized(any));
  };

  /** Does what changes nothing until it succeeds, within reason. */
  const patiently = async <T>(once: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once();
      } catch (error) {
        const pause = pauseAfter(attempt, refusalOf(error)?.retryAfter);
        // A timeout has used up its time, and a full session table does not empty in seconds.
        const again = isRetryable(error) && !['BmcTimeout', 'BmcSessionLimit'].includes((error as Fault).name);
        if (!again || attempt >= maxTries || clock.now() + pause >= deadline) throw clean(error);
        await clock.sleep(pause);
      }
    }
  };

  return {
    rootPath,
    enter: async () => {
      await patiently(auth.headers);
      return root?.Systems ? root : undefined;
    },
    link,
    read: async (path) => patiently(async () => readOnce(path)),
    write: async (wanted) =>
      authorized(wanted).catch((error: unknown) => {
        throw clean(error);
      }),
    success,
    redact,
    fingerprint256: () => fingerprint,
    close: async () => {
      await auth.close();
      line.close();
    },
  };
};
