/**
 * Who is calling: a REQUEST authorizer of API Gateway (REST). Its answer is cached for the identity, so it covers every
 * method and path of the stage; what the caller may do is decided by the API's own policy.
 */
import { readFile } from 'node:fs/promises';

import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

import { Unauthorized } from '../../layers/domain/fault.ts';
import type { Config } from './config.ts';
import { parseUsers, verify } from './htpasswd.ts';

type Event = Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers'>;

/** API Gateway answers 401 to exactly this message of an error, and 500 to any other. */
const refusal = () => Unauthorized('Unauthorized');

/** Everybody who gets in is the system's administrator: http_basic and noauth know no roles (ironic-rbac.md 1). */
const admit = (user: string, methodArn: string): APIGatewayAuthorizerResult => {
  const [api, stage] = methodArn.split('/');
  return {
    principalId: user,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${api}/${stage}/*` }],
    },
    context: { user, project: '', roles: 'admin', scope: 'system' },
  };
};

type Credentials = { readonly user: string; readonly password: string };

/** Of `Authorization: Basic base64(user:password)`, the scheme in any case. Undefined for anything else. */
const credentialsOf = ({ headers }: Event): Credentials | undefined => {
  const header = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
};

/**
 * Makes the function. It throws Fault Unauthorized (401) for who is not known, Fault `Configuration` (500) if the file
 * of users cannot be used. The file is read each time, so a changed one counts as soon as the cached answers are over.
 */
export const create = (_ports: object, config: Config) => {
  const fixed = config.htpasswd === '' ? undefined : parseUsers(config.htpasswd);
  const users = async () => fixed ?? parseUsers(await readFile(config.htpasswdFile, 'utf8'));

  return async (event: Event): Promise<APIGatewayAuthorizerResult> => {
    if (config.strategy === 'noauth') return admit('anonymous', event.methodArn);
    const given = credentialsOf(event);
    if (!given || !(await verify(await users(), given.user, given.password))) throw refusal();
    return admit(given.user, event.methodArn);
  };
};
