/**
 * The small medium by which a machine's agent gets what it must know and nobody else may: the token by which it proves
 * itself, and where this API is (DESIGN.md 7, ADR 9). The real agent looks for a medium of this label when its kernel
 * was started with `boot_method=vmedia`, and reads `key=value` words from this file on it.
 */

import { bool } from './values.ts';

/** The label by which the agent finds it. */
export const agentMediumLabel = 'ir-vfd-dev';

/** The one file on it. */
export const parametersFile = 'parameters.txt';

/** What the keys of all these media begin with whose node's UUID begins so. */
export const agentMediaOf = (start: string): string => `agents/${start}`;

/** The object that holds one. BMCs tell by the end of the name what kind of drive it shall be. */
export const agentMediumKey = (uuid: string, ulid: string): string => `${agentMediaOf(uuid)}/${ulid}.img`;

/** driver_info.config_via_removable (ironic-deploy.md 1.1): `given`, and what it means; undefined for no boolean. */
export const askedMedium = ({
  driver_info: info,
}: {
  readonly driver_info: Readonly<Record<string, unknown>>;
}): { readonly given: boolean; readonly value: boolean | undefined } => {
  const given = info['config_via_removable'] ?? null;
  return { given: given !== null, value: bool.safeParse(given).data };
};

/** What the agent is told on it. A word has no white space; one that is empty is left out. */
export const parametersText = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
