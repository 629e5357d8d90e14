import { beforeEach, describe, expect, it } from 'vitest';

import { bmcFault } from '../../../../layers/bmc/faults.ts';
import { createFrontWithNodes, redfishInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const redfish = async (more: object = {}) =>
  (await front.store({ driver: 'redfish', driver_info: redfishInfo, provision_state: 'active', ...more })).uuid;
const at = (uuid: string, rest: string) => `/v1/nodes/${uuid}/management/${rest}`;

describe('the boot device', () => {
  it('is set at the machine, once or for good, and read from it', async () => {
    const uuid = await redfish();
    const put = async (body: object) => front.request(`PUT ${at(uuid, 'boot_device')}`, { body });
    expect(await put({ boot_device: 'cdrom' })).toMatchObject({ status: 204, body: undefined });
    expect((await front.request(`GET ${at(uuid, 'boot_device')}`)).body).toEqual({
      boot_device: 'cdrom',
      persistent: false,
    });
    expect((await put({ boot_device: 'disk', persistent: 'true' })).status).toBe(204);
    expect(front.proxy.requests.at(-1)?.params).toEqual({ device: 'disk', persistence: 'continuous' });
    expect(await front.read(uuid)).toMatchObject({ reservation: null, generation: 2 });
  });

  it('comes as query parameters, too', async () => {
    const uuid = await redfish();
    const line = `PUT ${at(uuid, 'boot_device')}?boot_device=pxe&persistent=True`;
    expect((await front.request(line)).status).toBe(204);
    expect(front.proxy.requests.at(-1)?.params).toEqual({ device: 'pxe', persistence: 'continuous' });
  });

  it.each([
    [{ boot_device: 'wanboot' }, 'Invalid boot device wanboot specified.'],
    [{ boot_device: 'toaster' }, 'This node supports pxe, disk, cdrom, bios, uefihttp.'],
    [{}, 'Missing mandatory parameter: boot_device.'],
    [{ boot_device: 'pxe', persistent: 'perhaps' }, 'persistent'],
    [{ boot_device: 'pxe', x: 1 }, 'Unexpected arguments: x.'],
  ])('is not set by %j', async (body, text) => {
    const answer = await front.request(`PUT ${at(await redfish(), 'boot_device')}`, { body });
    expect([answer.status, front.proxy.requests]).toEqual([400, []]);
    expect(answer.error).toContain(text);
  });

  it('of fake hardware is what Ironic’s fake says', async () => {
    const { uuid } = await front.store();
    expect((await front.request(`GET ${at(uuid, 'boot_device')}`)).body).toEqual({
      boot_device: 'pxe',
      persistent: false,
    });
    expect((await front.request(`GET ${at(uuid, 'boot_device/supported')}`)).body).toEqual({
      supported_boot_devices: ['pxe'],
    });
    const put = async (boot_device: string) =>
      (await front.request(`PUT ${at(uuid, 'boot_device')}`, { body: { boot_device } })).status;
    expect([await put('pxe'), await put('disk')]).toEqual([204, 400]);
  });

  it('of a locked node is neither set nor read, but what can be is told', async () => {
    const uuid = await redfish({ reservation: 'r' });
    const status = async (line: string, body?: object) => (await front.request(line, { body })).status;
    expect(await status(`GET ${at(uuid, 'boot_device')}`)).toBe(409);
    expect(await status(`PUT ${at(uuid, 'boot_device')}`, { boot_device: 'pxe' })).toBe(409);
    expect(await status(`GET ${at(uuid, 'boot_device/supported')}`)).toBe(200);
    expect(front.proxy.requests).toEqual([]);
  });

  it('cannot be reached with a driver_info that says no address', async () => {
    const uuid = await redfish({ driver_info: {} });
    const answer = await front.request(`GET ${at(uuid, 'boot_device')}`);
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining('driver_info.redfish_address')]);
  });

  it.each([
    ['BmcAuthFailed', 400],
    ['BmcUnreachable', 503],
  ] as const)('tells of %s with %i', async (name, status) => {
    const uuid = await redfish();
    front.proxy.answer('system.get', bmcFault(name, 'The BMC is odd.'));
    expect(await front.request(`GET ${at(uuid, 'boot_device')}`)).toMatchObject({ status, error: 'The BMC is odd.' });
  });

  it('is set by one of two at a time', async () => {
    const uuid = await redfish();
    const put = async () =>
      (await front.request(`PUT ${at(uuid, 'boot_device')}`, { body: { boot_device: 'pxe' } })).status;
    const statuses = await Promise.all([put(), put()]);
    expect(statuses).toContain(204);
    expect(await front.read(uuid)).toMatchObject({ reservation: null });
    for (const status of statuses) expect([204, 409]).toContain(status);
  });
});

