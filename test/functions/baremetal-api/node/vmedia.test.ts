import { beforeEach, describe, expect, it } from 'vitest';

import { readManagementRequest } from '../../../../layers/store/management-requests.ts';
import { nameOf } from '../../../../layers/platform/memory/ids.ts';
import { createFrontWithNodes, redfishInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const image_url = 'https://images.test/data.iso?signature=s3cr3t';
const redfish = async (more: object = {}) =>
  (await front.store({ driver: 'redfish', driver_info: redfishInfo, provision_state: 'active', ...more })).uuid;
const requestOf = async (uuid: string) =>
  readManagementRequest(front.platform.table, uuid, (await front.read(uuid)).reservation ?? '');

describe('virtual media', () => {
  it('are attached by a run that holds the lock; nothing but the action travels to it', async () => {
    const uuid = await redfish();
    const answer = await front.request(`POST /v1/nodes/${uuid}/vmedia`, { body: { device_type: 'cdrom', image_url } });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    const { reservation: run } = await front.read(uuid);
    expect(run).toMatch(nameOf(uuid));
    expect(front.platform.workflows.started).toEqual([
      { workflow: 'management', name: run, input: { node: uuid, action: 'attach_media' } },
    ]);
    expect(await requestOf(uuid)).toEqual({ action: 'attach_media', slot: 'cd', image: image_url });
    expect(JSON.stringify(await front.events(uuid))).not.toContain('s3cr3t');
  });

  it.each([
    ['', undefined, ['all']],
    ['?device_types=cdrom,disk', undefined, ['cd', 'usb']],
    ['', { device_types: 'cdrom, disk' }, ['cd', 'usb']],
    ['', { device_types: ['disk'] }, ['usb']],
  ])('are detached by %j and %j', async (query, body, slots) => {
    const uuid = await redfish();
    expect((await front.request(`DELETE /v1/nodes/${uuid}/vmedia${query}`, { body })).status).toBe(204);
    expect(await requestOf(uuid)).toEqual({ action: 'detach_media', slots });
  });

  it('are told as the machine tells them', async () => {
    const uuid = await redfish();
    front.proxy.machine(uuid).media.cd = 'https://images.test/data.iso';
    const { status, body } = await front.request(`GET /v1/nodes/${uuid}/vmedia`);
    expect(status).toBe(200);
    expect(body).toContainEqual(expect.objectContaining({ inserted: true, image: 'https://images.test/data.iso' }));
  });

  it.each([
    [{ device_type: 'cdrom' }, 'Missing mandatory parameter: image_url.'],
    [{ device_type: 'tape', image_url }, '"tape" is not a device type'],
    [{ device_type: 'floppy', image_url }, 'no virtual floppy'],
    [{ device_type: 'cdrom', image_url: 'file:///etc/passwd' }, 'image_url must be a URL'],
    [{ device_type: 'cdrom', image_url: 'nonsense' }, 'image_url must be a URL'],
    [{ device_type: 'cdrom', image_url, image_download_source: 'swift' }, 'fetches image_url itself'],
    [{ device_type: 'cdrom', image_url, x: 1 }, 'Unexpected arguments: x.'],
  ])('are not attached by %j', async (body, text) => {
    const uuid = await redfish();
    const answer = await front.request(`POST /v1/nodes/${uuid}/vmedia`, { body });
    expect([answer.status, (await front.read(uuid)).reservation]).toEqual([400, null]);
    expect(answer.error).toContain(text);
    expect(answer.error).not.toContain('s3cr3t');
  });

  it('need 1.89, and 1.93 to be looked at', async () => {
    const uuid = await redfish();
    const at = `/v1/nodes/${uuid}/vmedia`;
    const body = { device_type: 'cdrom', image_url };
    expect((await front.request(`POST ${at}`, { body, version: '1.88' })).status).toBe(404);
    expect((await front.request(`GET ${at}`, { version: '1.92' })).status).toBe(404);
    expect((await front.request(`GET ${at}`, { version: '1.93' })).status).toBe(200);
    expect((await front.request(`POST ${at}`, { body, version: '1.89' })).status).toBe(204);
  });

  it('of a locked node are not changed', async () => {
    const uuid = await redfish({ reservation: 'r' });
    const body = { device_type: 'cdrom', image_url };
    expect((await front.request(`POST /v1/nodes/${uuid}/vmedia`, { body })).status).toBe(409);
    expect((await front.request(`DELETE /v1/nodes/${uuid}/vmedia`)).status).toBe(409);
    expect(front.platform.workflows.started).toEqual([]);
  });
});

describe('boot mode and secure boot', () => {
  it.each([
    ['boot_mode', 'bios', { action: 'boot_mode', mode: 'bios' }],
    ['secure_boot', true, { action: 'secure_boot', enabled: true }],
    ['secure_boot', 'false', { action: 'secure_boot', enabled: false }],
  ])('%s %s is recorded with the lock and started', async (what, target, request) => {
    const uuid = await redfish({ last_error: 'old' });
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/${what}`, { body: { target } });
    expect(answer).toMatchObject({ status: 202, headers: { Location: `http://metal.test/v1/nodes/${uuid}/states` } });
    expect(await requestOf(uuid)).toEqual(request);
    expect(front.platform.workflows.started).toHaveLength(1);
    expect(await front.read(uuid)).toMatchObject({ last_error: null });
  });

  it('leave the error that brought the node into a failure state', async () => {
    const uuid = await redfish({ provision_state: 'deploy failed', last_error: 'The image is bad.' });
    await front.request(`PUT /v1/nodes/${uuid}/states/boot_mode`, { body: { target: 'uefi' } });
    expect(await front.read(uuid)).toMatchObject({ last_error: 'The image is bad.' });
  });

  it.each([
    ['boot_mode', { target: 'coreboot' }, 400],
    ['boot_mode', {}, 400],
    ['secure_boot', { target: 'perhaps' }, 400],
    ['secure_boot', { target: true, x: 1 }, 400],
  ])('%s %j is refused', async (what, body, status) => {
    const uuid = await redfish();
    expect((await front.request(`PUT /v1/nodes/${uuid}/states/${what}`, { body })).status).toBe(status);
    expect(front.platform.workflows.started).toEqual([]);
  });

  it.each(['deploying', 'wait call-back', 'cleaning', 'inspect wait'] as const)(
    'do not change in %s',
    async (state) => {
      const uuid = await redfish({ provision_state: state });
      const answer = await front.request(`PUT /v1/nodes/${uuid}/states/boot_mode`, { body: { target: 'uefi' } });
      expect([answer.status, answer.error]).toEqual([409, expect.stringContaining(`in state "${state}"`)]);
    },
  );

  it('tell who may not set them so before they look at the version', async () => {
    const uuid = await redfish();
    const subject = { user: 'u', project: '', roles: 'reader', scope: 'system' };
    for (const [what, target] of [
      ['boot_mode', 'uefi'],
      ['secure_boot', true],
    ]) {
      const line = `PUT /v1/nodes/${uuid}/states/${String(what)}`;
      expect((await front.request(line, { body: { target }, version: '1.75', subject })).status).toBe(403);
      expect((await front.request(line, { body: { target }, version: '1.75' })).status).toBe(404);
    }
  });

  it('need 1.76', async () => {
    const line = `PUT /v1/nodes/${await redfish()}/states/secure_boot`;
    expect((await front.request(line, { body: { target: true }, version: '1.75' })).status).toBe(404);
    expect((await front.request(line, { body: { target: true }, version: '1.76' })).status).toBe(202);
  });
});
