/**
 * Lookup, heartbeat and inventories of deploy agents (ironic-deploy.md 3). Nobody authenticates here: what a caller may
 * do follows from its address, from the state of the node and from the token of its agent (ADR 9).
 */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

import { Forbidden, MethodNotAllowed, NotFound } from '../../layers/domain/fault.ts';
import { DEFAULT } from '../../layers/domain/versions.ts';
import { isServerError, refuse, reply, type ErrorForm } from '../../layers/http/reply.ts';
import { readRequest, refuseAccept, type HttpRequest } from '../../layers/http/request.ts';
import { negotiate } from '../../layers/http/version.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import { continueInspection, inspectionSince } from './continue-inspection.ts';
import { heartbeat } from './heartbeat.ts';
import { lookup } from './lookup.ts';
import type { Call, Deps, Route } from './route.ts';
import { createWitness } from './witness.ts';

/** Of lookup and heartbeat. */
const since = 22;

/** Paths below /v1. */
export const routes: { readonly [path: string]: Route } = {
  lookup: {
    method: 'GET',
    since,
    handle: async (deps, call) => ({ status: 200, body: await lookup(deps, call) }),
  },
  'heartbeat/{ident}': {
    method: 'POST',
    since,
    handle: async (deps, call) => {
      await heartbeat(deps, call);
      return { status: 202 };
    },
  },
  continue_inspection: {
    method: 'POST',
    since: inspectionSince,
    unversioned: true,
    handle: async (deps, call) => ({ status: 202, body: await continueInspection(deps, call) }),
  },
};

const routeOf = ({ method, segments }: HttpRequest, version: number): Route => {
  const path = segments[0] === 'v1' ? segments.slice(1) : segments;
  const found = routes[path.length === 2 ? `${path[0]}/{ident}` : path.join('/')];
  const exists = found && (version >= found.since || (found.unversioned && version === DEFAULT));
  if (!exists) throw NotFound('There is nothing at this path.');
  if (method !== found.method) throw MethodNotAllowed(`${method} is not possible here, only ${found.method}.`);
  return found;
};

/** Before anything is read or parsed. API Gateway's resource policy refuses the same (infra/api.ts). Throws Forbidden. */
const admit = ({ config, log }: Deps, { source }: Call, path: string): void => {
  if (config.networks.allows(source)) return;
  log.warn('Somebody outside of agent_networks was refused.', { source, path });
  throw Forbidden('Agents may not call from this address; the setting agent_networks lists where they may be.');
};

/** Makes the function: version 406 -> route 404/405 -> address 403 -> handle. Every answer has Ironic's version headers. */
export const create = (platform: Omit<Deps, 'config' | 'witness'>, config: Config) => {
  const deps: Deps = { ...platform, config, witness: createWitness(platform) };
  return async (event: APIGatewayProxyEvent, invocation: Invocation): Promise<APIGatewayProxyResult> => {
    const about = { version: DEFAULT, request_id: `req-${invocation.request_id}` };
    let form: ErrorForm = 'router';
    try {
      const request = readRequest(event);
      about.version = negotiate(request.headers);
      refuseAccept(request);
      const route = routeOf(request, about.version);
      form = 'controller';
      const source = event.requestContext?.identity?.sourceIp ?? '';
      const call = { version: about.version, request, ident: request.segments.at(-1) ?? '', source };
      admit(deps, call, event.path);
      const { status, body } = await route.handle(deps, call);
      return reply(about, status, body);
    } catch (error) {
      if (isServerError(error)) deps.log.error('The request failed.', { ...about, path: event.path, error });
      return refuse(about, error, form);
    }
  };
};
