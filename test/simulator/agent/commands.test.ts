import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

import { beforeEach, describe, expect, it } from 'vitest';

import { buildIso } from '../../../layers/configdrive/iso.ts';
import { resume } from '../../../simulator/power.ts';
import { createApi, createServingLab } from '../lab.ts';

type Lab = Awaited<ReturnType<typeof createServingLab>>;

const image = Buffer.alloc(300_000, 'image');
const sha256 = createHash('sha256').update(image).digest('hex');
const drive = buildIso({
  label: 'config-2',
  files: [{ path: 'openstack/latest/meta_data.json', data: Buffer.from('{"name":"a"}') }],
});
const packed = gzipSync(drive).toString('base64');

let lab: Lab;
beforeEach(async () => {
  const api = createApi();
  api.answers['/disk.raw'] = () => new Response(image);
  api.answers['/drive'] = () => new Response(packed);
  lab = await createServingLab(api);
});

const call = async (name: string, params: object = {}, wait = false) =>
  lab.agent('POST', `/v1/commands/?wait=${wait}`, { name, params });
const last = async () => {
  const { body } = await lab.agent('GET', '/v1/commands/');
  return body.commands.at(-1) as Record<string, unknown>;
};
const imageInfo = { id: 'disk.raw', urls: ['http://images.test/disk.raw?secret=1'], checksum: sha256 };
const write = async (args: object = { image_info: imageInfo }) =>
  call('deploy.execute_deploy_step', { step: { step: 'write_image', interface: 'deploy', args }, node: {}, ports: [] });

describe('the command API', () => {
  it('answers 401 without the right token', async () => {
    expect((await lab.agent('GET', '/v1/commands?agent_token=x')).status).toBe(401);
    expect((await lab.agent('POST', '/v1/commands?agent_token=', { name: 'standby.sync', params: {} })).status).toBe(
      401,
    );
  });

  it('answers 400 to what is no command, 404 to an unknown extension or id', async () => {
    expect((await lab.agent('POST', '/v1/commands', { name: 'standby.sync' })).status).toBe(400);
    expect((await call('standby.dance')).status).toBe(400);
    expect((await call('ballet.dance')).status).toBe(404);
    expect((await lab.agent('GET', '/v1/commands/none')).status).toBe(404);
  });

  it('answers 409 while an asynchronous command runs', async () => {
    expect((await write()).body).toMatchObject({ command_name: 'execute_deploy_step', command_status: 'RUNNING' });
    expect(await write()).toMatchObject({ status: 409, body: { faultcode: 'Client' } });
    await lab.advance(60);
    expect((await call('deploy.get_deploy_steps')).status).toBe(200);
  });

  it('holds the answer back with wait=true', async () => {
    let reply: { body: unknown } | undefined;
    void call('clean.execute_clean_step', { step: { step: 'erase_devices', interface: 'deploy' } }, true).then(
      (given) => (reply = given),
    );
    await lab.advance(30);
    expect(reply).toBeUndefined();
    await lab.advance(180);
    expect(reply!.body).toMatchObject({ command_status: 'SUCCEEDED' });
  });
});

it('lists its steps by hardware manager', async () => {
  const deploy = (await call('deploy.get_deploy_steps')).body.command_result;
  expect(deploy.deploy_steps.GenericHardwareManager).toContainEqual(
    expect.objectContaining({ step: 'write_image', interface: 'deploy', priority: 0 }),
  );
  const clean = (await call('clean.get_clean_steps')).body.command_result;
  expect(clean.clean_steps.GenericHardwareManager).toMatchObject([
    { step: 'erase_devices', priority: 10 },
    { step: 'erase_devices_metadata', priority: 99 },
    { step: 'erase_devices_express', priority: 0 },
    { step: 'burnin_cpu', priority: 0, abortable: true },
    { step: 'burnin_memory', priority: 0 },
    { step: 'burnin_disk', priority: 0 },
  ]);
  const service = (await call('service.get_service_steps')).body.command_result;
  expect(service.service_steps.GenericHardwareManager).toMatchObject([
    { step: 'burnin_cpu' },
    { step: 'burnin_memory' },
    { step: 'burnin_disk' },
  ]);
  expect(clean.hardware_manager_version).toEqual({ generic_hardware_manager: '1.2' });
});

