/**
 * The small medium by which a machine's agent gets what it must know and nobody else may: the token by which it proves
 * itself, and where this API is (DESIGN.md 7, ADR 9). The real agent looks for a medium of this label when its kernel
 * was started with `boot_method=vmedia`, and reads `key=value` words from this file on it.
 *
 * A machine whose node has network_data has no address before it has read that, so its medium is what the programs look
 * for that set a network up (glean, cloud-init: label config-2). The agent knows media of that label too, and takes the
 * files of its configuration from them, as Ironic's boot images have them (ironic-deploy.md 2).
 */
import type { Node } from './node.ts';
import { bool } from './values.ts';

/** The label by which the agent finds it. */
export const agentMediumLabel = 'ir-vfd-dev';

/** The file with the words. */
export const parametersFile = 'parameters.txt';

/** On a medium with network_data: that document, and the agent's configuration, which is copied to /etc. */
export const networkDataFile = 'openstack/latest/network_data.json';
export const configurationFile = 'etc/ironic-python-agent.d/ingot.conf';

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

/** The network of the ramdisk, if the node has one of its own; undefined: DHCP. */
export const networkOf = ({ network_data: data }: Pick<Node, 'network_data'>): Node['network_data'] | undefined =>
  Object.keys(data).length > 0 ? data : undefined;

/** What an agent is told, by the names of its kernel's arguments. */
export type AgentWords = Readonly<Record<string, string>>;

const given = (words: AgentWords) => Object.entries(words).filter(([, value]) => value !== '');

/** What the agent is told on its medium. A word has no white space; one that is empty is left out. */
export const parametersText = (words: AgentWords): string =>
  given(words)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** The same as a file of its configuration (oslo.config, where `$` begins a substitution). */
export const configurationText = (words: AgentWords): string => {
  const option = (name: string) => name.replace(/^ipa-/, '').replaceAll('-', '_');
  return [
    '[DEFAULT]',
    ...given(words).map(([name, value]) => `${option(name)} = ${value.replaceAll('$', '$$$$')}`),
    '',
  ].join('\n');
};
