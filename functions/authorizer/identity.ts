/** Who somebody is, whichever way they proved it, and how API Gateway is told. */
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

import { Unauthorized } from '../../layers/domain/fault.ts';
import { isRole } from '../../layers/domain/policy.ts';

export type Event = Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers'>;

/** What policy decides on (layers/domain/policy.ts `Subject`), and how long that holds. */
export type Identity = {
  /** Ids and names, never a credential: API Gateway logs them. */
  readonly user: string;
  readonly user_name?: string | undefined;
  readonly project?: string | undefined;
  readonly project_name?: string | undefined;
  readonly roles: readonly string[];
  readonly scope: 'system' | 'project';
  /** When the token ends, milliseconds since the epoch. */
  readonly expires_at?: number | undefined;
};

/** Finds out who calls. Throws `refusal()` for who is not known, Unavailable (503) if nobody can tell. */
export type Identify = (event: Event) => Promise<Identity>;

/** API Gateway answers 401 to exactly this message of an error, and 503 (infra/api.ts) to any other. */
export const refusal = () => Unauthorized('Unauthorized');

/** A header by its lower-case name; API Gateway passes names as the client wrote them. */
export const headerOf = ({ headers }: Event, wanted: string): string | undefined =>
  Object.entries(headers ?? {})
    .find(([name]) => name.toLowerCase() === wanted)?.[1]
    ?.trim();

/** The roles that policy knows, as it spells them; whatever else a provider says is dropped. */
export const knownRoles = (names: readonly string[]): string[] =>
  names.map((name) => name.toLowerCase()).filter(isRole);

/**
 * The answer of an authorizer. It is cached for the identity, so it covers every method and path of the stage; what
 * the caller may do is decided by the API's own policy, and so is when the token has ended.
 */
export const admit = (
  { user, user_name = '', project = '', project_name = '', roles, scope, expires_at: end }: Identity,
  methodArn: string,
): APIGatewayAuthorizerResult => {
  const [api, stage] = methodArn.split('/');
  return {
    principalId: user,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${api}/${stage}/*` }],
    },
    context: {
      user,
      user_name,
      project,
      project_name,
      roles: roles.join(','),
      scope,
      ...(end !== undefined && { expires_at: String(end) }),
    },
  };
};
