import { describe, expect, it } from 'vitest';

import { renderGuestDocument } from '../../../layers/guest/guest-document.ts';
import { spareKeys, toInstanceInfo } from '../../../layers/guest/instance-info.ts';
import { createMetadata } from '../../../layers/guest/metadata.ts';
import { metadataOf } from '../../../layers/guest/told.ts';
import { golden, instance, metadataOfCase } from './golden.ts';

const deployment = { host: 'ingot', local_gb: 2000, ephemeral_format: 'ext4' };
const seed = metadataOfCase('many_ips_seed');

const ip = (address: string, version: number, more: object) => ({ address, type: 'fixed', version, meta: {}, ...more });
const floating = (address: string) => ({ address, type: 'floating', version: 4, meta: {} });
const first = '567a4527-b0e4-4d0a-bcc2-71fda37897f7';
const second = 'a3ca97e2-0cf9-4159-9bfc-afd55bc13ead';

describe('instance_info of a deploy', () => {
  it('has every key, numbers as text, addresses as JSON text', () => {
    const { fixed_ips, floating_ips, ...rest } = toInstanceInfo(seed, deployment);
    expect(rest).toEqual({
      image_source: '66e81ebe-9d4f-45ae-b79b-b3d9dc989b21',
      display_name: 'sample-instance-name',
      created_at: '2020-10-23T05:36:41Z',
      flavor_name: 'sample-flavor',
      flavor_id: 'b1946ac9-2492-4347-a6d8-c705dad5b5eb',
      memory_mb: '348160',
      root_gb: '100',
      swap_mb: '0',
      vcpus: '80',
      user_id: '2997526f-669c-4bd9-af5f-68c6ba0cc2f0',
      user_name: 'sample-user',
      project_id: 'acf923f2-9b4d-4e0d-acfb-1b2976dd480f',
      project_name: 'sample-project',
      nova_host_id: 'ingot',
      local_gb: '2000',
      traits: ['CUSTOM_RAID'],
    });
    expect(JSON.parse(fixed_ips as string)).toEqual([
      ip('192.168.1.1', 4, { floating_ips: [floating('11.22.33.44')], port_id: first }),
      ip('fe80::f95c:b030:7094', 6, { floating_ips: [], port_id: first }),
      ip('10.0.0.1', 4, { floating_ips: [floating('1.2.3.4')], port_id: second }),
      ip('fdf8:f53b:82e4::52', 6, { floating_ips: [], port_id: second }),
    ]);
    expect(JSON.parse(floating_ips as string)).toEqual([
      { ...floating('11.22.33.44'), port_id: first },
      { ...floating('1.2.3.4'), port_id: second },
    ]);
  });

  it('has its keys in their order', () => {
    expect(Object.keys(toInstanceInfo(metadataOfCase('no_ports'), deployment))).toEqual(
      (
        'image_source display_name created_at flavor_name flavor_id memory_mb root_gb swap_mb vcpus user_id user_name ' +
        'project_id project_name nova_host_id local_gb fixed_ips floating_ips traits'
      ).split(' '),
    );
  });

  it('tells of an ephemeral disk only if there is one, and in Python how a rebuild treats it', () => {
    expect(toInstanceInfo({ ...seed, ephemeral_gb: 20 }, { ...deployment, preserve_ephemeral: true })).toMatchObject({
      ephemeral_gb: '20',
      ephemeral_format: 'ext4',
      preserve_ephemeral: 'True',
    });
    expect(toInstanceInfo({ ...seed, ephemeral_gb: 20 }, { ...deployment, ephemeral_format: null })).not.toHaveProperty(
      'ephemeral_format',
    );
    expect(toInstanceInfo(seed, { ...deployment, preserve_ephemeral: false })).toMatchObject({
      preserve_ephemeral: 'False',
    });
  });

  it('asks for capabilities, and for the traits that flavor and image require, whatever their group', () => {
    const extra_specs = {
      'capabilities:boot_mode': 'uefi',
      'capabilities:raid_level': '1+0',
      'trait:A': 'required',
      'trait1:B': 'required',
      'trait:C': 'forbidden',
      'traits:D': 'required',
      'resources:CUSTOM_X': '1',
    };
    const image = { ...seed.image!, properties: { 'trait:A': 'required', 'trait:E': 'required', os_distro: 'x' } };
    const info = toInstanceInfo({ ...seed, extra_specs, image }, deployment);
    expect(JSON.parse(info['capabilities'] as string)).toEqual({ boot_mode: 'uefi', raid_level: '1+0' });
    expect(info['traits']).toEqual(['A', 'B', 'E']);
  });

  it('says nothing of the image but its UUID, and that not for a root on a volume', () => {
    const names = Object.keys(toInstanceInfo(seed, deployment)).filter((name) => name.startsWith('image'));
    expect(names).toEqual(['image_source']);
    expect(toInstanceInfo({ ...seed, root: { type: 'volume', uuid: 'v' } }, deployment)).not.toHaveProperty(
      'image_source',
    );
  });

  it('can be less, but not less than a deploy needs', () => {
    expect(toInstanceInfo(seed, deployment, ['user_name', 'flavor_id'])).not.toHaveProperty('user_name');
    expect(spareKeys).toContain('created_at');
    expect(spareKeys).not.toContain('image_source');
    expect(spareKeys).not.toContain('traits');
  });

  it('calls an instance without a name by its UUID, and an unknown name N/A', () => {
    const meta = createMetadata({ uuid: 'i-1', package: '1', user_id: 'u', project_id: 'p' }, []);
    expect(toInstanceInfo(meta, deployment)).toMatchObject({
      display_name: 'i-1',
      user_name: 'N/A',
      project_name: 'N/A',
      fixed_ips: '[]',
      floating_ips: '[]',
    });
  });
});