describe('a non-maskable interrupt', () => {
  it('is sent once', async () => {
    const uuid = await redfish();
    expect(await front.request(`PUT ${at(uuid, 'inject_nmi')}`, { body: {} })).toMatchObject({ status: 204 });
    expect(front.proxy.requests.map(({ op }) => op)).toEqual(['nmi.inject']);
  });

  it('needs 1.29 and hardware that knows it', async () => {
    const line = `PUT ${at(await redfish(), 'inject_nmi')}`;
    expect((await front.request(line, { version: '1.28' })).status).toBe(404);
    expect((await front.request(line, { version: '1.29' })).status).toBe(204);
    const { uuid } = await front.store();
    expect(await front.request(`PUT ${at(uuid, 'inject_nmi')}`, { body: {} })).toMatchObject({
      status: 400,
      error: 'Driver fake-hardware does not support inject_nmi (disabled or not implemented).',
    });
  });
});

describe('indicators', () => {
  it('of fake hardware are those of Ironic’s fake', async () => {
    const { uuid } = await front.store();
    const { body } = await front.request(`GET ${at(uuid, 'indicators')}`);
    expect(body.indicators).toEqual([
      expect.objectContaining({ name: 'led-0@chassis', component: 'chassis', readonly: true, states: ['on', 'off'] }),
      {
        name: 'led@system',
        component: 'system',
        readonly: false,
        states: ['on', 'off', 'blinking'],
        links: [
          { href: `http://metal.test/v1/nodes/${uuid}/management/indicators/led@system`, rel: 'self' },
          { href: `http://metal.test/nodes/${uuid}/management/indicators/led@system`, rel: 'bookmark' },
        ],
      },
    ]);
    expect((await front.request(`GET ${at(uuid, 'indicators/led@system')}`)).body).toEqual({ state: 'on' });
  });

  it('are lit at the machine', async () => {
    const uuid = await redfish();
    const [first] = (await front.request(`GET ${at(uuid, 'indicators')}`)).body.indicators as { name: string }[];
    const path = at(uuid, `indicators/${first!.name}`);
    expect((await front.request(`PUT ${path}`, { body: { state: 'blinking' } })).status).toBe(204);
    expect((await front.request(`GET ${path}`)).body).toEqual({ state: 'blinking' });
  });

  it.each([
    ['led', 400],
    ['led@toaster', 400],
    ['@system', 400],
    ['nothing@system', 400],
    ['led%40system', 200],
  ])('are named %s: %i', async (name, status) => {
    const { uuid } = await front.store();
    expect((await front.request(`GET ${at(uuid, `indicators/${name}`)}`)).status).toBe(status);
  });

  it('that cannot be changed are not, nor to what they cannot show', async () => {
    const { uuid } = await front.store();
    const put = async (name: string, state: string, version = 'latest') =>
      (await front.request(`PUT ${at(uuid, `indicators/${name}`)}`, { body: { state }, version })).status;
    expect(await put('led-0@chassis', 'off')).toBe(400);
    expect(await put('led@system', 'purple')).toBe(400);
    expect(await put('led@system', 'off', '1.62')).toBe(404);
    expect(await put('led@system', 'off', '1.63')).toBe(204);
    expect(await front.read(uuid)).toMatchObject({ reservation: null });
  });
});
