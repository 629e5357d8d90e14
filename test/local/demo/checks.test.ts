import { createHash } from 'node:crypto';

import { expect, it } from 'vitest';

import { deployed, returned } from '../../../local/demo/checks.ts';
import { configdrive } from '../../../local/demo/instance.ts';
import type { Images, MachineState } from '../../../local/demo/machines.ts';
import type { NodeView } from '../../../local/demo/node.ts';

const images: Images = {
  deploy_iso: 'http://127.0.0.1/deploy.iso',
  demo_raw: { url: 'http://127.0.0.1/demo.raw', sha256: 'a'.repeat(64), size: 8 },
};
const file = (text: string) => ({ sha256: createHash('sha256').update(text).digest('hex'), text });

const activeNode = { provision_state: 'active', instance_info: { configdrive: '******' } } as unknown as NodeView;
const deployedMachine: MachineState = {
  power: 'on',
  media: { Cd: null },
  disk: {
    image: { sha256: 'a'.repeat(64), size: 8 },
    configdrive: {
      label: 'config-2',
      files: {
        'openstack/latest/user_data': file(configdrive.user_data),
        'openstack/latest/meta_data.json': file(JSON.stringify({ uuid: 'x', ...configdrive.meta_data })),
        'openstack/latest/network_data.json': file(JSON.stringify(configdrive.network_data)),
      },
    },
  },
  violations: [],
};
const freeNode = { provision_state: 'available', instance_info: {}, instance_uuid: null } as unknown as NodeView;
const wipedMachine: MachineState = {
  power: 'off',
  media: { Cd: null, USBStick: null },
  disk: { image: null, configdrive: null },
  violations: [],
};

const missed = (checks: { claim: string; held: boolean }[]) =>
  checks.filter(({ held }) => !held).map(({ claim }) => claim);

it('holds for a machine with the image and the configdrive that were asked for', () => {
  expect(missed(deployed(activeNode, deployedMachine, images))).toEqual([]);
});

it('misses each thing that is not as it was asked for', () => {
  const { disk } = deployedMachine;
  const files = disk.configdrive!.files;
  const changed = (name: string, text: string): MachineState => ({
    ...deployedMachine,
    disk: {
      ...disk,
      configdrive: { label: 'config-2', files: { ...files, [`openstack/latest/${name}`]: file(text) } },
    },
  });
  const cases: [string, NodeView, MachineState][] = [
    ['active', { ...activeNode, provision_state: 'deploy failed' }, deployedMachine],
    ['on', activeNode, { ...deployedMachine, power: 'off' }],
    ['SHA-256', activeNode, { ...deployedMachine, disk: { ...disk, image: { sha256: 'b', size: 8 } } }],
    ['bytes', activeNode, { ...deployedMachine, disk: { ...disk, image: { sha256: 'a'.repeat(64), size: 7 } } }],
    ['user_data', activeNode, changed('user_data', 'other')],
    ['meta_data', activeNode, changed('meta_data.json', '{}')],
    ['network_data', activeNode, changed('network_data.json', '{"links": []}')],
    ['does not show', { ...activeNode, instance_info: {} }, deployedMachine],
  ];
  for (const [word, node, machine] of cases) {
    expect(missed(deployed(node, machine, images))).toEqual([expect.stringContaining(word)]);
  }
  expect(missed(deployed(activeNode, wipedMachine, images)).length).toBeGreaterThan(5);
});

it('holds for a machine that is as it was before, and misses whatever is left', () => {
  expect(missed(returned(freeNode, wipedMachine, []))).toEqual([]);
  const cases: [string, NodeView, MachineState, string[]][] = [
    ['instance_info', { ...freeNode, instance_info: { image_source: 'x' } }, wipedMachine, []],
    ['instance_uuid', { ...freeNode, instance_uuid: 'x' }, wipedMachine, []],
    ['off', freeNode, { ...wipedMachine, power: 'on' }, []],
    ['wiped', freeNode, { ...wipedMachine, disk: { ...wipedMachine.disk, image: { sha256: 'a', size: 1 } } }, []],
    ['media', freeNode, { ...wipedMachine, media: { Cd: { image: 'x' } } }, []],
    ['object', freeNode, wipedMachine, ['configdrives/x']],
    ['should not', freeNode, { ...wipedMachine, violations: [{ what: 'two writers' }] }, []],
  ];
  for (const [word, node, machine, objects] of cases) {
    expect(missed(returned(node, machine, objects))).toEqual([expect.stringContaining(word)]);
  }
});
