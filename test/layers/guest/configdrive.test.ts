import { describe, expect, it } from 'vitest';

import { buildGuestDrive, configdriveFiles } from '../../../layers/guest/configdrive.ts';
import { networkData } from '../../../layers/guest/network-data.ts';
import { newRandomSeed, type GuestServer } from '../../../layers/guest/server.ts';
import { createIds } from '../../../layers/platform/ids.ts';
import { readVolume } from '../configdrive/iso-reader.ts';
import { instance } from './golden.ts';
import { network, server } from './server.ts';

const nowhere = { vifs: [], cards: [], groups: [] };
const bare: GuestServer = { ...server, key_pair: null, admin_pass: null, user_data: null, meta: {}, files: [] };

const textOf = (of: GuestServer, path: string, net = network) => {
  const found = configdriveFiles(of, net).find((file) => file.path === path);
  return found && Buffer.from(found.data).toString();
};
const json = (path: string, of = server, net = network) =>
  JSON.parse(textOf(of, path, net)!) as Record<string, unknown>;
const versions = (name: string, of = server) =>
  configdriveFiles(of, network).flatMap(({ path }) => {
    const [, version] = new RegExp(`^openstack/(.+)/${name}$`).exec(path) ?? [];
    return version ?? [];
  });

const all = [
  '2012-08-10',
  '2013-04-04',
  '2013-10-17',
  '2015-10-15',
  '2016-06-30',
  '2016-10-06',
  '2017-02-22',
  '2018-08-27',
  '2020-10-14',
  '2025-04-04',
  'latest',
];

describe('the configdrive of a guest', () => {
  it('is labelled config-2, reads back by both trees, and is the same for the same guest', () => {
    const drive = buildGuestDrive(server, network);
    const { label, files } = readVolume(drive, 1);
    expect(label).toBe('config-2');
    expect(files['openstack/latest/user_data']).toBe('#cloud-config\npackages: [vim]\n');
    expect(Object.keys(files)).toHaveLength(configdriveFiles(server, network).length);
    expect(readVolume(drive, 2).files).toEqual(files);
    expect(buildGuestDrive(server, network)).toEqual(drive);
  });

  it('has each document from the version on that introduced it', () => {
    expect(versions('meta_data.json')).toEqual(all);
    expect(versions('user_data')).toEqual(all);
    expect(versions('vendor_data.json')).toEqual(all.slice(2));
    expect(versions('network_data.json')).toEqual(all.slice(3));
    expect(versions('vendor_data2.json')).toEqual(all.slice(5));
    expect(versions('user_data', bare)).toEqual([]);
  });

  it('tells the guest who it is, and who may log in', () => {
    expect(json('openstack/latest/meta_data.json')).toEqual({
      uuid: instance,
      name: 'Büro サーバ',
      hostname: 'buero.cloud.test',
      launch_index: 2,
      availability_zone: 'rack1',
      meta: { role: 'web' },
      public_keys: { k: 'ssh-ed25519 AAAAC3Nza me@host' },
      keys: [{ name: 'k', type: 'ssh', data: 'ssh-ed25519 AAAAC3Nza me@host' }],
      files: [{ path: '/etc/motd', content_path: '/content/0000' }],
      admin_pass: 'correct-horse',
      random_seed: Buffer.alloc(512, 7).toString('base64'),
      project_id: 'p-1',
      devices: [],
      dedicated_cpus: [],
    });
    expect(textOf(server, 'openstack/content/0000')).toBe('hello\n');
  });

  it('says nothing of what the guest has not got', () => {
    expect(Object.keys(json('openstack/latest/meta_data.json', bare))).toEqual([
      'uuid',
      'name',
      'hostname',
      'launch_index',
      'availability_zone',
      'random_seed',
      'project_id',
      'devices',
      'dedicated_cpus',
    ]);
  });

  it('has in an old version the keys of that version', () => {
    const keys = (version: string) => Object.keys(json(`openstack/${version}/meta_data.json`, bare)).slice(5);
    expect(keys('2012-08-10')).toEqual([]);
    expect(keys('2013-04-04')).toEqual(['random_seed']);
    expect(keys('2015-10-15')).toEqual(['random_seed', 'project_id']);
    expect(keys('2016-06-30')).toEqual(['random_seed', 'project_id', 'devices']);
    expect(keys('2020-10-14')).toEqual(['random_seed', 'project_id', 'devices', 'dedicated_cpus']);
  });

  it('has the network, {} without one, and the data of the vendor in both forms', () => {
    expect(json('openstack/latest/network_data.json')).toEqual(networkData(network));
    expect(json('openstack/latest/network_data.json', server, nowhere)).toEqual({});
    expect(json('openstack/latest/vendor_data.json')).toEqual({ cloud: 'ingot' });
    expect(json('openstack/latest/vendor_data2.json')).toEqual({ static: { cloud: 'ingot' } });
  });

  it.each(['2009-04-04', 'latest'])('has the tree of EC2 in version %s', (version) => {
    expect(json(`ec2/${version}/meta-data.json`)).toEqual({
      'ami-id': 'ami-66e81ebe9d4f45aeb',
      'ami-launch-index': 2,
      'ami-manifest-path': 'FIXME',
      'instance-id': 'i-6a1f2a5e111142228',
      hostname: 'buero.cloud.test',
      'local-hostname': 'buero.cloud.test',
      'public-hostname': 'buero.cloud.test',
      'local-ipv4': '192.168.1.1',
      'public-ipv4': '11.22.33.44',
      'reservation-id': 'r-abcdefgh',
      'security-groups': ['default'],
      'instance-type': 'bm.small',
      'block-device-mapping': { ami: 'sda', root: '/dev/sda' },
      placement: { 'availability-zone': 'rack1' },
      'instance-action': 'none',
      'public-keys': { '0': { _name: '0=k', 'openssh-key': 'ssh-ed25519 AAAAC3Nza me@host' } },
    });
    expect(textOf(server, `ec2/${version}/user-data`)).toBe('#cloud-config\npackages: [vim]\n');
    expect(textOf(bare, `ec2/${version}/user-data`)).toBeUndefined();
  });

  it('keeps user data that is no text as it is', () => {
    const user_data = Buffer.from([0x1f, 0x8b, 0, 255]);
    const files = configdriveFiles({ ...server, user_data }, network);
    expect(files.find(({ path }) => path === 'openstack/latest/user_data')!.data).toEqual(user_data);
  });
});

describe('a random seed', () => {
  it('is 512 bytes that nobody else has', () => {
    const ids = createIds({ now: () => 0 });
    const seeds = [newRandomSeed({ ids }), newRandomSeed({ ids })];
    expect(seeds.map(({ length }) => length)).toEqual([512, 512]);
    expect(seeds[0]).not.toEqual(seeds[1]);
  });
});
