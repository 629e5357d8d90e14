/** What there is of a server besides: changes, metadata, tags, network cards, history (compute-api.md 3, 7). */
import { describe, expect, it } from 'vitest';

import { computeKinds } from '../../../../layers/store/kinds/compute.ts';
import { networkKinds } from '../../../../layers/store/kinds/networks.ts';
import { createPort } from '../../../../layers/store/network-ports.ts';
import { changeRecord } from '../../../../layers/store/records/change.ts';
import { readRecord } from '../../../../layers/store/records/find.ts';
import { removeServer } from '../../../../layers/store/servers.ts';
import { createCloud } from '../cloud.ts';
import { bob, root } from '../front.ts';

const withServer = async (server: object = {}) => {
  const cloud = await createCloud();
  const id = await cloud.active(server);
  cloud.platform.workflows.started.length = 0;
  return { ...cloud, id, at: `/v2.1/servers/${id}` };
};
const nobody = '11111111-1111-4111-8111-111111111111';

describe('a change', () => {
  it('is answered with the server as it is then, briefly until 2.74', async () => {
    const { request, at } = await withServer();
    const server = { name: 'new', accessIPv4: '10.9.9.9', description: 'Other.', 'OS-DCF:diskConfig': 'AUTO' };
    const answer = await request(`PUT ${at}`, { version: 74, body: { server } });
    expect(answer).toMatchObject({ status: 200, body: { server } });
    expect(answer.body.server).not.toHaveProperty('OS-EXT-STS:vm_state');
    expect(answer.body.server).not.toHaveProperty('key_name');
    const whole = await request(`PUT ${at}`, { version: 75, body: { server: { name: 'newer' } } });
    expect(whole.body.server).toMatchObject({ name: 'newer', description: 'Other.', 'OS-EXT-STS:vm_state': 'active' });
  });

  it('of the hostname is possible from 2.90 on', async () => {
    const { request, at, show, id } = await withServer();
    expect((await request(`PUT ${at}`, { version: 89, body: { server: { hostname: 'web' } } })).status).toBe(400);
    expect((await request(`PUT ${at}`, { body: { server: { hostname: 'web' } } })).status).toBe(200);
    expect((await show(id))['OS-EXT-SRV-ATTR:hostname']).toBe('web');
  });

  it.each([{ name: null }, { name: ' x' }, { accessIPv4: 'x' }, { flavor: 'large' }, { vm_state: 'error' }])(
    'to %j is refused',
    async (server) => {
      const { request, at } = await withServer();
      expect((await request(`PUT ${at}`, { body: { server } })).status).toBe(400);
    },
  );

  it('takes a description away with null', async () => {
    const { request, at } = await withServer({ description: 'x' });
    const { body } = await request(`PUT ${at}`, { body: { server: { description: null } } });
    expect(body.server.description).toBeNull();
  });
});

