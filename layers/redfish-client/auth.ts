/**
 * Who we say we are. `auto` opens a session and falls back to Basic when the BMC cannot give one, as Ironic does, but
 * never after a refused password: a second try could lock the account (redfish.md 5 rows 1, 2, 24).
 */
import { bmcFault } from '../bmc/faults.ts';
import { isFault, type Fault } from '../domain/fault.ts';
import { parseObject, refusalFault } from './answer.ts';
import { createMessageRedactor } from './redact.ts';
import type { Answer } from '../platform/wire.ts';

export type AuthType = 'auto' | 'basic' | 'session';

/** Without a username no credentials are sent at all. */
export type Credentials = {
  readonly username: string | null;
  readonly password: string | null;
  readonly auth_type: AuthType;
};

type Needs = Credentials & {
  readonly label: string;
  /** Sends without credentials of its own. */
  send(request: {
    method: 'POST' | 'DELETE';
    path: string;
    body?: unknown;
    headers?: Record<string, string>;
    closing?: true;
  }): Promise<Answer>;
  /** Path of the session collection; undefined: the BMC says that it has none. */
  sessionsPath(): Promise<string | undefined>;
  /** The checked path of a link. */
  link(link: unknown): string;
};

type Session = { readonly is: 'session'; readonly token: string; readonly path: string };
type State =
  | { readonly is: 'new' }
  | { readonly is: 'basic' }
  | Session
  | { readonly is: 'refused'; readonly fault: Fault };

export type Auth = {
  /** Headers that prove who we are; logs in when that is needed. Throws BmcAuthFailed, BmcSessionLimit. */
  headers(): Promise<Record<string, string>>;
  /** After a 401: logs in again if that could help, once. Otherwise throws, and so does every later `headers`. */
  renew(fault: Fault): Promise<void>;
  /** After the second 401: ends it all. */
  giveUp(fault: Fault): Promise<never>;
  /** Whether requests go by a session now, for which the BMC has taken the password. */
  hasSession(): boolean;
  /** With Basic as the last resort, a refusal is really about the session that we could not get. */
  blame(fault: Fault): Fault;
  /** Values that must not be shown. */
  secrets(): string[];
  /** Ends the session on the BMC, whatever happened before. Never throws. */
  close(): Promise<void>;
};

const readSession = ({ link }: Needs, answer: Answer): Session | undefined => {
  const token = answer.headers['x-auth-token'];
  // Some BMCs put another host name into Location; the body's own link is as good.
  for (const candidate of [answer.headers.location, parseObject(answer.text)?.['@odata.id']]) {
    try {
      if (typeof token === 'string' && candidate !== undefined) return { is: 'session', token, path: link(candidate) };
    } catch {
      continue;
    }
  }
  return undefined;
};

const basicOf = ({ username, password }: Credentials) => `${username ?? ''}:${password ?? ''}`;

/** A session, or why there is none although the password was not refused. Throws BmcAuthFailed. */
const login = async (needs: Needs): Promise<Session | Fault> => {
  const { username, password, label } = needs;
  const path = await needs.sessionsPath();
  // sushy-tools: its root names no sessions, and 401 to a try would look like a wrong password.
  if (path === undefined) {
    return bmcFault('BmcUnsupported', `${label} offers no sessions. Set redfish_auth_type to auto or basic.`);
  }
  const answer = await needs.send({ method: 'POST', path, body: { UserName: username, Password: password } });
  if (answer.status < 300) {
    return readSession(needs, answer) ?? bmcFault('BmcProtocol', `${label} opened a session but did not say where.`);
  }
  const redact = createMessageRedactor([password ?? '', basicOf(needs)]);
  const fault = refusalFault(`Logging in to ${label}`, answer, redact);
  // 403 may well be a refused password, too.
  if (fault.name === 'BmcAuthFailed' || (answer.status === 403 && fault.name === 'BmcRejected')) {
    throw bmcFault('BmcAuthFailed', fault.message, fault.cause);
  }
  return fault;
};

/** Authentication of one client. Not for concurrent use: a BMC gets one request at a time. */
export const createAuth = (needs: Needs): Auth => {
  const { password, username, auth_type } = needs;
  const basic = basicOf(needs);
  const tokens: string[] = [];
  let state: State = auth_type === 'basic' ? { is: 'basic' } : { is: 'new' };
  let noSession: Fault | undefined;

  const enter = async (): Promise<void> => {
    try {
      const entered = await login(needs);
      if (!isFault(entered)) {
        tokens.push(entered.token);
        state = entered;
        return;
      }
      if (auth_type === 'session') throw entered;
      noSession = entered;
      state = { is: 'basic' };
    } catch (error) {
      if (isFault(error) && error.name === 'BmcAuthFailed') state = { is: 'refused', fault: error };
      throw error;
    }
  };

  const close = async (): Promise<void> => {
    if (state.is !== 'session') return;
    const { token, path } = state;
    state = { is: 'new' };
    await needs.send({ method: 'DELETE', path, headers: { 'X-Auth-Token': token }, closing: true }).catch(() => {});
  };

  const blame = (fault: Fault): Fault =>
    noSession?.name === 'BmcSessionLimit' && ['BmcBusy', 'BmcAuthFailed'].includes(fault.name) ? noSession : fault;

  const giveUp = async (fault: Fault): Promise<never> => {
    await close();
    state = { is: 'refused', fault: blame(fault) };
    throw state.fault;
  };

  return {
    headers: async () => {
      if (username === null) return {};
      if (state.is === 'new') await enter();
      if (state.is === 'refused') throw state.fault;
      if (state.is === 'session') return { 'X-Auth-Token': state.token };
      return { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` };
    },
    renew: async (fault) => {
      if (state.is !== 'session') return giveUp(fault);
      // The BMC may have dropped the session, or may only think so: give it back before another is opened.
      await close();
      await enter();
    },
    giveUp,
    hasSession: () => state.is === 'session',
    blame,
    secrets: () => [basic, password ?? '', ...tokens],
    close,
  };
};