it('burns in for as long as the node says, and ends with its power', async () => {
  const node = { driver_info: { agent_burnin_cpu_timeout: 600 } };
  const step = { step: 'burnin_cpu', interface: 'deploy' };
  await call('service.execute_service_step', { step, node, ports: [] });
  await lab.advance(590);
  expect(await last()).toMatchObject({ command_status: 'RUNNING' });
  await lab.advance(20);
  expect(await last()).toMatchObject({ command_status: 'SUCCEEDED', command_result: { service_step: step } });
  await call('service.execute_service_step', { step: { ...step, step: 'erase_devices' }, node: {}, ports: [] });
  await lab.advance(1);
  expect(await last()).toMatchObject({ command_status: 'FAILED' });
});

it('keeps the hash of a rescue password and then listens to nobody', async () => {
  expect((await call('rescue.finalize_rescue', { rescue_password: 'plain', hashed: false })).body).toMatchObject({
    command_status: 'FAILED',
  });
  expect(await lab.agent('GET', '/v1/commands')).toMatchObject({ status: 200 });
  const hash = '$5$salt$MARKER-hash';
  expect((await call('rescue.finalize_rescue', { rescue_password: hash, hashed: true })).body).toMatchObject({
    command_status: 'SUCCEEDED',
  });
  expect((await lab.agent('GET', '/v1/commands')).body).toBe('drop');
  expect(lab.machine.agent!.rescue).toBe(createHash('sha256').update(hash).digest('hex'));
  expect(JSON.stringify(lab.machine)).not.toContain(hash);
});

it('refuses a step planned with other hardware managers', async () => {
  await call('clean.execute_clean_step', { step: { step: 'erase_devices' }, clean_version: { other: '1' } });
  await lab.advance(1);
  expect(await last()).toMatchObject({ command_status: 'CLEAN_VERSION_MISMATCH' });
});

