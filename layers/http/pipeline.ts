/**
 * The one request pipeline of every API (DESIGN.md 3.3). The order of its steps is part of what an API promises: who
 * asks in a version that is not spoken, for a path that is not there, for a record that is none of his, is told so
 * before anybody looks at his query or his body.
 *
 * 1. negotiate: the version (Ironic: 406), then whether the client takes what is answered (406), which a row may say
 * 2. match: the row of this path and method, at this version (404, 405, or as the row says)
 * 3. enter: whether the API is for such callers at all (403), and for such a request now (503); then find: the record that
 *    the path names (404)
 * 4. admit: whether this caller may do that with it (401, 403; 404 for what is concealed)
 * 5. query: names that the row lists (400; 406 for newer ones)
 * 6. body: size (413), JSON, keys and schema (400)
 * 7. handle: what the row does (400, 409, ...)
 * 8. reply: status, headers, and the record as this version shows it
 *
 * What an API has patience with is made again from 3 on: what is there by then decides, not what was there.
 * Errors up to 2 are told in the words of a router, later ones in those of a resource. An OPTIONS request ends after 1.
 */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

import { isFault } from '../domain/fault.ts';
import type { Subject } from '../domain/policy.ts';
import type { Invocation, Platform } from '../platform/platform.ts';
import { type Admit, subjectOf } from './admission.ts';
import { readArguments } from './arguments.ts';
import { createMatcher, type Match } from './match.ts';
import type { Patience } from './patience.ts';
import { type About, type Content, json, noVersions, type Protocol, type Refusal } from './protocol.ts';
import { levelOf, refuse, reply } from './reply.ts';
import { bytesOf, type HttpRequest, jsonBody, readRequest, refuseAccept } from './request.ts';
import { type Answer, type Call, type Route, statusAt } from './route.ts';
import { leavesTrail, type Trail, trailOf } from './trail.ts';

/** What makes an API out of rows. */
export type Api<Deps, Rule extends string> = {
  readonly protocol: Protocol;
  /** The order does not matter. */
  readonly routes: readonly Route<Deps, Rule>[];
  readonly admit: Admit<Deps, Rule>;
  /**
   * Throws Forbidden (403) for callers whom the API is not for: to them nothing tells what there is; and Maintenance (503)
   * for what nobody does for now. Default: nobody, nothing.
   */
  enter?(subject: Subject, row: Route<Deps, Rule>): void;
  /** With what a request is tried again instead of being told; default: nothing. */
  patience?: Patience<Deps>;
  /** Start of all links; empty: what the client called. */
  readonly publicEndpoint: string;
};

/** What the pipeline itself uses; handlers of an API have more. */
type Needs = Pick<Platform, 'log' | 'clock'>;

/** An API as a function of Lambda's. It never throws. */
export type Serve = (event: APIGatewayProxyEvent, invocation: Invocation) => Promise<APIGatewayProxyResult>;

/** The record that the path names, the parameters that found it, and how the request names it. */
const find = async <Deps, Rule extends string>(
  deps: Deps,
  { row, params, spare }: Match<Route<Deps, Rule>>,
  version: number,
) => {
  // What is concealed must look like what is missing, and that is told by the parameters that are tried last.
  const name = Object.values(spare ?? params)[0];
  try {
    return { params, name, target: await row.find?.(deps, params, version) };
  } catch (error) {
    if (!spare || !isFault(error) || error.code !== 404) throw error;
    return { params: spare, name, target: await row.find?.(deps, spare, version) };
  }
};

/** What is answered, if it is anything. */
const contentOf = ({ json: text, body, content }: Answer): Content | undefined => {
  if (text !== undefined) return { type: 'application/json', text };
  return body === undefined ? content : json(body);
};

/** Throws NotAcceptable (406) for a client that does not take what is answered: that of the row, or of the whole API. */
const acceptable = ({ answers }: Protocol, media: string | undefined, request: HttpRequest): void => {
  const types = media === undefined ? answers : [media];
  if (types) refuseAccept(request, types);
};