describe('metadata', () => {
  it('are read, merged, replaced, and set and removed one by one', async () => {
    const { request, at } = await withServer({ metadata: { a: '1' } });
    const path = `${at}/metadata`;
    expect((await request(`GET ${path}`)).body).toEqual({ metadata: { a: '1' } });
    expect((await request(`POST ${path}`, { body: { metadata: { b: '2' } } })).body.metadata).toEqual({
      a: '1',
      b: '2',
    });
    expect((await request(`PUT ${path}/b`, { body: { meta: { b: '3' } } })).body).toEqual({ meta: { b: '3' } });
    expect((await request(`GET ${path}/b`)).body).toEqual({ meta: { b: '3' } });
    expect((await request(`DELETE ${path}/a`)).status).toBe(204);
    expect((await request(`GET ${path}`)).body).toEqual({ metadata: { b: '3' } });
    expect((await request(`PUT ${path}`, { body: { metadata: { c: '4' } } })).body).toEqual({ metadata: { c: '4' } });
    for (const verb of ['GET', 'DELETE']) {
      expect((await request(`${verb} ${path}/b`)).body.itemNotFound.message).toBe('Metadata item was not found');
    }
  });

  it('are as many as the quota allows, and only of servers that run or are off', async () => {
    const { request, at, booted } = await withServer();
    const metadata = Object.fromEntries(Array.from({ length: 129 }, (_, n) => [`k${n}`, 'v']));
    expect((await request(`POST ${at}/metadata`, { body: { metadata } })).body.forbidden.message).toBe(
      'Quota exceeded for metadata_items: Requested 129, but already used 0 of 128 metadata_items',
    );
    const building = await booted();
    expect(await request(`PUT /v2.1/servers/${building}/metadata`, { body: { metadata: {} } })).toMatchObject({
      status: 409,
      body: {
        conflictingRequest: {
          message: `Cannot 'update_instance_metadata' instance ${building} while it is in vm_state building`,
        },
      },
    });
  });

  it.each([{ meta: { x: 'y' } }, { meta: { a: '1', b: '2' } }, { meta: { a: 1 } }, {}])(
    'one that is sent as %j is refused',
    async (body) => {
      const { request, at } = await withServer();
      expect((await request(`PUT ${at}/metadata/a`, { body })).status).toBe(400);
    },
  );
});

describe('tags', () => {
  it('are there once, one by one or all together, from 2.26 on', async () => {
    const { request, at } = await withServer({ tags: ['a'] });
    const path = `${at}/tags`;
    expect((await request(`GET ${path}`, { version: 25 })).status).toBe(404);
    const added = await request(`PUT ${path}/b`);
    expect([added.status, added.headers['Location']]).toEqual([201, `http://cloud.test/compute${path}/b`]);
    expect((await request(`PUT ${path}/b`)).status).toBe(204);
    expect((await request(`GET ${path}`)).body).toEqual({ tags: ['a', 'b'] });
    expect((await request(`GET ${path}/b`)).status).toBe(204);
    expect((await request(`DELETE ${path}/b`)).status).toBe(204);
    expect((await request(`GET ${path}/b`)).status).toBe(404);
    expect((await request(`PUT ${path}`, { body: { tags: ['x', 'y'] } })).body).toEqual({ tags: ['x', 'y'] });
    expect((await request(`DELETE ${path}`)).status).toBe(204);
    expect((await request(`GET ${path}`)).body).toEqual({ tags: [] });
  });

  it('are fifty at most', async () => {
    const { request, at } = await withServer();
    const tags = Array.from({ length: 50 }, (_, n) => `t${n}`);
    expect((await request(`PUT ${at}/tags`, { body: { tags } })).status).toBe(200);
    expect((await request(`PUT ${at}/tags/more`)).body.badRequest.message).toContain(
      'exceeded the per-server limit 50',
    );
    expect((await request(`PUT ${at}/tags/a%2Cb`)).status).toBe(400);
  });
});

