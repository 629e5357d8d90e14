import { describe, expect, it } from 'vitest';

import { buildConfigdrive } from '../../../layers/configdrive/index.ts';
import { readVolume } from './iso-reader.ts';

const node = { uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', name: 'rack1-7' };
const files = (...input: Parameters<typeof buildConfigdrive>) => readVolume(buildConfigdrive(...input), 1).files;
const latest = (name: string, ...input: Parameters<typeof buildConfigdrive>) =>
  files(...input)[`openstack/latest/${name}`];

describe('a configdrive built from documents', () => {
  it('is labelled config-2', () => {
    expect(readVolume(buildConfigdrive({}, node), 2).label).toBe('config-2');
  });

  it('has the documents under the oldest and the newest version', () => {
    const drive = files({ user_data: '#cloud-config\n', network_data: { links: [] }, vendor_data: { a: 1 } }, node);
    expect(Object.keys(drive).sort()).toEqual(
      ['2012-08-10', 'latest'].flatMap((version) =>
        ['meta_data.json', 'network_data.json', 'user_data', 'vendor_data2.json'].map(
          (name) => `openstack/${version}/${name}`,
        ),
      ),
    );
    expect(drive['openstack/latest/user_data']).toBe('#cloud-config\n');
    expect(drive['openstack/latest/vendor_data2.json']).toBe('{"a":1}');
  });

  it('takes uuid and name from the node unless meta_data has its own', () => {
    expect(JSON.parse(latest('meta_data.json', {}, node)!)).toEqual(node);
    expect(JSON.parse(latest('meta_data.json', { meta_data: { name: 'web', hostname: 'w' } }, node)!)).toEqual({
      uuid: node.uuid,
      name: 'web',
      hostname: 'w',
    });
    expect(JSON.parse(latest('meta_data.json', {}, { ...node, name: null })!)).toEqual({ uuid: node.uuid });
  });

  it('writes user_data that is not text as JSON', () => {
    expect(latest('user_data', { user_data: { packages: ['vim'] } }, node)).toBe('{"packages":["vim"]}');
    expect(latest('user_data', { user_data: [1, 2] }, node)).toBe('[1,2]');
  });

  it('leaves out what was not given', () => {
    expect(Object.keys(files({ user_data: null }, node))).toEqual([
      'openstack/2012-08-10/meta_data.json',
      'openstack/latest/meta_data.json',
    ]);
  });
});
