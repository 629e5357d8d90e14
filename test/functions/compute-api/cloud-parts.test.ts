/** What a cloud is made of (compute-api.md 5 to 7): zones, services, nodes as they once were, extensions. */
import { describe, expect, it } from 'vitest';

import { ann, bob, createFront } from './front.ts';
import { createMachines, secrets, told } from './machines.ts';

describe('availability zones', () => {
  const at = '/v2.1/os-availability-zone';
  const zone = (zoneName: string, hosts: object | null = null) => ({ zoneName, zoneState: { available: true }, hosts });

  it('are the conductor groups that machines are in, and nova for those in none', async () => {
    const { request, store } = createMachines();
    for (const conductor_group of ['rack', '', 'rack', 'annex']) await store({ conductor_group });
    expect((await request(`GET ${at}`)).body).toEqual({
      availabilityZoneInfo: [zone('annex'), zone('nova'), zone('rack')],
    });
  });

  it('are told with the service of each to administrators', async () => {
    const { request, ask, store } = createMachines();
    await store();
    const active = { available: true, active: true, updated_at: null };
    expect((await ask(`GET ${at}/detail`)).body).toEqual({
      availabilityZoneInfo: [zone('nova', { ingot: { 'nova-compute': active } })],
    });
    expect((await request(`GET ${at}/detail`)).body.forbidden.message).toBe(
      "Policy doesn't allow os_compute_api:os-availability-zone:detail to be performed.",
    );
  });

  it('are asked for once in five minutes, whoever wants to know them', async () => {
    const { request, store, paths, platform } = createMachines();
    await store();
    await Promise.all([ann, bob, ann].map(async (subject) => request(`GET ${at}`, { subject })));
    expect(paths()).toEqual(['/v1/nodes']);
    await store({ conductor_group: 'rack' });
    await platform.clock.sleep(5 * 60_000);
    expect((await request(`GET ${at}`)).body.availabilityZoneInfo).toHaveLength(2);
  });

  it('that nobody could tell are asked for again', async () => {
    const { request, platform } = createMachines();
    const { baremetal } = platform.apis.served;
    platform.apis.served.baremetal = async () => ({ statusCode: 500, body: '' });
    expect((await request(`GET ${at}`)).status).toBe(503);
    platform.apis.served.baremetal = baremetal!;
    expect((await request(`GET ${at}`)).body).toEqual({ availabilityZoneInfo: [] });
  });
});

describe('services', () => {
  const at = '/v2.1/os-services';

  it('are the sites that are responsible for machines', async () => {
    const { ask } = createMachines();
    const service = {
      id: expect.stringMatching(/^[0-9a-f]{8}-/),
      binary: 'nova-compute',
      host: 'ingot',
      zone: 'nova',
      status: 'enabled',
      state: 'up',
      updated_at: null,
      disabled_reason: null,
      forced_down: false,
    };
    expect((await ask(`GET ${at}`)).body).toEqual({ services: [service] });
    const [old] = (await ask(`GET ${at}`, { version: 1 })).body.services;
    expect(old).toMatchObject({ id: expect.any(Number) });
    expect(old).not.toHaveProperty('forced_down');
  });

  it('are narrowed by host and binary', async () => {
    const { ask } = createMachines();
    const count = async (query: string) => (await ask(`GET ${at}?${query}`)).body.services.length as number;
    expect(await count('host=ingot&binary=nova-compute')).toBe(1);
    expect(await count('host=other')).toBe(0);
    expect(await count('binary=nova-scheduler')).toBe(0);
  });

  it('are for administrators', async () => {
    const { request } = createMachines();
    expect((await request(`GET ${at}`)).status).toBe(403);
  });
});

describe('nodes as nova-baremetal knew them', () => {
  const at = '/v2.1/os-baremetal-nodes';
  const instance_uuid = '11111111-2222-4333-8444-555555555555';

  const withNode = async () => {
    const machines = createMachines();
    const properties = { cpus: '2', memory_mb: '1024', local_gb: '10' };
    const { uuid } = await machines.store({ ...secrets, properties, provision_state: 'active', instance_uuid });
    await machines.store();
    return { ...machines, uuid };
  };

  const node = { host: 'IRONIC MANAGED', task_state: 'active', cpus: '2', memory_mb: '1024', disk_gb: '10' };

  it('are listed without their interfaces', async () => {
    const { ask, uuid } = await withNode();
    const { body, text } = await ask(`GET ${at}`, { version: 1 });
    expect(body.nodes).toEqual([
      { ...node, id: uuid, interfaces: [] },
      expect.objectContaining({ task_state: 'available', cpus: '0', memory_mb: '0', disk_gb: '0' }),
    ]);
    expect(text).not.toMatch(told);
  });

  it('are shown with them and with their instance', async () => {
    const { ask, platform, uuid } = await withNode();
    const { createFront: createBaremetal } = await import('../baremetal-api/front.ts');
    const body = { node_uuid: uuid, address: '52:54:00:aa:00:01' };
    await createBaremetal({}, platform).request('POST /v1/ports', { body });
    expect((await ask(`GET ${at}/${uuid}`, { version: 35 })).body).toEqual({
      node: { ...node, id: uuid, interfaces: [{ address: '52:54:00:aa:00:01' }], instance_uuid },
    });
  });

  it.each([instance_uuid, secrets.name, 'x'])('that are not there, such as %s, are missing', async (id) => {
    const { ask } = await withNode();
    expect(await ask(`GET ${at}/${id}`, { version: 35 })).toMatchObject({
      status: 404,
      body: { itemNotFound: { message: `Node ${id} could not be found.` } },
    });
  });

  it.each(['POST ', 'DELETE /*', 'POST /*/action'])('are not written: %s is 404', async (what) => {
    const { ask, request, uuid } = await withNode();
    const line = what.replace(' ', ` ${at}`).replace('*', uuid);
    const answer = await ask(line, { version: 35, body: { node: { pm_password: 'x' } } });
    expect(answer).toMatchObject({ status: 404, body: { itemNotFound: { code: 404 } } });
    expect((await request(line, { version: 35 })).status).toBe(403);
  });

  it('are gone from 2.36 on, and for administrators', async () => {
    const { ask, request, uuid } = await withNode();
    for (const line of [`GET ${at}`, `GET ${at}/${uuid}`, `POST ${at}`]) {
      expect((await ask(line, { version: 36 })).status).toBe(404);
      expect((await request(line, { version: 35 })).status).toBe(403);
    }
  });
});

describe('what there is nothing of', () => {
  it('is told as nothing', async () => {
    const { request, ask } = { ...createMachines(), ...createFront() };
    expect((await request('GET /v2.1/extensions')).body).toEqual({ extensions: [] });
    expect((await request('GET /v2.1/extensions/NMN')).status).toBe(404);
    expect((await ask('GET /v2.1/os-migrations?status=done')).body).toEqual({ migrations: [] });
    expect((await ask('GET /v2.1/os-aggregates')).body).toEqual({ aggregates: [] });
  });
});