describe('network cards', () => {
  const withNetwork = async () => {
    const cloud = await withServer();
    const network = await cloud.aNetwork('red');
    const path = `${cloud.at}/os-interface`;
    const attach = async (interfaceAttachment: object, options = {}) =>
      cloud.request(`POST ${path}`, { body: { interfaceAttachment }, ...options });
    return { ...cloud, network, path, attach };
  };

  it('of a network get a port with an address, which a run plugs', async () => {
    const { attach, network, path, request, platform, id, show } = await withNetwork();
    const { status, body } = await attach({ net_id: network, fixed_ips: [{ ip_address: '10.0.0.9' }] });
    expect(status).toBe(200);
    const card = body.interfaceAttachment;
    expect(card).toEqual({
      port_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      net_id: network,
      mac_addr: expect.stringMatching(/^fa:16:3e:/),
      port_state: 'DOWN',
      fixed_ips: [{ ip_address: '10.0.0.9', subnet_id: expect.any(String) }],
      tag: null,
    });
    expect(platform.workflows.started).toMatchObject([{ workflow: 'server-interface', input: { server: id } }]);
    expect((await request(`GET ${path}`)).body).toEqual({ interfaceAttachments: [card] });
    expect((await request(`GET ${path}/${card.port_id}`)).body).toEqual({ interfaceAttachment: card });
    expect((await request(`GET ${path}`, { version: 69 })).body.interfaceAttachments[0]).not.toHaveProperty('tag');
    expect((await show(id)).addresses.private).toMatchObject([{ addr: '10.0.0.9' }]);
    const port = await readRecord(platform.table, networkKinds.network_port, card.port_id as string);
    expect(port).toMatchObject({ device_id: id, device_owner: 'compute:', project_id: 'red' });
  });

  it('take a port that is there already, and no other server can have it', async () => {
    const { attach, network, platform, active, request } = await withNetwork();
    const port = await createPort(platform, { project_id: 'red', network_id: network });
    expect((await attach({ port_id: port.uuid, tag: 'lan' })).body.interfaceAttachment).toMatchObject({
      port_id: port.uuid,
      tag: 'lan',
    });
    const other = await active({ name: 's2' });
    const body = { interfaceAttachment: { port_id: port.uuid } };
    expect((await request(`POST /v2.1/servers/${other}/os-interface`, { body })).status).toBe(409);
  });

  it('are added to while a run is at it, which does these, too', async () => {
    const { attach, network, path, request, platform } = await withNetwork();
    await attach({ net_id: network });
    await attach({ net_id: network });
    expect((await request(`GET ${path}`)).body.interfaceAttachments).toHaveLength(2);
    expect(new Set(platform.workflows.started.map(({ name }) => name)).size).toBe(1);
  });

  it('leave, once the run has unplugged them', async () => {
    const { attach, network, path, request, platform } = await withNetwork();
    const { port_id: port } = (await attach({ net_id: network })).body.interfaceAttachment;
    expect(await request(`DELETE ${path}/${port}`)).toMatchObject({ status: 202, text: '' });
    const server = platform.table.items().find(({ sk }) => sk === 'server') as unknown as { interfaces: object[] };
    expect(server.interfaces).toMatchObject([{ port_id: port, state: 'leaving' }]);
    expect((await request(`DELETE ${path}/${nobody}`)).status).toBe(404);
  });

  it('that are not possible leave nothing behind', async () => {
    const { attach, network, aNetwork, platform, force, id } = await withNetwork();
    const theirs = await aNetwork('blue');
    const before = platform.table.items();
    const said = async (asked: object) => {
      const { status, body } = await attach(asked);
      return `${status} ${(Object.values(body)[0] as { message: string }).message}`;
    };
    expect(await said({ net_id: theirs })).toBe(`404 Network ${theirs} could not be found.`);
    expect(await said({ port_id: nobody })).toBe(`404 Port id ${nobody} could not be found.`);
    expect(await said({ net_id: network, fixed_ips: [{ ip_address: '10.1.0.1' }] })).toContain('400 Fixed IP address');
    expect(await said({ net_id: network, port_id: nobody })).toContain('400 Must not input both');
    expect(await said({ fixed_ips: [{ ip_address: '10.0.0.1' }] })).toContain('400 Must input network_id');
    expect(platform.table.items()).toEqual(before);
    // Somebody begins to stop it, after it was looked at.
    await force(id, { vm_state: 'error' });
    expect(await said({ net_id: network })).toContain('while it is in vm_state error');
    expect(platform.table.items().filter(({ sk }) => sk === 'network_port')).toEqual([]);
  });

  const stored = (platform: { table: { items(): { sk: string }[] } }) =>
    platform.table.items().find(({ sk }) => sk === 'server') as unknown as { interfaces: object[]; run?: string };

  it('that the network refuses are not kept, and no run begins for them', async () => {
    const { attach, network, platform } = await withNetwork();
    await createPort(platform, { project_id: 'red', network_id: network, fixed_ips: [{ ip_address: '10.0.0.9' }] });
    const answer = await attach({ net_id: network, fixed_ips: [{ ip_address: '10.0.0.9' }] });
    expect(answer.status).toBe(409);
    expect(stored(platform).interfaces).toEqual([]);
    expect(stored(platform)).not.toHaveProperty('run');
    expect(platform.workflows.started).toEqual([]);
  });

  it('whose request dies on the way are left to the run that is noted down with them', async () => {
    const { attach, network, platform, request, path } = await withNetwork();
    platform.table.onWrite = (writes) => {
      if (writes.some((write) => 'put' in write && write.put.sk === 'network_port'))
        throw new Error('The table is gone.');
    };
    expect((await attach({ net_id: network })).status).toBe(500);
    platform.table.onWrite = undefined;
    expect(stored(platform)).toMatchObject({
      interfaces: [{ network_id: network, state: 'asked', seen: null }],
      run: expect.any(String),
      run_workflow: 'server-interface',
    });
    expect((await request(`GET ${path}`)).body).toEqual({ interfaceAttachments: [] });
  });
});

