/**
 * keystone: an X-Auth-Token is validated by an Identity v3 server (GET /v3/auth/tokens), which the authorizer itself
 * asks with a token of its service account. What cannot be validated is not let in (ironic-rbac.md 1).
 */
import * as z from 'zod';

import { Fault, Unavailable } from '../../layers/domain/fault.ts';
import type { ParameterStore } from '../../layers/platform/platform.ts';
import { loginRequest, ServiceAccount, tokenIn, tokensUrl } from '../../layers/platform/service-account.ts';
import type { Config } from './config.ts';
import { headerOf, type Identify, type Identity, knownRoles, refusal } from './identity.ts';

type Settings = Config['keystone'];

/** Milliseconds for one request, of which there may be four; the whole authorizer has ten seconds (infra/manifest.ts). */
const patience = 2000;

const Token = z.object({
  token: z.object({
    user: z.object({ id: z.string().min(1), name: z.string().optional() }),
    project: z
      .object({ id: z.string().min(1), name: z.string(), domain: z.object({ name: z.string() }).optional() })
      .optional(),
    system: z.object({ all: z.boolean() }).optional(),
    roles: z.array(z.object({ name: z.string() })).default([]),
    expires_at: z.iso.datetime({ offset: true }).nullable(),
  }),
});

const unreachable = (cause?: unknown) =>
  Unavailable('The identity service could not be asked whether the token is valid. Try again.', cause);

/** Wrong settings are for the operator's log; the client learns only that nobody can be let in. */
const misconfigured = (message: string, cause?: unknown) => new Fault('Configuration', 500, message, { cause });

/** Throws Fault `Configuration` for what is no account, without its text: it may hold a password. */
const readAccount = async (parameters: ParameterStore, name: string): Promise<ServiceAccount> => {
  const text = await parameters.read(name);
  try {
    return ServiceAccount.parse(JSON.parse(text));
  } catch {
    throw misconfigured(
      `The parameter ${name} is not the JSON of a service account: username, password, project_name, or application_credential_id and application_credential_secret.`,
    );
  }
};

type Ask = (init: {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect?: 'error';
}) => Promise<Response>;

/** Requests to .../v3/auth/tokens. Redirects are refused: the token would travel along. Throws Unavailable (503). */
const createAsk = ({ authUrl }: Settings): Ask => {
  const url = tokensUrl(authUrl);
  return async ({ method, headers, body }) => {
    const options = { method, headers, ...(body !== undefined && { body }) };
    const query = method === 'GET' ? '?nocatalog' : '';
    const answer = await fetch(`${url}${query}`, {
      ...options,
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    }).catch((error: unknown) => {
      throw unreachable(error);
    });
    if (answer.status === 429 || answer.status >= 500) throw unreachable();
    return answer;
  };
};

/** The authorizer's own token, made when there is none. */
const logIn = async (ask: Ask, account: ServiceAccount): Promise<string> => {
  const answer = await ask(loginRequest(account));
  const token = tokenIn(answer);
  if (token !== undefined) return token;
  throw misconfigured(`The identity service answered ${answer.status} to the service account of this API.`);
};

type Project = z.output<typeof Token>['token']['project'];

/** Names are unique in a domain only, and each domain has administrators of its own. */
const isOfServices = (project: Project, { serviceProject, serviceDomain }: Settings): boolean =>
  serviceProject !== '' && project?.name === serviceProject && project.domain?.name === serviceDomain;

const identityOf = ({ token }: z.output<typeof Token>, settings: Settings): Identity => {
  const { user, project, system, roles, expires_at: end } = token;
  const names = knownRoles(roles.map(({ name }) => name));
  const about = { user: user.id, user_name: user.name, ...(end !== null && { expires_at: Date.parse(end) }) };
  if (system?.all) return { ...about, roles: names, scope: 'system' };
  // Services such as Nova have no system scope. Their role in their own project counts as a member of the system's, who
  // may neither enrol nor delete (ironic-rbac.md 2).
  if (isOfServices(project, settings) && names.includes('service')) {
    return { ...about, project: project?.id, project_name: project?.name, roles: ['member'], scope: 'system' };
  }
  return { ...about, project: project?.id, project_name: project?.name, roles: names, scope: 'project' };
};

const read = async (answer: Response, settings: Settings): Promise<Identity> => {
  const body: unknown = await answer.json().catch((error: unknown) => {
    throw unreachable(error);
  });
  const parsed = Token.safeParse(body);
  if (!parsed.success) throw unreachable(parsed.error);
  return identityOf(parsed.data, settings);
};

/** The service token is kept until the identity service refuses it, then made anew, once a request. */
export const createKeystone = (parameters: ParameterStore, { keystone }: Config): Identify => {
  const ask = createAsk(keystone);
  let own: Promise<string> | undefined;

  const ownToken = async (): Promise<string> => {
    own ??= readAccount(parameters, keystone.credentials).then(async (account) => logIn(ask, account));
    return own.catch((error: unknown) => {
      own = undefined;
      throw error;
    });
  };

  const validate = async (token: string): Promise<Response> => {
    const headers = { 'X-Auth-Token': await ownToken(), 'X-Subject-Token': token };
    return ask({ method: 'GET', headers });
  };

  return async (event) => {
    const token = headerOf(event, 'x-auth-token');
    if (!token || !/^[\x21-\x7e]{1,4096}$/.test(token)) throw refusal();
    let answer = await validate(token);
    if (answer.status === 401) {
      own = undefined;
      answer = await validate(token);
    }
    if (answer.status === 404) throw refusal();
    if (answer.status !== 200) {
      throw misconfigured(`The identity service answered ${answer.status}: may its service account validate tokens?`);
    }
    return read(answer, keystone);
  };
};