describe('write_image', () => {
  it('keeps digest and size of the image and the files of the configdrive, and calls at once', async () => {
    const beats = () => lab.api.to('/v1/heartbeat/node-1').length;
    await write({ image_info: imageInfo, configdrive: 'http://objects.test/drive' });
    expect(lab.machine.disk).toMatchObject({ writing: true, image: null });
    let before = 0;
    while (lab.machine.disk.writing) {
      before = beats();
      await lab.advance(1);
    }
    await lab.advance(5);
    expect(beats()).toBe(before + 1);
    expect(lab.machine.disk).toMatchObject({
      image: { sha256, size: image.length },
      configdrive: {
        label: 'config-2',
        files: { 'openstack/latest/meta_data.json': { size: 12, text: '{"name":"a"}' } },
      },
    });
    expect(await last()).toMatchObject({
      command_status: 'SUCCEEDED',
      command_result: { deploy_step: { step: 'write_image' }, deploy_result: expect.stringContaining('disk.raw') },
    });
  });

  describe('with an ephemeral partition', () => {
    const partition = {
      ...imageInfo,
      image_type: 'partition',
      root_mb: 1024,
      ephemeral_mb: 2048,
      ephemeral_format: 'ext4',
    };
    const rewrite = async (more: object) => {
      await write({ image_info: { ...partition, ...more } });
      await lab.advance(60);
      return lab.machine.disk.ephemeral;
    };

    it('makes it anew each time, unless it shall be kept', async () => {
      const first = await rewrite({});
      expect(first).toMatchObject({ mb: 2048, format: 'ext4' });
      expect(await rewrite({ preserve_ephemeral: true })).toEqual(first);
      expect(lab.machine.disk.image).toMatchObject({ sha256 });
      expect((await rewrite({ preserve_ephemeral: false }))!.made_at).toBeGreaterThan(first!.made_at);
    });

    it('takes a text for yes, as Python does', async () => {
      const first = await rewrite({});
      expect(await rewrite({ preserve_ephemeral: 'False' })).toEqual(first);
    });

    it('fails where there is none to keep', async () => {
      await rewrite({ preserve_ephemeral: true });
      expect(await last()).toMatchObject({ command_status: 'FAILED', command_error: { type: 'DeploymentError' } });
    });

    it('has none of an image of the whole disk', async () => {
      expect(await rewrite({ image_type: 'whole-disk' })).toBeNull();
    });
  });

  it('takes a configdrive as base64 of gzip', async () => {
    await write({ image_info: imageInfo, configdrive: packed });
    await lab.advance(60);
    expect(lab.machine.disk.configdrive).toMatchObject({ label: 'config-2', size: drive.length });
  });

  it('fails at a configdrive that is base64 of something else, after the image was written', async () => {
    await write({ image_info: imageInfo, configdrive: Buffer.from(drive).toString('base64') });
    await lab.advance(60);
    expect(await last()).toMatchObject({
      command_status: 'FAILED',
      command_error: { type: 'DeploymentError', message: expect.stringContaining('Not a gzipped file') },
    });
  });

  it('keeps a configdrive of another file system as it came', async () => {
    await write({ image_info: imageInfo, configdrive: gzipSync(Buffer.alloc(4096)).toString('base64') });
    await lab.advance(60);
    expect(lab.machine.disk.configdrive).toMatchObject({ label: null, size: 4096, files: {} });
  });

  it.each([
    [
      'the checksum is wrong',
      { ...imageInfo, checksum: sha256.replace(/^./, (hex) => (hex === '0' ? '1' : '0')) },
      'ImageChecksumError',
    ],
    [
      'the hash is of an unknown kind',
      { ...imageInfo, checksum: undefined, os_hash_algo: 'crc', os_hash_value: 'x' },
      'Invalid',
    ],
    ['there is no such image', { ...imageInfo, urls: ['http://images.test/none'] }, 'ImageDownloadError'],
    ['there is no URL', { ...imageInfo, urls: [] }, 'Invalid'],
  ])('fails when %s, and leaves a disk that does not boot', async (_why, image_info, type) => {
    await write({ image_info });
    await lab.advance(60);
    const command = await last();
    expect(command).toMatchObject({ command_status: 'FAILED', command_error: { type } });
    expect(JSON.stringify(command)).not.toContain('secret');
    expect(lab.machine.disk).toMatchObject({ image: null, writing: false, residue: true });
  });

  it('prefers os_hash_value and knows sha512 and md5', async () => {
    for (const algorithm of ['sha512', 'md5']) {
      const os_hash_value = createHash(algorithm).update(image).digest('hex');
      await write({ image_info: { ...imageInfo, checksum: 'x', os_hash_algo: algorithm, os_hash_value } });
      await lab.advance(60);
      expect(lab.machine.disk.image).toMatchObject({ sha256 });
    }
  });

  const md5 = createHash('md5').update(image).digest('hex');
  const sha512 = createHash('sha512').update(image).digest('hex');
  const other = 'f'.repeat(64);
  const url = 'http://images.test/sums?secret=1';

  it.each([
    ['a digest', { checksum: url }, sha256],
    ['a digest and the end of the line', { checksum: url }, `${sha256}\n`],
    ['an MD5', { checksum: url }, md5],
    ['a line of coreutils', { checksum: url }, `${sha512}  disk.raw\n`],
    ['a line for binary mode', { checksum: url }, `${sha256} *disk.raw`],
    ['lines of several images', { checksum: url }, `${other}  a-disk.raw\n${sha256}  disk.raw\n${other}  disk.raw.xz`],
    ['lines of BSD', { checksum: url }, `# disk.raw: 12 bytes\nSHA256 (x) = ${other}\nSHA256 (disk.raw) = ${sha256}\n`],
    ['the algorithm that was named', { os_hash_algo: 'sha256', os_hash_value: url }, `${sha256}  disk.raw`],
  ])('fetches a checksum file: %s', async (_what, given, text) => {
    lab.api.answers['/sums'] = () => new Response(text);
    await write({ image_info: { ...imageInfo, checksum: undefined, ...given } });
    await lab.advance(60);
    expect(lab.machine.disk.image).toMatchObject({ sha256 });
  });

  it.each([
    ['is not there', undefined, 'ImageDownloadError'],
    ['is empty', '\n', 'ImageDownloadError'],
    ['is something else', '<html>', 'ImageDownloadError'],
    ['has other images only', `${sha256}  other.raw\n${sha256}  disk.raw.xz`, 'ImageDownloadError'],
    ['has another digest', `${other}  disk.raw`, 'ImageChecksumError'],
  ])('fails when the checksum file %s', async (_what, text, type) => {
    if (text !== undefined) lab.api.answers['/sums'] = () => new Response(text);
    await write({ image_info: { ...imageInfo, checksum: url } });
    await lab.advance(60);
    expect(await last()).toMatchObject({ command_status: 'FAILED', command_error: { type } });
    expect(JSON.stringify(await last())).not.toContain('secret');
    expect(lab.machine.disk).toMatchObject({ image: null, writing: false });
  });

  it('tries again when the image server does not answer', async () => {
    lab.api.answers['/disk.raw'] = (count) => (count < 3 ? new Response('', { status: 503 }) : new Response(image));
    await write();
    await lab.advance(90);
    expect(lab.machine.disk.image).toMatchObject({ sha256 });
  });

  it('goes on after a restart of the simulator', async () => {
    await write();
    await lab.advance(2);
    const record = structuredClone(lab.machine);
    const next = await createServingLab(lab.api);
    await next.reset('ForceOff');
    await next.advance(5);
    Object.assign(next.machine, record);
    resume(next.world, next.machine);
    await next.advance(60);
    expect(next.machine).toMatchObject({
      disk: { image: { sha256 } },
      agent: { running: null, token: 'T'.repeat(43) },
    });
    expect(next.machine.agent!.commands.at(-1)).toMatchObject({ command_status: 'SUCCEEDED' });
  });

  it('is a violation to cut the power meanwhile', async () => {
    await write();
    await lab.advance(2);
    await lab.reset('ForceOff');
    await lab.advance(60);
    expect(lab.machine.violations).toMatchObject([{ what: expect.stringContaining('power was cut') }]);
    expect(lab.machine.disk).toMatchObject({ image: null, writing: false });
  });

  it('fails or never ends as the faults say', async () => {
    lab.world.faults.add(null, { name: 'wrong_checksum', count: 1 });
    await write();
    await lab.advance(60);
    expect(await last()).toMatchObject({ command_error: { type: 'ImageChecksumError' } });
    lab.world.faults.add(null, { name: 'agent_command_fails', count: 1, op: 'deploy.execute' });
    await write();
    await lab.advance(60);
    expect(await last()).toMatchObject({ command_status: 'FAILED' });
    lab.world.faults.add(null, { name: 'agent_dies_while_writing', count: 1 });
    await write();
    await lab.advance(20);
    const calls = lab.api.calls.length;
    await lab.advance(1000);
    expect(lab.api.calls).toHaveLength(calls);
    expect((await lab.agent('GET', '/v1/commands')).body).toBe('drop');
    expect(lab.machine.disk.image).toBeNull();
  });
});