describe('the history', () => {
  const history = async () => {
    const cloud = await withServer();
    const { id, request, platform } = cloud;
    const made = await request(`POST /v2.1/servers/${id}/action`, { body: { 'os-stop': null } });
    const request_id = made.headers['x-openstack-request-id']!;
    const { name: run } = platform.workflows.started[0]!;
    const line = (kind: 'phase start' | 'phase end' | 'attempt', phase: string, more = {}) => ({
      events: [{ kind, severity: 'INFO', event_type: 'server', message: 'said', run, phase, ...more } as const],
    });
    await changeRecord(platform, computeKinds.server, id, () => line('phase start', 'PowerOff'));
    platform.clock.advance(2000);
    await changeRecord(platform, computeKinds.server, id, () => line('attempt', 'PowerOff', { severity: 'ERROR' }));
    await changeRecord(platform, computeKinds.server, id, () => line('phase end', 'PowerOff', { details: 'why' }));
    return { ...cloud, request_id, path: `/v2.1/servers/${id}/os-instance-actions` };
  };

  it('has an action for each request, the newest first', async () => {
    const { request, path, request_id, id } = await history();
    const { instanceActions } = (await request(`GET ${path}`, { version: 57 })).body;
    expect(instanceActions.map(({ action }: { action: string }) => action)).toEqual(['stop', 'create']);
    expect(instanceActions[0]).toEqual({
      action: 'stop',
      instance_uuid: id,
      request_id,
      start_time: '2026-01-01T00:00:00.000000',
      user_id: 'ann',
      project_id: 'red',
      message: null,
    });
    expect((await request(`GET ${path}?limit=1`)).body).toMatchObject({
      instanceActions: [{ action: 'stop', updated_at: expect.any(String) }],
      links: [{ rel: 'next', href: expect.stringContaining(`marker=${request_id}`) }],
    });
    expect((await request(`GET ${path}?changes-since=2026-01-02T00:00:00Z`)).body.instanceActions).toEqual([]);
  });

  it('tells the phases of a run as events, and administrators what was found out', async () => {
    const { request, path, request_id } = await history();
    const show = async (options = {}) => (await request(`GET ${path}/${request_id}`, options)).body.instanceAction;
    const { events, updated_at: updated } = await show();
    expect(events).toEqual([
      {
        event: 'PowerOff',
        start_time: '2026-01-01T00:00:00.000000',
        finish_time: '2026-01-01T00:00:02.000000',
        result: 'Success',
        hostId: '',
      },
      expect.objectContaining({ event: 'PowerOff', result: 'Error' }),
    ]);
    expect(updated).toBe('2026-01-01T00:00:02.000000');
    expect((await show({ subject: root })).events[0]).toMatchObject({ details: 'why', traceback: null, host: null });
    expect((await show({ subject: root, version: 83 })).events[0]).not.toHaveProperty('details');
    expect(await show({ version: 50 })).not.toHaveProperty('events');
    expect((await request(`GET ${path}/req-none`)).status).toBe(404);
  });

  it('outlives the server, from 2.21 on, for its project alone', async () => {
    const { request, path, request_id, platform, id } = await history();
    await removeServer(platform, id);
    expect((await request(`GET /v2.1/servers/${id}`)).status).toBe(404);
    expect((await request(`GET ${path}`, { version: 20 })).status).toBe(404);
    expect((await request(`GET ${path}`)).body.instanceActions).toHaveLength(2);
    expect((await request(`GET ${path}/${request_id}`)).status).toBe(200);
    expect((await request(`GET ${path}`, { subject: bob })).status).toBe(404);
  });
});

