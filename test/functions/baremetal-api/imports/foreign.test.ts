/** Nodes of hardware types that this version has not: moved in, shown, and refused whatever needs their machines. */
import { beforeEach, describe, expect, it } from 'vitest';

import { routes } from '../../../../functions/baremetal-api/routes.ts';
import { verbs } from '../../../../layers/domain/baremetal/verbs.ts';
import { MAX } from '../../../../layers/domain/versions.ts';
import { readSecrets } from '../../../../layers/store/node-secrets.ts';
import { createFront } from '../front.ts';

const uuid = '11111111-0000-4000-8000-000000000001';
const free = {
  uuid,
  name: 'old-1',
  driver: 'ipmi',
  driver_info: { ipmi_address: '192.0.2.11', ipmi_username: 'admin', ipmi_password: 'canary-1' },
  provision_state: 'available',
  power_state: 'power off',
  resource_class: 'gold',
};
const instead = 'was moved in with driver ipmi, which this version does not speak';

let front: ReturnType<typeof createFront>;
const moveIn = async (more: object = {}) => {
  const records = [{ kind: 'node', record: { ...free, ...more } }];
  const { body } = await front.request('POST /v1/imports', { body: { records } });
  expect(body.results).toMatchObject([{ outcome: 'created' }]);
};
const put = async (path: string, body: object) => {
  const { status, error } = await front.request(`PUT /v1/nodes/old-1/${path}`, { body });
  return [status, error];
};
const patch = async (...changes: readonly object[]) =>
  front.request('PATCH /v1/nodes/old-1?reset_interfaces=true', { body: changes });
const set = (path: string, value: unknown) => ({ op: 'add', path, value });
const toRedfish = [
  set('/driver', 'redfish'),
  set('/driver_info/redfish_address', 'https://192.0.2.11'),
  set('/driver_info/redfish_username', 'admin'),
  set('/driver_info/redfish_password', 'canary-2'),
];

beforeEach(() => {
  front = createFront();
});

describe('a node of driver ipmi', () => {
  it('is shown as it was, with its password sealed', async () => {
    await moveIn({ boot_interface: 'pxe', network_interface: 'neutron' });
    const { body } = await front.request(`GET /v1/nodes/${uuid}`);
    expect(body).toMatchObject({
      ...free,
      driver_info: { ...free.driver_info, ipmi_password: '******' },
      power_interface: 'ipmitool',
      boot_interface: 'pxe',
      network_interface: 'neutron',
      raid_interface: 'no-raid',
    });
  });

  it('tells by validate, and to whoever wants something of its machine, what to do', async () => {
    await moveIn();
    const { body } = await front.request('GET /v1/nodes/old-1/validate');
    for (const { result, reason } of Object.values(body as Record<string, { result: boolean; reason: string }>)) {
      expect([result, reason]).toEqual([false, expect.stringContaining('npx ingot nodes convert')]);
    }
    const refused = [400, expect.stringContaining(instead)];
    expect(await put('states/power', { target: 'power on' })).toEqual(refused);
    expect(await put('states/provision', { target: 'active' })).toEqual(refused);
    expect(await put('management/boot_device', { boot_device: 'pxe' })).toEqual(refused);
    expect(front.platform.workflows.started).toEqual([]);
    expect(front.proxy.requests).toEqual([]);
  });

  it('is fenced before that, if it has an instance', async () => {
    await moveIn({ provision_state: 'active' });
    expect(await put('states/power', { target: 'power off' })).toEqual([
      409,
      expect.stringContaining('takeover_pending'),
    ]);
  });

  it('may be changed, and becomes one of ours in maintenance', async () => {
    await moveIn({ provision_state: 'active' });
    const body = [set('/description', 'third row')];
    expect((await front.request('PATCH /v1/nodes/old-1', { body })).status).toBe(200);
    expect((await patch(...toRedfish)).status).toBe(409);
    expect((await put('maintenance', { reason: 'conversion' }))[0]).toBe(202);
    expect((await patch(...toRedfish)).body).toMatchObject({
      driver: 'redfish',
      power_interface: 'redfish',
      boot_interface: 'redfish-virtual-media',
    });
    const validated = await front.request('GET /v1/nodes/old-1/validate');
    expect(validated.body.power).toMatchObject({ result: true });
  });
});

