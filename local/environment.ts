/** The environment of each function on one machine: the settings of the manifest, and what one function alone reads. */
import type { FunctionName } from '../infra/manifest.ts';
import { resolveSettings, type Settings, variableOf, variablesOf } from '../infra/settings.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Whoever reaches 127.0.0.1 has the machine, so no password is asked for unless the operator wants one. */
const onOneMachine: Partial<Settings> = { auth_strategy: 'noauth' };

/** Simulated BMCs are on this machine, and quick. */
const withSimulator: Partial<Settings> = {
  bmc_networks: '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7',
  poll_interval_ms: '200',
};

/** Variables that are no settings, by the function that reads them; nobody else gets them. */
const own: Partial<Record<FunctionName, readonly string[]>> = {
  authorizer: ['INGOT_HTPASSWD', 'INGOT_HTPASSWD_FILE'],
};

/** Each setting: from its variable, else as fits one machine, else the manifest's default. Throws Invalid. */
export const readSettings = (variables: Variables, isSimulated: boolean): Settings =>
  resolveSettings((name) => variables[variableOf(name)], { ...onOneMachine, ...(isSimulated && withSimulator) });

/** The whole environment of the workers of function `name`. INGOT_LOOPBACK: the gateway listens on 127.0.0.1 only. */
export const environmentOf = (name: FunctionName, chosen: Settings, variables: Variables): Record<string, string> => {
  const given = (own[name] ?? []).flatMap((variable) => {
    const value = variables[variable];
    return value === undefined ? [] : [[variable, value]];
  });
  return { ...variablesOf(chosen), ...Object.fromEntries(given), INGOT_LOOPBACK: 'true' };
};