const machine = (instance_info: object) => ({
  uuid: 'n-1',
  instance_uuid: instance,
  instance_name: null,
  instance_info: instance_info as Record<string, unknown>,
});

describe('the metadata that instance_info tells', () => {
  const both = [first, second];

  it.each(['many_ips_seed', 'one_ip', 'no_ports', 'port_without_ip'])(
    'makes the same document as what it was made of: %s',
    (name) => {
      const meta = metadataOfCase(name);
      const vifs = meta.ports.map(({ uuid }) => uuid!).toReversed();
      const told = metadataOf(machine(toInstanceInfo(meta, deployment)), vifs, '18.1.1');
      expect(renderGuestDocument(told)).toBe(golden(name, '1.0'));
    },
  );

  it('knows the ports by the addresses where nobody keeps account of VIFs', () => {
    const told = metadataOf(machine(toInstanceInfo(seed, deployment)), null, '18.1.1');
    expect(renderGuestDocument(told)).toBe(golden('many_ips_seed', '1.0'));
  });

  it('leaves out a port that is detached, though its addresses are still listed', () => {
    const { ports } = metadataOf(machine(toInstanceInfo(seed, deployment)), [second], '1');
    expect(ports.map(({ uuid }) => uuid)).toEqual([second]);
    expect(ports[0]!.fixed_ips.map(({ address }) => address)).toEqual(['10.0.0.1', 'fdf8:f53b:82e4::52']);
    expect(metadataOf(machine(toInstanceInfo(seed, deployment)), [], '1').ports).toEqual([]);
  });

  it('has the addresses of Nova, which names no ports, at the only port, or by themselves', () => {
    const nova = {
      fixed_ips: JSON.stringify([ip('10.0.0.1', 4, { floating_ips: [floating('1.2.3.4')] }), ip('10.0.0.2', 4, {})]),
      floating_ips: JSON.stringify([floating('1.2.3.4')]),
    };
    const shape = (vifs: string[] | null) =>
      metadataOf(machine(nova), vifs, '1').ports.map(({ uuid, fixed_ips, floating_ips }) => [
        uuid,
        fixed_ips.length,
        floating_ips.length,
      ]);
    expect(shape([first])).toEqual([[first, 2, 0]]);
    expect(shape(both)).toEqual([
      [first, 0, 0],
      [second, 0, 0],
      [null, 2, 0],
    ]);
    expect(shape(null)).toEqual([[null, 2, 0]]);
    expect(shape([])).toEqual([[null, 2, 0]]);
  });

  it('takes lists as they are, and numbers that are numbers', () => {
    const { ports, memory_mb, vcpus } = metadataOf(
      machine({ fixed_ips: [ip('10.0.0.1', 4, {})], floating_ips: [floating('9.9.9.9')], memory_mb: 512, vcpus: '4' }),
      [first],
      '1',
    );
    expect(ports).toMatchObject([{ fixed_ips: [{ address: '10.0.0.1' }], floating_ips: [{ address: '9.9.9.9' }] }]);
    expect({ memory_mb, vcpus }).toEqual({ memory_mb: 512, vcpus: 4 });
  });

  it('is as good as nothing of what cannot be read', () => {
    const hostile = {
      display_name: { a: 1 },
      user_id: ['x'],
      memory_mb: 'lots',
      vcpus: -1,
      root_gb: '  ',
      swap_mb: '1e999',
      fixed_ips:
        '[{"address":"10.0.0.1"},7,null,{"address":1,"version":4},{"address":"10.0.0.2","version":4,"floating_ips":"x"}]',
      floating_ips: '{not json',
      image_source: 'https://user:secret@images.test/x.raw',
    };
    const told = metadataOf(machine(hostile), [first], '1');
    expect(told).toMatchObject({ display_name: instance, user_id: null, memory_mb: null, vcpus: null, root: null });
    expect(told).toMatchObject({ root_gb: null, swap_mb: null });
    expect(told.ports).toEqual([
      {
        uuid: first,
        fixed_ips: [{ address: '10.0.0.2', type: 'fixed', version: 4, floating_ips: [] }],
        floating_ips: [],
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it('calls a machine without an instance by its own UUID, one of a standalone client by its instance_name', () => {
    const bare = { uuid: 'n-1', instance_uuid: null, instance_name: null, instance_info: {} };
    expect(metadataOf(bare, null, '1')).toMatchObject({ uuid: 'n-1', display_name: 'n-1' });
    expect(metadataOf({ ...bare, instance_name: 'web' }, null, '1').display_name).toBe('web');
    expect(
      metadataOf({ ...bare, instance_name: 'web', instance_info: { display_name: 'db' } }, null, '1'),
    ).toMatchObject({ display_name: 'db' });
  });
});
