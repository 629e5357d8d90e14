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
    const front = createBaremetal({}, platform);
    const addresses = ['52:54:00:aa:00:01', '52:54:00:aa:00:02'];
    for (const address of addresses) await front.request('POST /v1/ports', { body: { node_uuid: uuid, address } });
    const interfaces = addresses.map((address) => ({ address }));
    expect((await ask(`GET ${at}/${uuid}`, { version: 35 })).body).toEqual({
      node: { ...node, id: uuid, interfaces, instance_uuid },
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

describe('who reads the nodes of nova-baremetal', () => {
  const at = '/v2.1/os-baremetal-nodes';
  const system = { user: 'root', project: '', roles: 'admin', scope: 'system' };
  const cloud = { user: 'ada', project: 'red', roles: 'admin', scope: 'project' };

  /** The Bare Metal API knows these tokens. */
  const withTokens = async (known: Readonly<Record<string, object>>) => {
    const machines = createMachines();
    machines.platform.apis.identify = (proof) => known[proof['x-auth-token'] ?? ''];
    const { uuid } = await machines.store({ ...secrets, properties: {}, provision_state: 'active' });
    const read = async (line: string, token: string, subject: Record<string, string> = cloud) =>
      machines.ask(`GET ${at}${line}`, { version: 35, subject, headers: { 'X-Auth-Token': token } });
    return { ...machines, uuid, read };
  };

  it('is asked for once more by the Bare Metal API, by the token that he came with', async () => {
    const { read, platform, uuid } = await withTokens({ 'token-1': system });
    expect((await read('', 'token-1')).body.nodes).toHaveLength(1);
    expect((await read(`/${uuid}`, 'token-1')).status).toBe(200);
    expect(platform.apis.calls.length).toBeGreaterThan(2);
    for (const { wanted } of platform.apis.calls) expect(wanted.proof).toEqual({ 'x-auth-token': 'token-1' });
  });

  it('is denied what the Bare Metal API does not let him see, though he is an administrator here', async () => {
    const nobody = { ...cloud, roles: '' };
    const { read, uuid } = await withTokens({ nobody, 'token-1': cloud });
    for (const [token, status] of [
      ['nobody', 403],
      ['token-2', 403],
    ] as const) {
      const listed = await read('', token);
      const message = "Policy doesn't allow os_compute_api:os-baremetal-nodes:list to be performed.";
      expect(listed).toMatchObject({ status, body: { forbidden: { code: 403, message } } });
    }
    expect((await read(`/${uuid}`, 'token-2')).status).toBe(403);
    // An administrator of a project is one here, and none of the machines.
    expect((await read('', 'token-1')).status).toBe(403);
    expect((await read(`/${uuid}`, 'token-1')).status).toBe(403);
  });

  it('is no user of a project: the Bare Metal API is not even asked', async () => {
    const { read, platform, uuid } = await withTokens({ 'token-1': system });
    const member = { ...cloud, roles: 'member' };
    for (const line of ['', `/${uuid}`, '/nobody']) {
      expect(await read(line, 'token-1', member)).toMatchObject({ status: 403, body: { forbidden: { code: 403 } } });
    }
    expect(platform.apis.calls).toEqual([]);
  });

  it('finds them from 2.1 to 2.35, each write refused by what is asked instead, and nothing of it later', async () => {
    const { ask, store } = createMachines();
    const { uuid } = await store({ ...secrets, properties: {}, provision_state: 'active' });
    const reads = [`GET ${at}`, `GET ${at}/${uuid}`];
    const writes = [`POST ${at}`, `DELETE ${at}/${uuid}`, `POST ${at}/${uuid}/action`];
    for (const version of [1, 2, 19, 35]) {
      for (const line of reads) expect((await ask(line, { version })).status).toBe(200);
      for (const line of writes) {
        const { status, body } = await ask(line, { version, body: { add_interface: { address: 'x' } } });
        expect([status, body.itemNotFound.message]).toEqual([404, expect.stringContaining('openstack baremetal ')]);
      }
    }
    for (const version of [36, 96]) {
      for (const line of [...reads, ...writes]) expect((await ask(line, { version })).status).toBe(404);
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
