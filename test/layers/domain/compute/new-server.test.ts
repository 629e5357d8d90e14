import { describe, expect, it } from 'vitest';

import { readNewServer } from '../../../../layers/domain/compute/new-server.ts';
import { isFault } from '../../../../layers/domain/fault.ts';

const image = '22222222-2222-4222-8222-222222222222';
const network = '33333333-3333-4333-8333-333333333333';
const least = { name: 's1', imageRef: image, flavorRef: 'bm-small' };
const refused = (more: object, version = 90, beside: object = {}): string => {
  try {
    readNewServer({ server: { ...least, networks: 'none', ...more }, ...beside }, version);
    return 'none';
  } catch (error) {
    if (!isFault(error)) throw error;
    return `${error.code} ${error.message}`;
  }
};

describe('a new server', () => {
  it('is what the command line client sends', () => {
    const body = {
      server: {
        ...least,
        user_data: 'I2Nsb3VkLWNvbmZpZwo=',
        metadata: { a: 'b' },
        config_drive: 'yes',
        min_count: '1',
        max_count: 1,
        networks: 'none',
        key_name: null,
      },
      'os:scheduler_hints': { group: network, different_cell: 'x' },
    };
    expect(readNewServer(body, 90)).toEqual({
      server: {
        ...least,
        user_data: 'I2Nsb3VkLWNvbmZpZwo=',
        metadata: { a: 'b' },
        config_drive: true,
        min_count: 1,
        max_count: 1,
        networks: 'none',
      },
      hints: { group: network, different_cell: 'x' },
      image,
      min_count: 1,
      max_count: 1,
    });
  });

  it('names image and flavor by their addresses, too', () => {
    const { server, image: found } = readNewServer(
      { server: { ...least, flavorRef: 'http://x/v2.1/flavors/7', imageRef: `http://x/images/${image}` } },
      1,
    );
    expect([server['flavorRef'], found]).toEqual(['7', image]);
  });

  it('names its image as a device, as some clients do', () => {
    const device = { uuid: image, boot_index: '0', source_type: 'image', destination_type: 'local' };
    const { image: found } = readNewServer(
      { server: { name: 's', flavorRef: '1', imageRef: '', block_device_mapping_v2: [device] } },
      1,
    );
    expect(found).toBe(image);
    expect(refused({ imageRef: null, block_device_mapping_v2: [{ ...device, source_type: 'volume' }] })).toContain(
      '400',
    );
    expect(refused({ block_device_mapping_v2: [{ ...device, uuid: network }] })).toContain('different images');
  });

  it('is as many as the counts say', () => {
    const counts = (more: object) => {
      const { min_count: min, max_count: max } = readNewServer({ server: { ...least, ...more } }, 1);
      return [min, max];
    };
    expect([counts({}), counts({ min_count: 3 }), counts({ max_count: 3 })]).toEqual([
      [1, 1],
      [3, 3],
      [1, 3],
    ]);
    expect(refused({ min_count: 3, max_count: 2 })).toBe('400 min_count must be <= max_count');
  });

  it.each([
    [{ name: '' }, 90, 'Invalid value for server.name'],
    [{ name: ' x' }, 90, 'Invalid value for server.name'],
    [{ name: 'a\nb' }, 90, 'Invalid value for server.name'],
    [{ imageRef: undefined }, 90, 'imageRef is missing'],
    [{ flavorRef: undefined }, 90, 'Missing mandatory parameter: server.flavorRef.'],
    [{ networks: undefined }, 37, 'networks is missing'],
    [{ networks: 'none' }, 36, 'networks must be a list below 2.37'],
    [{ networks: [{}] }, 90, 'server.networks'],
    [{ networks: [{ port: network, fixed_ip: '10.0.0.5' }] }, 90, 'server.networks'],
    [{ networks: [{ uuid: network, fixed_ip: '10.0.0' }] }, 90, 'server.networks'],
    [{ user_data: 'not base64!' }, 90, 'Invalid value for server.user_data: must be base64'],
    [{ user_data: 'A'.repeat(65_536) }, 90, 'Invalid value for server.user_data'],
    [{ metadata: { a: 1 } }, 90, 'Invalid value for server.metadata.a'],
    [{ metadata: { ['k'.repeat(256)]: 'x' } }, 90, 'server.metadata'],
    [{ description: 'd' }, 18, 'Unexpected arguments: server.description.'],
    [{ tags: ['a'] }, 51, 'Unexpected arguments: server.tags.'],
    [{ hostname: 'h1' }, 89, 'Unexpected arguments: server.hostname.'],
    [{ hostname: '-h' }, 90, 'Invalid value for server.hostname'],
    [{ personality: [] }, 57, 'Unexpected arguments: server.personality.'],
    [{ colour: 'red' }, 1, 'Unexpected arguments: server.colour.'],
    [{ diskConfig: 'AUTO' }, 90, 'Unexpected arguments: server.diskConfig.'],
    [{ trusted_image_certificates: ['x'] }, 63, 'images are checked by checksum'],
  ])('with %o at 2.%i is refused', (more, version, words) => {
    const given = version < 37 && !('networks' in more) ? { networks: [], ...more } : more;
    expect(refused(given, version)).toContain(words);
  });

  it('beside which something strange stands is refused', () => {
    expect(refused({}, 90, { hints: {} })).toBe('400 Unexpected arguments: hints.');
    expect(refused({}, 90, { 'OS-SCH-HNT:scheduler_hints': { group: 'x' } })).toContain('400');
  });
});