/** A request once its version is known. `trail`: what the log will say of one that may change something. */
type Asked = {
  readonly event: APIGatewayProxyEvent;
  readonly request: HttpRequest;
  readonly about: About;
  trail?: Trail;
};

/** Steps 3 to 8, for a row that was matched. */
const answer = async <Deps extends Needs, Rule extends string>(
  { admit, enter, protocol, publicEndpoint }: Api<Deps, Rule>,
  deps: Deps,
  matched: Match<Route<Deps, Rule>>,
  asked: Asked,
): Promise<APIGatewayProxyResult> => {
  const { row } = matched;
  const { event, request, about } = asked;
  const { source, headers: sent } = request;
  const subject = subjectOf(event, deps.clock.now());
  if (subject) enter?.(subject, row);
  const { params, target, name } = await find(deps, matched, about.version);
  const caller = { subject, source, path: event.path };
  const admitted = admit(deps, row, caller, target, name);
  if (matched.tooOld) throw matched.tooOld;
  const { query, body } = readArguments(row, request, about.version, protocol);
  if (leavesTrail(row)) asked.trail = trailOf(row, admitted.subject, body);
  const base = publicEndpoint || request.base;
  const raw = { bytes: (limit: number) => bytesOf(request, limit), json: (limit: number) => jsonBody(request, limit) };
  const call: Call = { ...about, params, query, ...admitted, source, base, body, raw, target, headers: sent };
  const { status, location, headers, ...given } = await row.handle(deps, call);
  const content = contentOf(given);
  const code = status ?? statusAt(row, about.version) ?? (content ? 200 : 204);
  return reply(protocol, about, code, content, { ...(location && { Location: base + location }), ...headers });
};

/** Steps 3 to 8, again as long as the API has patience with what stands in their way. Nothing is held meanwhile. */
const answerPatiently = async <Deps extends Needs, Rule extends string>(
  api: Api<Deps, Rule>,
  deps: Deps,
  matched: Match<Route<Deps, Rule>>,
  asked: Asked,
): Promise<APIGatewayProxyResult> => {
  const began = deps.clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await answer(api, deps, matched, asked);
    } catch (error) {
      const pause = api.patience?.(deps, error, { tries, passed: deps.clock.now() - began });
      if (pause === undefined) throw error;
      await deps.clock.sleep(pause);
    }
  }
};

/** A line for who was let through to change something. Bodies and queries are not in it: they may hold secrets. */
const leaveTrail = ({ log }: Needs, asked: Asked | undefined, status: number): void => {
  if (!asked?.trail) return;
  const { trail, event, about } = asked;
  log.info('A change was asked for.', { ...trail, path: event.path, status, request_id: about.request_id });
};

/** Makes the function that serves an API. Each answer, also to an error, is in the form of its protocol. */
export const serve = <Deps extends Needs, Rule extends string>(api: Api<Deps, Rule>, deps: Deps): Serve => {
  const { protocol } = api;
  const { standard, negotiate } = protocol.versions ?? noVersions;
  const match = createMatcher(api.routes, protocol);

  return async (event, invocation) => {
    const about = { version: standard, request_id: `req-${invocation.request_id}` };
    let by: Refusal['by'] = 'router';
    let asked: Asked | undefined;
    try {
      const request = readRequest(event);
      about.version = negotiate(request.headers);
      acceptable(protocol, match.media(request, about.version), request);
      if (request.method === 'OPTIONS') {
        return reply(protocol, about, 200, undefined, { Allow: match.methods(request, about.version).join(', ') });
      }
      const matched = match(request, about.version);
      by = 'resource';
      asked = { event, request, about };
      const result = await answerPatiently(api, deps, matched, asked);
      leaveTrail(deps, asked, result.statusCode);
      return result;
    } catch (error) {
      const level = levelOf(error);
      if (level) deps.log[level]('The request failed.', { ...about, path: event.path, error });
      const result = refuse(protocol, about, error, by);
      leaveTrail(deps, asked, result.statusCode);
      return result;
    }
  };
};
