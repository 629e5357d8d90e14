/** The one request pipeline of the Bare Metal API (DESIGN.md 3.3). The order of its steps is part of the protocol. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

import { Invalid, isFault, Unauthorized } from '../../layers/domain/fault.ts';
import { refuseNewer } from '../../layers/domain/fields.ts';
import { allows, authorize, ownOf, type Owned, type Subject } from '../../layers/domain/policy.ts';
import { check } from '../../layers/domain/schema.ts';
import { DEFAULT } from '../../layers/domain/versions.ts';
import { isServerError, refuse, reply, replyJson, toJson, type ErrorForm } from '../../layers/http/reply.ts';
import { jsonBody, readRequest, refuseAccept, type HttpRequest } from '../../layers/http/request.ts';
import { negotiate } from '../../layers/http/version.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import { compile, type Match } from './match.ts';
import type { Call, Deps, Route } from './route.ts';
import { routes } from './routes.ts';

type Query = HttpRequest['query'];

const MiB = 1024 * 1024;

/**
 * Who the authorizer says is calling; null on paths that have none, and once the token has ended: API Gateway keeps an
 * authorizer's answer for five minutes, however long the token lives. The context holds strings only.
 */
const subjectOf = (event: APIGatewayProxyEvent, now: number): Subject | null => {
  const known = event.requestContext?.authorizer;
  if (!known || Number(known['expires_at'] ?? Infinity) <= now) return null;
  const text = (name: string) => (typeof known[name] === 'string' && known[name] !== '' ? known[name] : null);
  return {
    user: text('user'),
    project: text('project'),
    roles: (text('roles') ?? '').split(',').filter(Boolean),
    scope: text('scope') === 'system' ? 'system' : 'project',
  };
};

const nobody: Subject = { user: null, project: null, roles: [], scope: 'project' };

/** What the policy looks at: the record itself, or the node it belongs to. */
const ownedBy = (target: unknown): Owned | undefined => {
  if (typeof target !== 'object' || target === null) return undefined;
  return (target as { node?: Owned }).node ?? target;
};

type Admitted = Pick<Call, 'subject' | 'only'>;

/** `name` is how the request names the target, if there is one. */
const admit = ({ config }: Deps, route: Route, subject: Subject | null, target: unknown, name?: string): Admitted => {
  if (route.policy === 'public') return { subject: subject ?? nobody, only: null };
  if (!subject) throw Unauthorized('Authentication is required.');
  const owned = ownedBy(target);
  const mine = route.own && (route.ownIf?.(config) ?? true) ? ownOf(subject) : undefined;
  if (mine && !allows(route.policy, subject, owned) && allows(route.own!, subject, owned ?? mine)) {
    return { subject, only: mine.owner };
  }
  authorize(route.policy, subject, owned, name, route.title);
  return { subject, only: null };
};

/** The record that the path names, the parameters that found it, and how the request names it. */
const find = async (deps: Deps, { route, params, spare }: Match, version: number) => {
  // What is concealed must look like what is missing, and that is told by the parameters that are tried last.
  const name = Object.values(spare ?? params)[0];
  try {
    return { params, name, target: await route.find?.(deps, params, version) };
  } catch (error) {
    if (!spare || !isFault(error) || error.code !== 404) throw error;
    return { params: spare, name, target: await route.find?.(deps, spare, version) };
  }
};

/** Splits the query into what the row lists and what stands for keys of the body. Throws Invalid, NotAcceptable. */
const readQuery = (route: Route, version: number, query: Query) => {
  const listed = route.query ?? {};
  const names = Object.keys(query);
  const strange = names.filter((name) => !Object.hasOwn(listed, name));
  if (strange.length > 0 && !route.arguments) throw Invalid(`Unexpected arguments: ${strange.join(', ')}.`);
  const early = names.find((name) => listed[name]?.tooOld === 400 && listed[name].since! > version);
  if (early) throw Invalid(`Unexpected arguments: ${early}; it needs API version 1.${listed[early]!.since}.`);
  refuseNewer(listed, version, names);
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(listed, name) === wanted));
  return { query: pick(true), loose: pick(false) };
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body by the row's schema, with arguments that came as query parameters. Throws Invalid, TooLarge. */
const readBody = (route: Route, request: HttpRequest, loose: Query): unknown => {
  const json = jsonBody(request, route.limit ?? MiB);
  if (!route.body) return undefined;
  if (!route.arguments) {
    if (json === undefined) throw Invalid('The request needs a JSON body.');
    return check(route.body, json);
  }
  if (json !== undefined && !isObject(json)) throw Invalid('The request body must be a JSON object.');
  return check(route.body, {
    ...Object.fromEntries(Object.entries(loose).map(([name, [value]]) => [name, value])),
    ...json,
  });
};

/**
 * Makes the function: version 406 -> route 404/405 -> find 404 -> policy 403/404 -> query and body 400/406 -> handle.
 * Every answer, also to an error, is Ironic's JSON with the version headers; it never throws.
 */
export const create = (platform: Omit<Deps, 'config'>, config: Config) => {
  const deps: Deps = { ...platform, config };
  const match = compile(routes);

  return async (event: APIGatewayProxyEvent, invocation: Invocation): Promise<APIGatewayProxyResult> => {
    const about = { version: DEFAULT, request_id: `req-${invocation.request_id}` };
    let form: ErrorForm = 'router';
    try {
      const request = readRequest(event);
      about.version = negotiate(request.headers);
      refuseAccept(request);
      if (request.method === 'OPTIONS')
        return reply(about, 200, undefined, { Allow: match.methods(request).join(', ') });
      const matched = match(request, about.version);
      const { route } = matched;
      form = 'controller';
      const { params, target, name } = await find(deps, matched, about.version);
      const admitted = admit(deps, route, subjectOf(event, deps.clock.now()), target, name);
      const { query, loose } = readQuery(route, about.version, request.query);
      const body = readBody(route, request, loose);
      const base = config.publicEndpoint || request.base;
      const answer = await route.handle(deps, { ...about, params, query, ...admitted, base, body, target });
      const json = answer.json ?? toJson(answer.body);
      const status = answer.status ?? route.status ?? (json === undefined ? 204 : 200);
      return replyJson(about, status, json, answer.location ? { Location: base + answer.location } : {});
    } catch (error) {
      if (isServerError(error)) deps.log.error('The request failed.', { ...about, path: event.path, error });
      return refuse(about, error, form);
    }
  };
};
