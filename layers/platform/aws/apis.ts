/**
 * APIs over HTTP, whose credentials are parameters of SSM, or by their functions:
 *
 *   INGOT_<API>_ENDPOINT      base URL; empty for an API that is called by its function (layers/platform/apis.ts
 *                             `invokedApis`), or that the function has no right to
 *   INGOT_<API>_CREDENTIALS   name of the parameter; empty: none is sent
 */
import { Fault } from '../../domain/fault.ts';
import { createApiCall } from '../api-call.ts';
import { type ApiCall, type Apis, type CalledApi, isInvoked, perApi } from '../apis.ts';
import { createInvokedApi } from '../invoked-api.ts';
import type { Log } from '../platform.ts';
import { awsParameters } from './parameters.ts';
import { awsFunctions, awsIds } from './platform.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws Configuration (500) for an endpoint that cannot be used; a call of an API without one does. */
export const awsApis = (env: Environment, log: Log): Apis => {
  const parameters = awsParameters(env);
  const callOf = (api: CalledApi): ApiCall => {
    const variable = `INGOT_${api.toUpperCase()}`;
    const endpoint = env[`${variable}_ENDPOINT`] ?? '';
    const name = env[`${variable}_CREDENTIALS`] ?? '';
    if (endpoint !== '') {
      const credentials = name === '' ? undefined : async () => parameters.read(name);
      return createApiCall({ api, endpoint, credentials, log });
    }
    if (isInvoked(api)) return createInvokedApi({ functions: awsFunctions(env), log, ids: awsIds() }, api);
    return async () => {
      throw new Fault(
        'Configuration',
        500,
        `The environment variable ${variable}_ENDPOINT is not set: deploy with infra/.`,
      );
    };
  };
  return perApi(callOf);
};
