/** The environment of each function on one machine: the settings of the manifest, and what one function alone reads. */
import { type Networks, noNetworks, parseNetworks } from '../layers/bmc/networks.ts';
import { type FunctionName, type SettingName, settings } from '../infra/manifest.ts';

export type Variables = Readonly<Record<string, string | undefined>>;
export type Settings = Record<SettingName, string>;

/** Whoever reaches 127.0.0.1 has the machine, so no password is asked for unless the operator wants one. */
const onOneMachine: Partial<Settings> = { auth_strategy: 'noauth' };

/** Simulated BMCs are on this machine, and quick. */
const withSimulator: Partial<Settings> = {
  bmc_networks: '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7',
  poll_interval_ms: '200',
  agent_networks: '127.0.0.0/8',
};

/** Variables that are no settings, by the function that reads them; nobody else gets them. */
const own: Partial<Record<FunctionName, readonly string[]>> = {
  authorizer: ['INGOT_HTPASSWD', 'INGOT_HTPASSWD_FILE'],
};

const variableOf = (setting: string): string => `INGOT_${setting.toUpperCase()}`;

/** Each setting: from its variable, else as fits one machine, else the manifest's default. */
export const readSettings = (variables: Variables, isSimulated: boolean): Settings => {
  const local: Partial<Settings> = { ...onOneMachine, ...(isSimulated && withSimulator) };
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [name, variables[variableOf(name)] ?? local[name] ?? settings[name].default]),
  ) as Settings;
};

/** With where agents reach the API, which goes onto their media: as set, else where the gateway listens for them. */
export const withAgentEndpoint = (chosen: Settings, gateway: string): Settings => ({
  ...chosen,
  agent_endpoint: chosen.agent_endpoint || chosen.public_endpoint || gateway,
});

/**
 * INGOT_TRUSTED_PROXIES: networks of the reverse proxies in front of the gateway, whose word about their callers is
 * believed; nobody's unless somebody vouches for it. Throws Invalid.
 */
export const trustedProxies = ({ INGOT_TRUSTED_PROXIES: setting = '' }: Variables): Networks =>
  setting === '' ? noNetworks : parseNetworks('INGOT_TRUSTED_PROXIES', setting);

/** The whole environment of the workers of function `name`. INGOT_LOOPBACK: the gateway listens on 127.0.0.1 only. */
export const environmentOf = (name: FunctionName, chosen: Settings, variables: Variables): Record<string, string> => {
  const given = (own[name] ?? []).flatMap((variable) => {
    const value = variables[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  const common = Object.entries(chosen)
    .filter(([, value]) => value !== '')
    .map(([setting, value]) => [variableOf(setting), value]);
  return { ...Object.fromEntries([...common, ...given]), INGOT_LOOPBACK: 'true' };
};
