import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, redfishInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

describe('the console', () => {
  it('of fake hardware is turned on and off, and has an address while it is on', async () => {
    const { uuid } = await front.store();
    const at = `/v1/nodes/${uuid}/states/console`;
    expect((await front.request(`GET ${at}`)).body).toEqual({ console_enabled: false, console_info: null });
    expect(await front.request(`PUT ${at}`, { body: { enabled: true } })).toMatchObject({
      status: 202,
      headers: { Location: `http://metal.test${at}` },
    });
    expect((await front.request(`GET ${at}`)).body).toEqual({
      console_enabled: true,
      console_info: { type: 'fake', url: `fake://${uuid}` },
    });
    expect((await front.request(`PUT ${at}?enabled=false`)).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ console_enabled: false });
  });

  it('is not there for other hardware', async () => {
    const { uuid } = await front.store({ driver: 'redfish', driver_info: redfishInfo });
    const error = 'Driver redfish does not support console (disabled or not implemented).';
    const at = `/v1/nodes/${uuid}/states/console`;
    expect(await front.request(`GET ${at}`)).toMatchObject({ status: 400, error });
    expect(await front.request(`PUT ${at}`, { body: { enabled: true } })).toMatchObject({ status: 400, error });
  });

  it('of a locked node stays as it is', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    const put = async (body: object) => (await front.request(`PUT /v1/nodes/${uuid}/states/console`, { body })).status;
    expect(await put({ enabled: true })).toBe(409);
    expect(await put({ enabled: 'perhaps' })).toBe(400);
    expect(await put({})).toBe(400);
  });
});

const disk = { size_gb: 100, raid_level: '1' };

describe('the target RAID configuration', () => {
  it('is stored, and cleared by an empty one', async () => {
    const { uuid } = await front.store();
    const config = {
      logical_disks: [
        { ...disk, is_root_volume: true },
        { size_gb: 'MAX', raid_level: '5+0' },
      ],
    };
    const put = async (body: object) => front.request(`PUT /v1/nodes/${uuid}/states/raid`, { body });
    expect(await put(config)).toMatchObject({ status: 204, body: undefined });
    expect((await front.request(`GET /v1/nodes/${uuid}/states`)).body).toMatchObject({ target_raid_config: config });
    expect((await put({})).status).toBe(204);
    expect(await front.read(uuid)).toMatchObject({ target_raid_config: {} });
  });

  it.each([
    [{ logical_disks: [] }, 'at least one disk'],
    [{ disks: [disk] }, 'logical_disks'],
    [{ logical_disks: [{ size_gb: 100 }] }, 'logical_disks.0.raid_level'],
    [{ logical_disks: [{ ...disk, raid_level: '7' }] }, 'logical_disks.0.raid_level'],
    [{ logical_disks: [{ ...disk, size_gb: 0 }] }, 'logical_disks.0.size_gb'],
    [{ logical_disks: [{ ...disk, color: 'red' }] }, 'logical_disks.0.color'],
    [{ logical_disks: [{ ...disk, physical_disks: ['5I:1:1'] }] }, 'needs controller'],
    [{ logical_disks: [1, 2].map(() => ({ ...disk, is_root_volume: true })) }, 'one at most'],
    [[disk], 'The request body is wrong'],
  ])('cannot be %j', async (body, text) => {
    const { uuid } = await front.store();
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/raid`, { body });
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(text)]);
  });

  it('is not there for hardware without RAID, below 1.12, and while the node is locked', async () => {
    const put = async (uuid: string, version = 'latest') =>
      (await front.request(`PUT /v1/nodes/${uuid}/states/raid`, { body: {}, version })).status;
    expect(await put((await front.store({ driver: 'redfish', driver_info: redfishInfo })).uuid)).toBe(404);
    const { uuid } = await front.store();
    expect([await put(uuid, '1.11'), await put(uuid, '1.12')]).toEqual([406, 204]);
    expect(await put((await front.store({ reservation: 'r' })).uuid)).toBe(409);
  });

  it('is no more there for machines that Metal3 enrols with raid_interface redfish', async () => {
    const body = { driver: 'redfish', driver_info: { redfish_address: 'https://10.1.0.7' }, raid_interface: 'redfish' };
    const { status, body: node } = await front.request('POST /v1/nodes', { body });
    expect([status, node]).toEqual([201, expect.objectContaining({ raid_interface: 'redfish' })]);
    const at = `/v1/nodes/${(node as { uuid: string }).uuid}`;
    const refused = { result: false, reason: expect.stringContaining('does not support raid') as string };
    expect((await front.request(`GET ${at}/validate`)).body).toMatchObject({ raid: refused });
    expect((await front.request(`PUT ${at}/states/raid`, { body: { logical_disks: [disk] } })).status).toBe(404);
  });

  it('is explained by the drivers that know RAID', async () => {
    const at = (driver: string) => `GET /v1/drivers/${driver}/raid/logical_disk_properties`;
    const { body } = await front.request(at('fake-hardware'));
    expect(Object.keys(body as object).slice(0, 2)).toEqual(['raid_level', 'size_gb']);
    expect((await front.request(at('redfish'))).status).toBe(404);
    expect((await front.request(at('toaster'))).status).toBe(404);
    expect((await front.request(at('fake-hardware'), { version: '1.11' })).status).toBe(406);
  });
});
