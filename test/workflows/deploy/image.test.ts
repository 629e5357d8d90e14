import { describe, expect, it } from 'vitest';

import { imageInfo } from '../../../workflows/deploy/image.ts';
import { aNode, uuid } from '../nodes.ts';

const image_source = 'https://images.test/a/b/demo.qcow2?version=2';

describe('imageInfo', () => {
  const infoOf = (instance_info: Record<string, unknown>, driver_info = {}) =>
    imageInfo(aNode({ instance_info: { image_source, ...instance_info }, driver_info }));

  it('takes the id from the last piece of the path', () => {
    expect(infoOf({})).toMatchObject({ id: 'demo.qcow2', urls: [image_source], node_uuid: uuid });
  });

  it('prefers the hash pair to the checksum', () => {
    const pair = { image_os_hash_algo: 'sha512', image_os_hash_value: 'b'.repeat(128) };
    expect(infoOf({ ...pair, image_checksum: 'a'.repeat(32) })).toMatchObject({
      os_hash_algo: 'sha512',
      os_hash_value: 'b'.repeat(128),
      checksum: 'a'.repeat(32),
    });
  });

  it.each([
    [32, undefined],
    [64, 'sha256'],
    [128, 'sha512'],
  ])('knows the algorithm of a checksum of %i digits', (length, algorithm) => {
    expect(infoOf({ image_checksum: 'a'.repeat(length) })['os_hash_algo']).toBe(algorithm);
  });

  it('leaves a URL of a checksum with its algorithm to the agent', () => {
    const pair = { image_os_hash_algo: 'sha256', image_os_hash_value: 'http://images.test/demo.raw.sha256sum' };
    expect(infoOf(pair)).toMatchObject({ os_hash_algo: 'sha256', os_hash_value: pair.image_os_hash_value });
  });

  it('has no word for whatever algorithm it is: the agent tells by the length', () => {
    const image_os_hash_value = 'http://images.test/demo.raw.sha256sum';
    const info = infoOf({ image_os_hash_algo: 'auto', image_os_hash_value });
    expect(info).toMatchObject({ checksum: image_os_hash_value });
    expect(info).not.toHaveProperty('os_hash_algo');
    expect(infoOf({ image_os_hash_algo: 'auto', image_os_hash_value: 'a'.repeat(128) })).toMatchObject({
      os_hash_algo: 'sha512',
      os_hash_value: 'a'.repeat(128),
    });
  });

  it('leaves a URL of a checksum to the agent', () => {
    const image_checksum = 'http://images.test/'.padEnd(64, 's');
    expect(infoOf({ image_checksum })).toMatchObject({ checksum: image_checksum });
    expect(infoOf({ image_checksum })).not.toHaveProperty('os_hash_algo');
  });

  it('names the format only if it was given', () => {
    expect(infoOf({})).not.toHaveProperty('disk_format');
    expect(infoOf({ image_disk_format: 'qcow2' })).toMatchObject({ disk_format: 'qcow2' });
  });

  it('passes on proxies', () => {
    expect(infoOf({}, { image_http_proxy: 'http://proxy:3128', image_no_proxy: '.test' })).toMatchObject({
      proxies: { http: 'http://proxy:3128' },
      no_proxy: '.test',
    });
  });

  it('says how to partition for a partition image only', () => {
    expect(infoOf({})).not.toHaveProperty('root_mb');
    expect(infoOf({ image_type: 'partition', root_gb: '10', ephemeral_gb: 2 })).toMatchObject({
      root_mb: 10_240,
      ephemeral_mb: 2048,
      swap_mb: 0,
      image_type: 'partition',
      boot_option: 'local',
      deploy_boot_mode: 'uefi',
    });
  });

  it.each([
    ['True', true],
    ['False', false],
    [undefined, false],
  ])('tells agents %s, as instance_info has it, as what they take for it', (preserve_ephemeral, told) => {
    const info = {
      image_type: 'partition',
      root_gb: '10',
      ephemeral_gb: '2',
      ...(preserve_ephemeral && { preserve_ephemeral }),
    };
    expect(infoOf(info)['preserve_ephemeral']).toBe(told);
  });

  it('refuses a node without an image', () => {
    expect(() => imageInfo(aNode({ instance_info: {} }))).toThrow('instance_info.image_source');
  });
});