describe('nothing is done to the machine of a node of ipmi', () => {
  const bodies: Readonly<Record<string, object>> = {
    'states/power': { target: 'power off' },
    'states/provision': { target: 'active' },
    'states/boot_mode': { target: 'bios' },
    'states/secure_boot': { target: true },
    'states/console': { enabled: true },
    'states/raid': { logical_disks: [] },
    'management/boot_device': { boot_device: 'pxe' },
    'management/indicators/led@system': { state: 'on' },
    vmedia: { device_type: 'cdrom', image_url: 'http://images.test/a.iso' },
  };
  const params: Readonly<Record<string, string>> = {
    ident: 'old-1',
    indicator: 'led@system',
    method: 'subscribe',
    vif: 'v',
  };
  /** What is kept of a network is no matter of the machine. */
  const rows = routes.filter(({ at, fenced }) => fenced && !at.includes('/vifs'));
  const asks =
    'GET management/boot_device,GET management/boot_device/supported,GET management/indicators,GET vmedia,GET states/console';
  const lines = [
    ...rows.map(({ at }) => at.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)),
    ...asks.split(',').map((line) => line.replace(' ', ' /v1/nodes/old-1/')),
  ];

  it.each(lines)('by %s', async (line) => {
    await moveIn();
    const body = /^(GET|DELETE)/.test(line) ? undefined : (bodies[line.split('/old-1/')[1]!] ?? {});
    const { status, error } = await front.request(line, body && { body });
    expect([status, error]).toEqual([400, expect.stringContaining(instead)]);
    expect(error).toContain('npx ingot nodes convert');
    expect([front.platform.workflows.started, front.proxy.requests]).toEqual([[], []]);
  });

  const rests = ['enroll', 'manageable', 'available', 'active', 'error', 'clean failed', 'deploy failed'] as const;
  const failed = ['inspect failed', 'adopt failed', 'rescue', 'rescue failed', 'service failed'] as const;
  it.each([...rests, ...failed])('by any verb in %s', async (provision_state) => {
    await moveIn({ provision_state });
    await front.force(uuid, { driver_internal_info: {} });
    for (const target of Object.keys(verbs)) {
      const [status] = await put('states/provision', { target });
      expect(status === 202 || (status as number) >= 400).toBe(true);
      // What is accepted is a change of state alone, to one that rests.
      await front.force(uuid, { provision_state });
    }
    expect([front.platform.workflows.started, front.proxy.requests]).toEqual([[], []]);
  });

  it('while it is shown at every version, in every list', async () => {
    await moveIn();
    for (let version = 1; version <= MAX; version += 1) {
      const asked = { version: `1.${version}` };
      expect((await front.request(`GET /v1/nodes/${uuid}`, asked)).body).toMatchObject({ driver: 'ipmi' });
      const { nodes } = (await front.request('GET /v1/nodes/detail', asked)).body;
      expect(nodes).toMatchObject([{ uuid, driver: 'ipmi' }]);
    }
    const listed = async (query: string) => (await front.request(`GET /v1/nodes?${query}`)).body.nodes.length as number;
    expect(await listed('driver=ipmi')).toBe(1);
    expect(await listed('provision_state=available&associated=false&maintenance=false')).toBe(1);
  });

  it('and goes when it is deleted, with what was sealed for it', async () => {
    await moveIn();
    expect(Object.keys((await readSecrets(front.platform.table, uuid)).values)).toEqual(['ipmi_password']);
    expect((await front.request('DELETE /v1/nodes/old-1')).status).toBe(204);
    expect((await front.request(`GET /v1/nodes/${uuid}`)).status).toBe(404);
    expect(await readSecrets(front.platform.table, uuid)).toEqual({ values: {}, revision: 0 });
  });
});

describe('the public API', () => {
  it('knows no such driver: none is enrolled with it, none gets it, none is listed', async () => {
    const made = await front.request('POST /v1/nodes', { body: { driver: 'ipmi' } });
    expect([made.status, made.error]).toEqual([400, expect.stringContaining('No conductor supports driver "ipmi"')]);
    await front.enrol({ name: 'old-1' });
    expect((await patch(set('/driver', 'ipmi'))).status).toBe(400);
    const { drivers } = (await front.request('GET /v1/drivers')).body;
    expect(drivers.map(({ name }: { name: string }) => name)).toEqual(['fake-hardware', 'idrac', 'redfish']);
  });
});
