/** Who is calling: a REQUEST authorizer of API Gateway (REST), by the strategy that the operator chose. */
import type { APIGatewayAuthorizerResult } from 'aws-lambda';

import type { Platform } from '../../layers/platform/platform.ts';
import { besideService, besideUsers, createBasic } from './basic.ts';
import type { Config } from './config.ts';
import { admit, type Event, type Identify, type Identity, refusal } from './identity.ts';
import { createKeystone } from './keystone.ts';
import { createOidc } from './oidc.ts';

export type Deps = Pick<Platform, 'parameters' | 'clock'>;

const anonymous: Identity = { user: 'anonymous', user_name: 'anonymous', roles: ['admin'], scope: 'system' };

const strategies: { readonly [S in Config['strategy']]: (deps: Deps, config: Config) => Identify } = {
  noauth: (deps, config) => besideUsers(deps, config, async () => anonymous),
  http_basic: createBasic,
  oidc: (_deps, config) => createOidc(config),
  keystone: ({ parameters }, config) => createKeystone(parameters, config),
};

/**
 * Makes the function. It throws Fault Unauthorized (401) for who is not known, Unavailable (503) if whoever knows cannot
 * be asked, and Fault `Configuration` (500) for settings that do not work: nobody gets in by an error.
 */
export const create = (deps: Deps, config: Config) => {
  const identify = besideService(config, strategies[config.strategy](deps, config));
  return async (event: Event): Promise<APIGatewayAuthorizerResult> => {
    const identity = await identify(event);
    if ((identity.expires_at ?? Infinity) <= deps.clock.now()) throw refusal();
    return admit(identity, event.methodArn);
  };
};
