import { describe, expect, it } from 'vitest';

import { bootMode, configdriveLink, imageInfo } from '../../../workflows/deploy/image.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
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

  it('refuses a node without an image', () => {
    expect(() => imageInfo(aNode({ instance_info: {} }))).toThrow('instance_info.image_source');
  });
});

describe('configdriveLink', () => {
  const linkOf = async (configdrive?: string) =>
    configdriveLink(
      createMemoryPlatform(),
      aNode({ instance_info: configdrive === undefined ? {} : { configdrive } }),
      'agent',
      60,
    );

  it('is none without a configdrive, and the client’s own URL as it is', async () => {
    expect(await linkOf()).toBeUndefined();
    expect(await linkOf('https://drives.test/a.iso?x=1')).toBe('https://drives.test/a.iso?x=1');
  });

  it('is never made for what is not this node’s', async () => {
    await expect(linkOf('object:configdrives/11111111-2222-4333-8444-555555555555/01J0')).rejects.toThrow(
      'pass the configdrive again',
    );
  });
});

describe('bootMode', () => {
  it('prefers the instance to the machine, and is undefined when nobody asked', () => {
    const properties = { capabilities: 'boot_mode:bios' };
    expect(bootMode(aNode())).toBeUndefined();
    expect(bootMode(aNode({ properties }))).toBe('bios');
    expect(bootMode(aNode({ properties, instance_info: { deploy_boot_mode: 'uefi' } }))).toBe('uefi');
    expect(bootMode(aNode({ properties, instance_info: { capabilities: '{"boot_mode": "uefi"}' } }))).toBe('uefi');
  });
});