describe('a server that is gone', () => {
  it('gives back what it counted for, and leaves nothing but its history', async () => {
    const { request, platform, id } = await withServer({ user_data: 'aGk=' });
    expect((await request('GET /v2.1/limits')).body.limits.absolute.totalInstancesUsed).toBe(1);
    await removeServer(platform, id);
    const { absolute } = (await request('GET /v2.1/limits')).body.limits;
    expect(absolute).toMatchObject({ totalInstancesUsed: 0, totalCoresUsed: 0, totalRAMUsed: 0 });
    const left = platform.table.items().filter(({ pk }) => pk === `server#${id}`);
    expect(new Set(left.map(({ sk }) => sk.split('#')[0]))).toEqual(new Set(['action', 'event', 'gone']));
    for (const item of left) expect(item).toHaveProperty('expires_at');
    expect(JSON.stringify(platform.table.items())).not.toContain('aGk=');
  });

  it('is told to who asks what has changed, and to administrators who ask for it', async () => {
    const { request, platform, id, booted } = await withServer();
    await booted({ name: 'other' });
    platform.clock.advance(60_000);
    await removeServer(platform, id);
    const changed = async (options = {}) =>
      (await request('GET /v2.1/servers/detail?changes-since=2026-01-01T00:00:30Z', options)).body.servers;
    expect(await changed()).toMatchObject([
      { id, status: 'DELETED', 'OS-SRV-USG:terminated_at': '2026-01-01T00:01:00.000000' },
    ]);
    expect(await changed({ subject: bob })).toEqual([]);
    const deleted = await request('GET /v2.1/servers?deleted=true&all_tenants=1', { subject: root });
    expect(deleted.body.servers).toMatchObject([{ id }]);
    expect((await request('GET /v2.1/servers')).body.servers).toMatchObject([{ name: 'other' }]);
  });
});

describe('what machines do not have', () => {
  it.each([
    ['GET', 'os-volume_attachments', 200],
    ['GET', `os-volume_attachments/${nobody}`, 404],
    ['POST', 'os-volume_attachments', 501],
    ['POST', 'remote-consoles', 501],
    ['GET', 'ips', 200],
    ['GET', 'ips/private', 404],
    ['GET', 'os-security-groups', 200],
    ['GET', 'os-server-password', 200],
    ['DELETE', 'os-server-password', 204],
    ['GET', 'diagnostics', 403],
    ['GET', 'migrations', 403],
  ])('%s %s: %i', async (verb, path, status) => {
    const { request, at } = await withServer();
    const body = verb === 'POST' ? { body: {} } : {};
    expect((await request(`${verb} ${at}/${path}`, body)).status).toBe(status);
    expect((await request(`${verb} ${at}/${path}`, { ...body, subject: bob })).status).toBe(404);
  });

  it('is told to administrators as well', async () => {
    const { request, at } = await withServer();
    expect((await request(`GET ${at}/diagnostics`, { subject: root })).status).toBe(501);
    expect((await request(`GET ${at}/migrations`, { subject: root })).body).toEqual({ migrations: [] });
  });
});
