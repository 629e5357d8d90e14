/** The environment of each function on one machine: the settings of the manifest, and what one function alone reads. */
import { userVariables } from '../layers/domain/users.ts';
import { type Networks, noNetworks, parseNetworks } from '../layers/bmc/networks.ts';
import { isInvoked, perApi } from '../layers/platform/apis.ts';
import type { FunctionName } from '../infra/manifest.ts';
import type { Wiring } from './functions/message.ts';
import { resolveSettings, type Settings, variableOf, variablesOf } from '../infra/settings.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What costs by the request on AWS costs nothing here: as often as Ironic. */
const onOneMachine: Partial<Settings> = { sync_power_state_interval: '120' };

/**
 * Simulated BMCs are on this machine, and quick. Nobody is harmed by what happens to machines that do not exist, so every
 * program here may call without a password; real ones are for those who have one.
 */
const withSimulator: Partial<Settings> = {
  auth_strategy: 'noauth',
  bmc_networks: '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7',
  poll_interval_ms: '200',
  agent_networks: '127.0.0.0/8',
  image_networks: '127.0.0.0/8',
};

/** Variables that are no settings, by the function that reads them; nobody else gets them. */
const own: Partial<Record<FunctionName, readonly string[]>> = {
  authorizer: userVariables,
};

/** Each setting: from its variable, else as fits one machine, else the manifest's default. Throws Invalid. */
export const readSettings = (variables: Variables, isSimulated: boolean): Settings =>
  resolveSettings((name) => variables[variableOf(name)], {
    ...onOneMachine,
    ...(isSimulated && withSimulator),
  });

/** With where agents reach the API, which goes onto their media: as set, else where the gateway listens for them. */
export const withAgentEndpoint = (chosen: Settings, gateway: string): Settings => ({
  ...chosen,
  agent_endpoint: chosen.agent_endpoint || chosen.public_endpoint || gateway,
});

/**
 * Where functions find the APIs that they call, by the settings; else at `urls`, where they prove themselves with the file
 * `own`, or nowhere, if they call the function. Credentials empty: with nothing.
 */
export const calledApisIn = (
  chosen: Settings,
  urls: Readonly<Record<string, string>>,
  own: string,
): Required<Wiring>['apis'] =>
  perApi((api) => {
    const credentials = chosen[`${api}_credentials`];
    const endpoint = chosen[`${api}_endpoint`];
    if (endpoint !== '') return { endpoint, credentials };
    return isInvoked(api)
      ? { endpoint: '', credentials: '' }
      : { endpoint: urls[api]!, credentials: credentials || own };
  });

/**
 * INGOT_TRUSTED_PROXIES: networks of the reverse proxies in front of the gateway, whose word about their callers is
 * believed; nobody's unless somebody vouches for it. Throws Invalid.
 */
export const trustedProxies = ({ INGOT_TRUSTED_PROXIES: setting = '' }: Variables): Networks =>
  setting === '' ? noNetworks : parseNetworks('INGOT_TRUSTED_PROXIES', setting);

/**
 * The whole environment of the workers of function `name`. INGOT_LOOPBACK: nobody but programs of this machine gets as far
 * as the authorizer, because the gateway listens on 127.0.0.1 and refuses web pages and proxies (gateway/noauth.ts).
 * `service`: the line of the service user (service-user.ts), if there is one.
 */
export const environmentOf = (
  name: FunctionName,
  chosen: Settings,
  variables: Variables,
  service = '',
): Record<string, string> => {
  const given = (own[name] ?? []).flatMap((variable) => {
    const value = variables[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  const vouched = name === 'authorizer' && { INGOT_LOOPBACK: 'true', INGOT_SERVICE_USER: service };
  return { ...variablesOf(chosen), ...Object.fromEntries(given), ...vouched };
};
