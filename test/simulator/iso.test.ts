import { expect, it } from 'vitest';

import { buildIso } from '../../layers/configdrive/iso.ts';
import { readIso } from '../../simulator/iso.ts';

const image = () =>
  Buffer.from(
    buildIso({
      label: 'config-2',
      files: [
        { path: 'openstack/latest/meta_data.json', data: Buffer.from('{}') },
        { path: 'openstack/latest/user_data', data: Buffer.alloc(5000, 'x') },
        { path: 'openstack/2012-08-10/Long Name with ü.json', data: Buffer.from('') },
      ],
    }),
  );

const names = [
  'openstack/2012-08-10/Long Name with ü.json',
  'openstack/latest/meta_data.json',
  'openstack/latest/user_data',
];

it('reads label, names and contents by Joliet', () => {
  const { label, files } = readIso(image());
  expect(label).toBe('config-2');
  expect([...files.keys()].sort()).toEqual(names);
  expect(files.get('openstack/latest/user_data')).toEqual(Buffer.alloc(5000, 'x'));
});

it('reads the same names by Rock Ridge when there is no Joliet', () => {
  const bytes = image();
  // Type 3 is a partition descriptor, which readers pass over.
  for (let at = 16 * 2048; bytes[at] !== 255; at += 2048) if (bytes[at] === 2) bytes[at] = 3;
  expect([...readIso(bytes).files.keys()].sort()).toEqual(names);
});

it('refuses what is no image, and an image that is cut off', () => {
  expect(() => readIso(Buffer.alloc(100_000))).toThrow('not an ISO 9660 image');
  expect(() => readIso(image().subarray(0, 45_000))).toThrow('cut off');
});