it('erases what makes the disk bootable, or everything', async () => {
  const clean = async (step: string) => call('clean.execute_clean_step', { step: { step, interface: 'deploy' } });
  await write();
  await lab.advance(60);
  await clean('erase_devices_metadata');
  await lab.advance(30);
  expect(lab.machine.disk).toMatchObject({ image: null, configdrive: null, residue: true });
  await clean('erase_devices');
  await lab.advance(200);
  expect(lab.machine.disk).toMatchObject({ image: null, residue: false });
});

it('installs a boot loader and knows the partitions of a written disk only', async () => {
  expect((await call('standby.get_partition_uuids')).body).toMatchObject({ command_status: 'FAILED' });
  await write();
  await lab.advance(60);
  expect((await call('standby.get_partition_uuids')).body.command_result).toMatchObject({
    'root uuid': `0x${sha256.slice(0, 8)}`,
  });
  await call('image.install_bootloader', { root_uuid: 'x' });
  await lab.advance(20);
  expect(await last()).toMatchObject({ command_name: 'install_bootloader', command_status: 'SUCCEEDED' });
});

it('turns the machine off', async () => {
  await call('standby.power_off');
  await lab.advance(6);
  expect(lab.machine).toMatchObject({ phase: 'off', agent: null });
  expect(lab.machine.timeline.at(-1)).toMatchObject({ to: 'Off', cause: 'system' });
});

it('answers the lockdown and then nothing more', async () => {
  expect((await call('system.lockdown')).body).toMatchObject({ command_status: 'SUCCEEDED' });
  expect((await call('standby.sync')).body).toBe('drop');
});

it('packs its logs', async () => {
  const { system_logs } = (await call('log.collect_system_logs')).body.command_result;
  const tar = gunzipSync(Buffer.from(system_logs as string, 'base64'));
  expect(tar.toString('latin1', 257, 262)).toBe('ustar');
  expect(tar.toString()).toContain('ramdisk GET /v1/lookup 200');
});
