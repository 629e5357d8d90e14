/** What the demo claims, as checks: each has a sentence and what was found. */
import { createHash } from 'node:crypto';

import { configdrive } from './instance.ts';
import type { Images, MachineState } from './machines.ts';
import type { NodeView } from './node.ts';

export type Check = { readonly claim: string; readonly held: boolean; readonly found: string };

const check = (claim: string, wanted: unknown, found: unknown): Check => ({
  claim,
  held: wanted === found,
  found: String(found),
});

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
