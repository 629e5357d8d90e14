/** Requests to the Bare Metal API in its pinned version: which are tried again, and for how long. */
import type * as z from 'zod';

import { isFault } from '../domain/fault.ts';
import type { ApiCall, ApiReply, ApiRequest } from '../platform/apis.ts';
import type { Platform } from '../platform/platform.ts';
import { baremetalFault, faultOf, nameOf } from './faults.ts';

/** What the answers are read as. A newer service answers in it all the same. */
const microversion = 'baremetal 1.115';

export type ConversationNeeds = Pick<Platform, 'clock' | 'chance'> & { readonly call: ApiCall };

export type ConversationOptions = {
  /** Of what is being done for a client, such as req-<uuid>; all requests for it bear it. */
  readonly request_id: string;
  /**
   * The instance that all of it is about: what is asked of a node is only for one that has it when it is done, so that a
   * request that comes late does nothing to the machine of somebody else.
   */
  readonly instance?: string;
  /** Headers by which somebody proved himself for whom this is asked: the Bare Metal API checks what he may (`ApiRequest`). */
  readonly proof?: Readonly<Record<string, string>>;
  /** When whoever waits goes away (ms since the epoch): no pause leads beyond it. */
  readonly until: number;
};

export type Asked = ApiRequest & {
  /** What of the body no message may quote. */
  readonly secrets?: readonly string[];
  /** The node does not have the instance yet. */
  readonly claims?: true;
};

/** By the name of a fault: how often a request is made that ends so. Others are made once. */
export type Tries = { readonly [fault: string]: number };

/** What does no harm if it is done twice. */
export const repeatable: Tries = { BaremetalLocked: 8, Unavailable: 3 };

/** What may have been done when no answer comes, and is not to be done twice. */
export const once: Tries = { BaremetalLocked: 8 };

/** What somebody else may get instead. */
export const never: Tries = {};

/** Something that is to be so afterwards, whoever has done it, and however often it is asked for. */
export type Effect<T> = {
  /** What it is if it is so; undefined: it is not. */
  observe(): Promise<T | undefined>;
  act(): Promise<T>;
  readonly tries: Tries;
};

const firstPause_ms = 500;
const lastPause_ms = 8000;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const read = <S extends z.ZodType>(asked: Asked, { text }: ApiReply, schema: S): z.output<S> => {
  const answer = schema.safeParse(parsed(text));
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  const field = issue!.path.join('.') || 'the body';
  throw baremetalFault(
    'BaremetalProtocol',
    `The answer to ${nameOf(asked)} cannot be read: ${field}: ${issue!.message}`,
  );
};

export type Conversation = ReturnType<typeof createConversation>;

/** All requests that are made for one thing. What each method throws: `faults.ts`. */
export const createConversation = (
  needs: ConversationNeeds,
  { request_id, instance, proof, until }: ConversationOptions,
) => {
  const { call, clock, chance } = needs;

  const headers = { 'OpenStack-API-Version': microversion, 'X-OpenStack-Request-Id': request_id };

  /** Makes a request once. */
  const send = async ({ secrets, claims, ...wanted }: Asked): Promise<ApiReply> => {
    const isBound = instance !== undefined && !claims && wanted.method !== 'GET';
    const reply = await call({
      ...wanted,
      ...(proof && { proof }),
      headers: { ...headers, ...(isBound && { 'X-Ingot-Instance': instance }) },
    });
    if (reply.status >= 200 && reply.status < 300) return reply;
    throw faultOf(wanted, reply, secrets);
  };

  /** Growing, and not the same for all who wait for the same node. */
  const pauseAfter = (attempt: number): number =>
    Math.min(firstPause_ms * 2 ** (attempt - 1), lastPause_ms) * (0.5 + chance.number() / 2);

  /** Pauses and says true if what ended so is to be tried again. */
  const again = async (error: unknown, tries: Tries, attempt: number): Promise<boolean> => {
    const most = isFault(error) ? (tries[error.name] ?? 1) : 1;
    const pause = pauseAfter(attempt);
    if (attempt >= most || clock.now() + pause >= until) return false;
    await clock.sleep(pause);
    return true;
  };

  /** Reads what a path shows, again if nobody answers. Throws BaremetalProtocol for an answer of another form. */
  const get = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> => {
    const asked = { method: 'GET', path } as const;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return read(asked, await send(asked), schema);
      } catch (error) {
        if (!(await again(error, repeatable, attempt))) throw error;
      }
    }
  };

  /**
   * Acts until it is so. Before it acts again it observes, because an answer may have been lost; what is not tried
   * again, too, is observed once, because a refusal may be that of a repetition.
   */
  const effect = async <T>({ observe, act, tries }: Effect<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await act();
      } catch (error) {
        const goesOn = await again(error, tries, attempt);
        const done = await observe();
        if (done !== undefined) return done;
        if (!goesOn) throw error;
      }
    }
  };

  return { send, get, read, effect };
};
