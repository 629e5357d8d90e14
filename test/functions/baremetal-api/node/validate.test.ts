import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, imageInfo, redfishInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const validate = async (uuid: string) => (await front.request(`GET /v1/nodes/${uuid}/validate`)).body;

describe('GET validate', () => {
  it('finds nothing wrong with a redfish node that is ready, and says what it cannot do', async () => {
    const { uuid } = await front.storeReady();
    const cannot = (what: string) => ({
      result: false,
      reason: `Driver redfish does not support ${what} (disabled or not implemented).`,
    });
    expect(await validate(uuid)).toEqual({
      bios: { result: true },
      boot: { result: true },
      console: cannot('console'),
      deploy: { result: true },
      firmware: { result: true },
      inspect: { result: true },
      management: { result: true },
      network: { result: true },
      power: { result: true },
      raid: cannot('raid'),
      rescue: cannot('rescue'),
      storage: { result: true },
    });
  });

  it('finds nothing wrong with a fake node, nor with a locked one', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    const body = (await validate(uuid)) as Record<string, { result: boolean }>;
    expect(Object.values(body).every(({ result }) => result)).toBe(true);
  });

  it('has the older form with the node in the query', async () => {
    const { uuid } = await front.storeReady();
    const old = await front.request(`GET /v1/nodes/validate?node_uuid=${uuid}`);
    expect(old.body).toEqual(await validate(uuid));
    expect(await front.request('GET /v1/nodes/validate')).toMatchObject({ status: 400 });
    expect((await front.request('GET /v1/nodes/nobody/validate')).status).toBe(404);
  });

  it('tells that a certificate is not checked, though that is valid', async () => {
    const { uuid } = await front.storeReady({ driver_info: { ...redfishInfo, redfish_verify_ca: false } });
    const insecure = { result: true, reason: expect.stringContaining('redfish_verify_ca is false') };
    expect(await validate(uuid)).toMatchObject({ power: insecure, management: insecure });
  });
});

describe('driver_info', () => {
  it.each([
    ['no address', {}, ['power', 'management', 'boot', 'deploy'], 'driver_info.redfish_address'],
    ['no agent image', { redfish_address: '10.1.0.7' }, ['boot', 'deploy'], 'driver_info.deploy_iso'],
    [
      'kernel and ramdisk instead of an ISO',
      { redfish_address: '10.1.0.7', deploy_kernel: 'http://x/k', deploy_ramdisk: 'http://x/r' },
      ['boot', 'deploy'],
      'cannot build an ISO from driver_info.deploy_kernel',
    ],
    ['a file as agent image', { ...redfishInfo, deploy_iso: 'file:///x.iso' }, ['boot', 'deploy'], 'http or https URL'],
  ])('%s', async (_what, driver_info, wrong, reason) => {
    const { uuid } = await front.storeReady({ driver_info });
    const body = (await validate(uuid)) as Record<string, { result: boolean; reason?: string }>;
    const names = ['power', 'management', 'boot', 'deploy'];
    expect(names.filter((name) => !body[name]!.result)).toEqual(wrong);
    for (const name of wrong) expect(body[name]!.reason).toContain(reason);
  });

  it('without a port the agent would not be recognised', async () => {
    const { uuid } = await front.store({ driver: 'redfish', driver_info: redfishInfo, instance_info: imageInfo });
    expect(await validate(uuid)).toMatchObject({ boot: { result: false, reason: expect.stringContaining('no port') } });
  });
});

