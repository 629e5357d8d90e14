import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { deployed, returned, served } from '../../../local/demo/checks.ts';
import { configdrive } from '../../../local/demo/instance.ts';
import type { Images, MachineState } from '../../../local/demo/machines.ts';
import type { NodeView } from '../../../local/demo/node.ts';
import { publicKey, type ServerView, userData } from '../../../local/demo/server.ts';

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

describe('a server', () => {
  const server = {
    id: 'server-1',
    name: 'demo-server',
    status: 'ACTIVE',
    addresses: { private: [{ addr: '10.20.0.9' }] },
  } as unknown as ServerView;
  const node = { uuid: 'node-1', name: 'm0002', instance_uuid: 'server-1' } as unknown as NodeView;
  const document = '<nova:ip type="fixed" address="10.20.0.9" ipVersion="4"/>';
  const mac = '52:54:00:00:00:02';
  const network = { links: [{ ethernet_mac_address: mac }], networks: [{ ip_address: '10.20.0.9' }] };
  const files = {
    'openstack/latest/user_data': file(userData),
    'openstack/latest/meta_data.json': file(JSON.stringify({ name: 'demo-server', public_keys: { demo: publicKey } })),
    'openstack/latest/network_data.json': file(JSON.stringify(network)),
  };
  const disk = { image: deployedMachine.disk.image, configdrive: { label: 'config-2', files } };
  const machine: MachineState = { ...deployedMachine, disk };
  const all = { server, node, machine, document };

  it('is what its tenant asked for', () => {
    expect(missed(served(all, images, mac))).toEqual([]);
  });

  it.each([
    ['ACTIVE', { server: { ...server, status: 'ERROR' } }],
    ['instance_uuid', { node: { ...node, instance_uuid: 'another' } }],
    ['nothing of the node', { server: { ...server, hypervisor: 'm0002' } as unknown as ServerView }],
    ['image on the disk', { machine: { ...machine, disk: { ...disk, image: null } } }],
    ['user_data', { machine: { ...machine, disk: { ...disk, configdrive: null } } }],
    ['its name', { machine: { ...machine, disk: { ...disk, configdrive: null } } }],
    ['public key', { machine: { ...machine, disk: { ...disk, configdrive: null } } }],
    ['network_data.json has 10.20.0.9', { machine: { ...machine, disk: { ...disk, configdrive: null } } }],
    ['network card', { machine: { ...machine, disk: { ...disk, configdrive: null } } }],
    ['document', { document: '' }],
  ])('is missed where %s is not so', (claim, change) => {
    expect(missed(served({ ...all, ...change }, images, mac)).join()).toContain(claim);
  });
});
