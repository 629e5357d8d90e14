/** What the demo claims, as checks: each has a sentence and what was found. */
import { createHash } from 'node:crypto';

import { configdrive } from './instance.ts';
import type { Images, MachineState } from './machines.ts';
import type { NodeView } from './node.ts';
import { addressesOf, publicKey, type ServerView, userData } from './server.ts';

export type Check = { readonly claim: string; readonly held: boolean; readonly found: string };

const check = (claim: string, wanted: unknown, found: unknown): Check => ({
  claim,
  held: wanted === found,
  found: String(found),
});

/** The machine of a server, as the operator and as the simulator know it. */
export type Served = {
  readonly server: ServerView;
  readonly node: NodeView;
  readonly machine: MachineState;
  /** Its guest metadata document. */
  readonly document: string;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

type File = { readonly sha256: string; readonly text?: string } | undefined;

/** Every key that was sent is there; Ingot adds some of its own (uuid). */
const holds = (file: File, wanted: object): boolean => {
  if (file?.text === undefined) return false;
  const found = JSON.parse(file.text) as Record<string, unknown>;
  return Object.entries(wanted).every(([key, value]) => JSON.stringify(found[key]) === JSON.stringify(value));
};

/** What must be true of a machine that was deployed, by its own disk and not by what Ingot says. */
export const deployed = (node: NodeView, { power, disk }: MachineState, { demo_raw }: Images): Check[] => {
  const files = disk.configdrive?.files ?? {};
  const file = (name: string): File => files[`openstack/latest/${name}`];
  const contains = (name: string, wanted: object): Check =>
    check(`openstack/latest/${name} on the configdrive is what was sent`, true, holds(file(name), wanted));
  return [
    check('the node is active', 'active', node.provision_state),
    check('the machine is on', 'on', power),
    check(`the image on its disk has SHA-256 ${demo_raw.sha256.slice(0, 16)}…`, demo_raw.sha256, disk.image?.sha256),
    check(`the image has ${demo_raw.size} bytes`, demo_raw.size, disk.image?.size),
    check('a partition is labelled config-2', 'config-2', disk.configdrive?.label),
    check(
      'openstack/latest/user_data on the configdrive is what was sent',
      sha256(configdrive.user_data),
      file('user_data')?.sha256,
    ),
    contains('meta_data.json', configdrive.meta_data),
    contains('network_data.json', configdrive.network_data),
    check('the API does not show the configdrive', true, node.instance_info['configdrive'] === '******'),
  ];
};

/** What must be true of a machine that was given back. `objects` are the stored objects that are left. */
export const returned = (node: NodeView, machine: MachineState, objects: readonly string[]): Check[] => {
  const { power, media, disk, violations } = machine;
  return [
    check('the node is available', 'available', node.provision_state),
    check('instance_info is empty', '{}', JSON.stringify(node.instance_info)),
    check('instance_uuid is cleared', null, node.instance_uuid),
    check('the machine is off', 'off', power),
    check('its disk is wiped', null, disk.image),
    check('its configdrive is gone', null, disk.configdrive),
    check(
      'no media is inserted',
      '',
      Object.entries(media)
        .flatMap(([slot, image]) => (image ? [slot] : []))
        .join(),
    ),
    check('no stored object is left', '', objects.join(', ')),
    check('the machine saw nothing it should not have', '', violations.map(({ what }) => what).join(', ')),
  ];
};

const holdsAny = (value: object, words: readonly string[]): boolean =>
  words.some((word) => JSON.stringify(value).includes(word));

type Links = { readonly links?: readonly { readonly ethernet_mac_address?: string }[] };
type Identity = { readonly name?: string; readonly public_keys?: Readonly<Record<string, string>> };

const json = <T>(file: File): T => JSON.parse(file?.text ?? '{}') as T;

/** What must be true of a server: what its tenant sees, and what is on the machine that she does not see. */
export const served = ({ server, node, machine, document }: Served, { demo_raw }: Images, mac: string): Check[] => {
  const { disk } = machine;
  const file = (name: string): File => disk.configdrive?.files[`openstack/latest/${name}`];
  const { name, public_keys: keys = {} } = json<Identity>(file('meta_data.json'));
  const cards = json<Links>(file('network_data.json')).links ?? [];
  const [address = 'an address'] = addressesOf(server);
  return [
    check('the server is ACTIVE', 'ACTIVE', server.status),
    check('its node has its id as instance_uuid', server.id, node.instance_uuid),
    check('the tenant sees nothing of the node', false, holdsAny(server, [node.uuid, node.name])),
    check(`the image on the disk has SHA-256 ${demo_raw.sha256.slice(0, 16)}…`, demo_raw.sha256, disk.image?.sha256),
    check('user_data on the configdrive is what she sent', sha256(userData), file('user_data')?.sha256),
    check('meta_data.json has its name', server.name, name),
    check('meta_data.json has her public key', publicKey, Object.values(keys).join()),
    check(`network_data.json has ${address}`, true, file('network_data.json')?.text?.includes(address) ?? false),
    check(`network_data.json has the network card of the machine, ${mac}`, mac, cards[0]?.ethernet_mac_address),
    check(`the guest metadata document has ${address}`, true, document.includes(`address="${address}"`)),
  ];
};