describe('instance_info of interface direct', () => {
  const { image_os_hash_algo: _algo, image_os_hash_value: _value, ...noDigest } = imageInfo;
  const noPair = { image_os_hash_algo: null, image_os_hash_value: null };

  it.each([
    ['a checksum instead of the pair', { ...noDigest, image_checksum: 'ab'.repeat(16) }],
    ['the URL of a checksum file', { ...imageInfo, image_os_hash_value: 'http://images.test/demo.raw.sha256sum' }],
    ['a checksum of any kind', { ...noDigest, image_os_hash_algo: 'auto', image_os_hash_value: 'ab'.repeat(64) }],
    ['the URL of any', { ...noDigest, image_os_hash_algo: 'auto', image_os_hash_value: 'https://images.test/sums' }],
    ['what Metal3 sends', { ...imageInfo, ...noPair, image_checksum: 'http://images.test/demo.raw.sha256sum' }],
    ['the URL of a checksum', { ...noDigest, image_checksum: 'https://images.test/sums' }],
    ['a partition image', { ...imageInfo, kernel: 'http://x/k', ramdisk: 'http://x/r', root_gb: '10', swap_mb: 0 }],
    ['capabilities as text', { ...imageInfo, capabilities: '{"boot_mode": "uefi"}' }],
    ['root device hints', { ...imageInfo, root_device: { size: '>= 100', serial: 's== x', rotational: 'false' } }],
    ['a configdrive somewhere else', { ...imageInfo, configdrive: 'https://drives.test/1' }],
    ['traits of the node', { ...imageInfo, traits: ['HW_A'] }],
  ])('takes %s', async (_what, instance_info) => {
    const { uuid } = await front.storeReady({ instance_info, traits: ['HW_A'] });
    expect(await validate(uuid)).toMatchObject({ deploy: { result: true } });
  });

  it.each([
    ['nothing', {}, 'Missing: instance_info.image_source'],
    ['an image service ID', { ...imageInfo, image_source: 'c0ffee' }, 'instance_info.image_source'],
    ['a path', { ...imageInfo, image_source: 'https://images.test/dir/' }, 'instance_info.image_source'],
    ['no digest', noDigest, 'instance_info.image_checksum'],
    ['half a digest', { ...noDigest, image_os_hash_algo: 'sha256' }, 'instance_info.image_os_hash_value'],
    ['an unknown algorithm', { ...imageInfo, image_os_hash_algo: 'crc' }, 'instance_info.image_os_hash_algo'],
    ['a digest of another length', { ...imageInfo, image_os_hash_algo: 'sha512' }, 'instance_info.image_os_hash_value'],
    [
      'a checksum file that is none of the web',
      { ...imageInfo, image_os_hash_value: 'file:///etc/sums' },
      'image_os_hash_value must be 64 hexadecimal digits for this algorithm, or the URL of a checksum file',
    ],
    [
      'a checksum that is none of any kind',
      { ...imageInfo, image_os_hash_algo: 'auto', image_os_hash_value: 'x' },
      'MD5',
    ],
    ['a checksum that is none', { ...noDigest, image_checksum: 'xyz' }, 'instance_info.image_checksum'],
    ['an unknown disk format', { ...imageInfo, image_disk_format: 'vmdk' }, 'instance_info.image_disk_format'],
    ['an unknown image type', { ...imageInfo, image_type: 'floppy' }, 'instance_info.image_type'],
    ['a partition without a size', { ...imageInfo, kernel: 'http://x/k' }, 'instance_info.root_gb'],
    ['a size in words', { ...imageInfo, image_type: 'partition', root_gb: 'big' }, 'instance_info.root_gb'],
    ['capabilities that are no JSON', { ...imageInfo, capabilities: 'boot_mode' }, 'instance_info.capabilities'],
    ['an unknown boot mode', { ...imageInfo, capabilities: { boot_mode: 'x' } }, 'capabilities.boot_mode'],
    ['another boot mode than the machine', { ...imageInfo, capabilities: { boot_mode: 'bios' } }, 'contradict'],
    [
      'secure boot in mode bios',
      { ...imageInfo, deploy_boot_mode: 'bios', capabilities: { secure_boot: 'true' } },
      'secure_boot',
    ],
    ['secure boot in other words', { ...imageInfo, capabilities: { secure_boot: 'on' } }, 'secure_boot'],
    ['an unknown hint', { ...imageInfo, root_device: { colour: 'red' } }, 'instance_info.root_device.colour'],
    ['a size hint in words', { ...imageInfo, root_device: { size: 'big' } }, 'instance_info.root_device.size'],
    ['hints that are a list', { ...imageInfo, root_device: ['sda'] }, 'instance_info.root_device'],
    ['a configdrive in the record', { ...imageInfo, configdrive: 'H4sI' }, 'instance_info.configdrive'],
    ['traits that are text', { ...imageInfo, traits: 'HW_A' }, 'instance_info.traits'],
  ])('refuses %s and names the key', async (_what, instance_info, reason) => {
    const { uuid } = await front.storeReady({ instance_info, properties: { capabilities: 'boot_mode:uefi,x:y' } });
    expect(await validate(uuid)).toMatchObject({ deploy: { result: false, reason: expect.stringContaining(reason) } });
  });

  it('looks at the hints and capabilities of the machine too', async () => {
    const hints = await front.storeReady({ properties: { root_device: { size: 0 } } });
    expect(await validate(hints.uuid)).toMatchObject({
      deploy: { reason: expect.stringContaining('properties.root_device.size') },
    });
    const odd = await front.storeReady({ properties: { capabilities: 'uefi' } });
    expect(await validate(odd.uuid)).toMatchObject({
      deploy: { reason: expect.stringContaining('properties.capabilities') },
    });
  });
});

describe('instance_info of interface ramdisk', () => {
  const ramdisk = { deploy_interface: 'ramdisk' } as const;

  it('needs a boot ISO and nothing else', async () => {
    const { uuid } = await front.storeReady({ ...ramdisk, instance_info: { boot_iso: 'http://images.test/live.iso' } });
    expect(await validate(uuid)).toMatchObject({ deploy: { result: true }, boot: { result: true } });
  });

  it('can do without the agent, but then not be cleaned', async () => {
    const { uuid } = await front.store({
      ...ramdisk,
      driver: 'redfish',
      driver_info: { redfish_address: '10.1.0.7' },
      instance_info: { boot_iso: 'http://images.test/live.iso' },
    });
    const remark = { result: true, reason: expect.stringContaining('cleaning is not possible') };
    expect(await validate(uuid)).toMatchObject({ deploy: remark, boot: remark });
  });

  it.each([
    ['nothing', {}, 'Missing: instance_info.boot_iso'],
    ['an image too', { boot_iso: 'http://x/1.iso', image_source: 'http://x/1.raw' }, 'exclude each other'],
    ['kernel and ramdisk', { kernel: 'http://x/k', ramdisk: 'http://x/r' }, 'cannot build an ISO'],
    ['a file', { boot_iso: 'file:///x.iso' }, 'instance_info.boot_iso'],
  ])('refuses %s', async (_what, instance_info, reason) => {
    const { uuid } = await front.storeReady({ ...ramdisk, instance_info });
    expect(await validate(uuid)).toMatchObject({ deploy: { result: false, reason: expect.stringContaining(reason) } });
  });
});
