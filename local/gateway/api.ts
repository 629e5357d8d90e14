/** One API of the manifest, as API Gateway serves it: from a request to the function behind its route, and back. */
import type { IncomingMessage } from 'node:http';

import type { APIGatewayProxyEvent } from 'aws-lambda';

import { maxEvent, tooLarge } from '../../infra/body-limit.ts';
import { type Challenge, challengeOf } from '../../infra/challenge.ts';
import type { ApiRow } from '../../infra/manifest.ts';
import { otherMethod } from '../../infra/refusals.ts';
import type { Settings } from '../../infra/settings.ts';
import type { Networks } from '../../layers/bmc/networks.ts';
import { Fault, NotFound } from '../../layers/domain/fault.ts';
import { partsOf } from '../../layers/http/tree.ts';
import type { Ids, Log } from '../../layers/platform/platform.ts';
import type { Context } from './authorizer.ts';
import { readBody } from './body.ts';
import { type Answer, toAnswer, toEvent } from './event.ts';
import type { Guard } from './noauth.ts';
import { BadGateway, refuse, refuseFault } from './refusal.ts';
import { createRouter } from './router.ts';
import { sourceOf } from './source.ts';

/** A row of the manifest. `challenge`: what callers are told whom nobody knows; absent where nobody is asked. */
export type ServedApi = Pick<ApiRow, 'prefix' | 'port' | 'protocol' | 'routes'> & { readonly challenge?: Challenge };

/** The APIs of the manifest, as callers are asked who they are under these settings. */
export const servedApis = (rows: Readonly<Record<string, ApiRow>>, settings: Settings): Record<string, ServedApi> =>
  Object.fromEntries(
    Object.entries(rows).map(([name, { challenge: realm, ...row }]) => [
      name,
      { ...row, ...(realm !== null && { challenge: challengeOf(settings, realm) }) },
    ]),
  );

/** What the APIs of a gateway have in common. */
export type Surroundings = {
  /** Runs a function with the JSON text of an event; answers its result. */
  invoke(name: string, event: string): Promise<unknown>;
  /** For routes with `authorize`; see `authorizer.ts` for the faults. */
  authorize(event: APIGatewayProxyEvent): Promise<Context>;
  /** Refuses requests before anything is done for them. */
  readonly guard?: Guard;
  /** Reverse proxies whose word about the caller's address is believed. */
  readonly trusted: Networks;
  readonly ids: Ids;
  readonly log: Log;
  now(): number;
  /** API Gateway gives up after 29 seconds. */
  readonly timeoutMs?: number;
};

/** Path, as sent, and query of a request target. */
export type Target = { readonly path: string; readonly query: string };

const timedOut = () => new Fault('Sandbox.Timedout', 504, 'Endpoint request timed out.');

const within = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timedOut()), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
};

export type Api = {
  /** Whether the path is below the API's prefix. */
  covers(path: string): boolean;
  /**
   * The answer to a request: what a function says, or a refusal of the gateway's own. The prefix is part of the target;
   * undefined: it names no path.
   */
  answer(request: IncomingMessage, target: Target | undefined): Promise<Answer>;
};

/** Makes an API of its row. */
export const createApi = (row: ServedApi, surroundings: Surroundings): Api => {
  const { prefix = '', protocol, routes, challenge } = row;
  const { invoke, authorize, guard, trusted, ids, log, now, timeoutMs = 29_000 } = surroundings;
  const route = createRouter(routes);
  const covers = (path: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

  const call = async (request: IncomingMessage, target: Target | undefined, requestId: string): Promise<Answer> => {
    const path = target && covers(target.path) ? target.path.slice(prefix.length) || '/' : undefined;
    const place = path === undefined ? undefined : route(path);
    const refusal = guard?.(request, protocol, place);
    if (refusal) return refuse(protocol, refusal);
    if (path === undefined || !place) return refuse(protocol, NotFound('The resource could not be found.'));
    const found = place.row(request.method ?? 'GET');
    if (!found) return refuse(protocol, otherMethod());
    const head = { request, base: prefix, path, query: target!.query, source: sourceOf(request, trusted) };
    const body = await readBody(request, () => tooLarge(protocol));
    const event = toEvent(head, body, { resource: partsOf(found.at).path, params: place.params }, requestId, now());
    if (found.authorize) event.requestContext.authorizer = await authorize(event);
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > maxEvent) throw tooLarge(protocol);
    return toAnswer(await invoke(found.function, payload)) ?? refuse(protocol, BadGateway());
  };

  const answer = async (request: IncomingMessage, target: Target | undefined): Promise<Answer> => {
    const requestId = ids.uuid();
    try {
      return await within(call(request, target, requestId), timeoutMs);
    } catch (error) {
      const refusal = refuseFault(protocol, error, challenge);
      // An incomplete request is a client that went away: nobody's failure, and nobody reads the answer.
      if (refusal.status >= 500 && request.complete) log.error('A request failed.', { request_id: requestId, error });
      return refusal;
    }
  };

  return { covers, answer };
};
