/** A service that is asked over HTTP, and who asks. What is proved there is in no message. */
import * as z from 'zod';

import { Fault, Invalid, isFault, Unavailable } from '../layers/domain/fault.ts';
import { isSafeUrl } from '../layers/domain/safe-url.ts';

export type Credentials =
  | { readonly auth: 'none' }
  | { readonly auth: 'basic'; readonly user: string; readonly password: string }
  | { readonly auth: 'token'; readonly token: string };

export type Reply = { readonly status: number; readonly body: unknown };

export type Asking = { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export type Service = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  asking?: Asking,
) => Promise<Reply>;

const proofOf = (credentials: Credentials): Record<string, string> => {
  if (credentials.auth === 'token') {
    // Where Keystone looks for it, and where OpenID Connect does.
    return { 'X-Auth-Token': credentials.token, Authorization: `Bearer ${credentials.token}` };
  }
  if (credentials.auth === 'none') return {};
  const { user, password } = credentials;
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
};

const patience = 60_000;

/** The value of a JSON text; undefined for another one. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const told = z.object({ faultstring: z.string() });

/** Errors are objects, or the JSON of them as a text. */
const error = z.object({ error_message: z.union([told, z.string().transform(parseJson).pipe(told)]) });

/** What the Bare Metal API says in an error. */
export const faultstringOf = (body: unknown): string =>
  error.safeParse(body).data?.error_message.faultstring ?? 'it does not say why.';

/**
 * Makes the function that asks the service `name` at `endpoint`. Throws Invalid for an endpoint that is no URL, or where
 * a password could be read on its way; each request Unavailable (503) if nobody answers, Fault AccessDenied (401, 403).
 */
export const openService = (name: string, endpoint: string, credentials: Credentials): Service => {
  const base = endpoint.replace(/\/+$/, '');
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url && (url.username !== '' || url.password !== '')) {
    throw Invalid(`The URL of ${name} has a user or password in it, which everybody on this machine could read.`);
  }
  if (!url || !/^https?:$/.test(url.protocol)) throw Invalid(`"${endpoint}" is no http or https URL.`);
  if (credentials.auth !== 'none' && !isSafeUrl(base)) {
    throw Invalid(`${name} has to be asked at an https URL: what is proved there could be read on its way.`);
  }
  const proof = proofOf(credentials);

  return async (method, path, { headers, body } = {}) => {
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const ask = async () => {
      const answer = await fetch(base + path, {
        method,
        headers: { Accept: 'application/json', ...json, ...headers, ...proof },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // What is proved would travel along.
        redirect: 'error',
        signal: AbortSignal.timeout(patience),
      });
      return { status: answer.status, text: await answer.text() };
    };
    // An answer may also break off in its middle.
    const { status, text } = await ask().catch((error: unknown) => {
      throw Unavailable(`${name} does not answer at ${base}.`, error);
    });
    if (status === 401 || status === 403) {
      throw new Fault('AccessDenied', status, `${name} refused who asks (${status}): ${method} ${path.split('?')[0]}.`);
    }
    return { status, body: parseJson(text) };
  };
};

/** Milliseconds. */
const pauses = [1, 2, 4, 8, 15, 30, 60].map((seconds) => seconds * 1000);

const mayBeBetterLater = ({ status }: Reply): boolean => status === 429 || status >= 500;

/** Asks again, for two minutes together, while nobody answers or an answer may be a better one later. `sleep` takes ms. */
export const patiently = async (ask: () => Promise<Reply>, sleep: (ms: number) => Promise<unknown>): Promise<Reply> => {
  for (const pause of pauses) {
    try {
      const reply = await ask();
      if (!mayBeBetterLater(reply)) return reply;
    } catch (error) {
      if (!isFault(error) || error.name !== 'Unavailable') throw error;
    }
    await sleep(pause);
  }
  return ask();
};
