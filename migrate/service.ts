/** A service that is asked over HTTP, and who asks. What is proved there is in no message. */
import * as z from 'zod';

import { Fault, Invalid, isFault, Unavailable } from '../layers/domain/fault.ts';
import { isSafeUrl } from '../layers/domain/safe-url.ts';

export type Credentials =
  | { readonly auth: 'none' }
  | { readonly auth: 'basic'; readonly user: string; readonly password: string }
  | {
      readonly auth: 'token';
      /** A token; `refused`: the one that is not taken any more, in place of which one is wanted. Undefined: there is none. */
      take(refused?: string): Promise<string | undefined>;
    };

export type Reply = { readonly status: number; readonly body: unknown };

export type Asking = { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export type Service = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  asking?: Asking,
) => Promise<Reply>;

type Proof = Record<string, string>;

type Prover = {
  now(): Promise<Proof>;
  /** What is proved in place of a proof that was refused; undefined if there is nothing else. */
  anew(refused: Proof): Promise<Proof | undefined>;
};

/** Where Keystone looks for it, and where OpenID Connect does. */
const proofOfToken = (token: string): Proof => ({ 'X-Auth-Token': token, Authorization: `Bearer ${token}` });

/** One that ends in the middle of a run is taken anew, once for all requests that were refused with it. */
const proverOfTokens = (take: (refused?: string) => Promise<string | undefined>): Prover => {
  let known: Promise<string | undefined> | undefined;
  const now = async () => {
    known ??= take();
    try {
      return proofOfToken((await known) ?? '');
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
  return {
    now,
    anew: async (refused) => {
      const token = refused['X-Auth-Token'];
      const before = known;
      // Of several that were refused at once the first takes it.
      if ((await before) === token && known === before) known = take(token);
      const next = await now();
      return next['X-Auth-Token'] === token || next['X-Auth-Token'] === '' ? undefined : next;
    },
  };
};

const proverOf = (credentials: Credentials): Prover => {
  if (credentials.auth === 'token') return proverOfTokens(async (refused) => credentials.take(refused));
  const basic = ({ user, password }: { user: string; password: string }): Proof => ({
    Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  });
  const proof = credentials.auth === 'none' ? {} : basic(credentials);
  return { now: async () => proof, anew: async () => undefined };
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
    throw Invalid(`${name}'s URL has a user or password in it, which everybody on this machine could read.`);
  }
  if (!url || !/^https?:$/.test(url.protocol)) throw Invalid(`"${endpoint}" is no http or https URL.`);
  if (credentials.auth !== 'none' && !isSafeUrl(base)) {
    throw Invalid(`${name} has to be asked at an https URL: what is proved there could be read on its way.`);
  }
  const prover = proverOf(credentials);

  return async (method, path, { headers, body } = {}) => {
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const ask = async (proof: Proof) => {
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
    const told = async (proof: Proof) =>
      ask(proof).catch((error: unknown) => {
        throw Unavailable(`${name} does not answer at ${base}.`, error);
      });
    const proof = await prover.now();
    const first = await told(proof);
    const next = first.status === 401 ? await prover.anew(proof) : undefined;
    const { status, text } = next ? await told(next) : first;
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
