/** Lists of servers (compute-api.md 3), through the front door. */
import { describe, expect, it } from 'vitest';

import { createCloud } from '../cloud.ts';
import { ann, bob, root, tenant } from '../front.ts';

type Body = { servers: { id: string; name: string }[] };
const namesIn = (body: Body) => body.servers.map(({ name }) => name);

const withServers = async (...names: string[]) => {
  const cloud = await createCloud();
  const ids: Record<string, string> = {};
  for (const name of names) ids[name] = await cloud.booted({ name });
  const list = async (query = '', options = {}) =>
    namesIn((await cloud.request(`GET /v2.1/servers${query}`, options)).body);
  return { ...cloud, ids, list };
};

describe('a list of servers', () => {
  it('has the newest first, brief, with everything at /detail', async () => {
    const { request } = await withServers('a', 'b');
    const { servers } = (await request('GET /v2.1/servers')).body;
    expect(servers.map((one: object) => Object.keys(one))).toEqual([
      ['id', 'name', 'links'],
      ['id', 'name', 'links'],
    ]);
    expect(namesIn({ servers })).toEqual(['b', 'a']);
    expect((await request('GET /v2.1/servers/detail')).body.servers[1]).toMatchObject({ name: 'a', status: 'BUILD' });
  });

  it('leads on page by page to its end', async () => {
    const { request } = await withServers('a', 'b', 'c');
    const first = (await request('GET /v2.1/servers/detail?limit=2&status=BUILD')).body;
    expect(namesIn(first)).toEqual(['c', 'b']);
    const { href } = first.servers_links[0];
    expect(href).toContain('/compute/v2.1/servers/detail?limit=2&status=BUILD&marker=');
    const second = (
      await request(`GET ${new URL(href as string).pathname.replace('/compute', '')}${new URL(href as string).search}`)
    ).body;
    expect(namesIn(second)).toEqual(['a']);
    expect(second).not.toHaveProperty('servers_links');
  });

  it('is sorted by whatever is asked for', async () => {
    const { list, force, ids } = await withServers('b', 'c', 'a');
    await force(ids['c']!, { vm_state: 'active' });
    expect(await list('?sort_key=display_name&sort_dir=asc')).toEqual(['a', 'b', 'c']);
    expect(await list('?sort_dir=asc')).toEqual(['b', 'c', 'a']);
    expect(await list('?sort_key=vm_state&sort_key=display_name&sort_dir=asc&sort_dir=desc')).toEqual(['c', 'b', 'a']);
    expect(await list(`?sort_key=display_name&sort_dir=asc&marker=${ids['a']}&limit=1`)).toEqual(['b']);
  });

  it.each([
    'sort_key=colour',
    'sort_dir=up',
    'limit=x',
    'name=(',
    'changes-since=now',
    'all_tenants=perhaps',
    'colour=x',
  ])('%s is refused', async (query) => {
    const { request } = await withServers('a');
    expect((await request(`GET /v2.1/servers?${query}`)).status).toBe(400);
  });

  it('does not mind what it does not know, until 2.74', async () => {
    const { list } = await withServers('a');
    expect(await list('?colour=red', { version: 74 })).toEqual(['a']);
  });

  it('knows no marker of another project, nor one that is none', async () => {
    const { request, booted } = await withServers('a');
    const theirs = await booted({}, { subject: bob });
    for (const marker of [theirs, 'x', '11111111-1111-4111-8111-111111111111']) {
      const { status, body } = await request(`GET /v2.1/servers?marker=${marker}`);
      expect([status, body.badRequest.message]).toEqual([400, `marker [${marker}] not found`]);
    }
  });
});

describe('filters', () => {
  it.each([
    ['name=web', ['web-2', 'web-1']],
    ['name=^web-1$', ['web-1']],
    ['status=BUILD', ['db', 'web-1']],
    ['status=ACTIVE', ['web-2']],
    ['status=ACTIVE&status=BUILD', ['db', 'web-2', 'web-1']],
    ['status=NONSENSE', []],
    ['flavor=small', ['db', 'web-2', 'web-1']],
    ['flavor=large', []],
    ['vm_state=active', ['web-2']],
    ['tags=x', ['web-2', 'web-1']],
    ['tags=x,y', ['web-1']],
    ['tags-any=y,z', ['web-1']],
    ['not-tags=x,y', ['db', 'web-2']],
    ['not-tags-any=x', ['db']],
    ['locked=true', ['db']],
    ['locked=false', ['web-2', 'web-1']],
    ['ip=10.0.0.2', ['web-2']],
    ['ip=^10.0.0.2$', []],
    ['ip6=fd00::', ['web-2']],
    ['changes-since=2026-01-01T00:00:00Z', ['db', 'web-2', 'web-1']],
    ['changes-since=2026-01-02T00:00:00', []],
    ['changes-before=2025-01-01T00:00:00Z', []],
    // For administrators.
    ['node=11111111-1111-4111-8111-111111111111', ['db', 'web-2', 'web-1']],
    ['tenant_id=blue', ['db', 'web-2', 'web-1']],
  ])('%s', async (query, names) => {
    const { booted, force, request } = await createCloud();
    await booted({ name: 'web-1', tags: ['x', 'y'] });
    const second = await booted({ name: 'web-2', tags: ['x'] });
    const third = await booted({ name: 'db' });
    const seen = {
      network_name: 'private',
      mac_address: '52:54:00:00:00:01',
      fixed_ips: [
        { ip_address: '10.0.0.21', subnet_id: 's', floating_ips: [] },
        { ip_address: 'fd00::1', subnet_id: 's', floating_ips: [] },
      ],
    };
    const card = {
      network_id: 'n',
      port_id: 'p',
      fixed_ip: null,
      tag: null,
      made: true,
      state: 'plugged',
      seen,
    } as const;
    await force(second, { vm_state: 'active', task_state: null, interfaces: [card] });
    await force(third, { locked_by: 'owner' });
    expect(namesIn((await request(`GET /v2.1/servers/detail?${query}`)).body)).toEqual(names);
  });

  it('of administrators find the servers of a node, of a project, of all', async () => {
    const { booted, force, request } = await createCloud();
    const node = '11111111-1111-4111-8111-111111111111';
    await force(await booted({ name: 'a' }), { node_uuid: node });
    await booted({ name: 'b' }, { subject: bob });
    const list = async (query: string) =>
      namesIn((await request(`GET /v2.1/servers?${query}`, { subject: root })).body);
    expect(await list('')).toEqual([]);
    expect(await list('all_tenants=1')).toEqual(['b', 'a']);
    expect(await list('all_tenants=')).toEqual(['b', 'a']);
    expect(await list(`all_tenants=1&node=${node}`)).toEqual(['a']);
    expect(await list('project_id=blue')).toEqual(['b']);
    expect(await list('all_tenants=0&tenant_id=blue')).toEqual([]);
  });

  it('that would show the servers of others are refused', async () => {
    const { request } = await withServers('a');
    expect((await request('GET /v2.1/servers?all_tenants=1')).body.forbidden.message).toBe(
      "Policy doesn't allow os_compute_api:servers:index:get_all_tenants to be performed.",
    );
    expect((await request('GET /v2.1/servers/detail?status=DELETED')).status).toBe(403);
  });
});

describe('who sees what', () => {
  it('is each his own project, readers as well', async () => {
    const { list, ids, request } = await withServers('a');
    expect(await list('', { subject: tenant('rea', 'red', 'reader') })).toEqual(['a']);
    expect(await list('', { subject: bob })).toEqual([]);
    expect(await request(`GET /v2.1/servers/${ids['a']}`, { subject: bob })).toMatchObject({
      status: 404,
      body: { itemNotFound: { message: `Instance ${ids['a']} could not be found.` } },
    });
    expect((await request(`GET /v2.1/servers/${ids['a']}`, { subject: ann })).status).toBe(200);
    expect((await request('GET /v2.1/servers/a')).body.itemNotFound.message).toBe('Instance a could not be found.');
  });
});

describe('what a list reads', () => {
  it('is what it shows, however many servers others have', async () => {
    const { booted, request, platform } = await createCloud();
    const cost = async (line: string) => {
      let [queries, gets] = [0, 0];
      const { query, getMany } = platform.table;
      platform.table.query = async (asked) => ((queries += 1), query(asked));
      platform.table.getMany = async (keys, options) => ((gets += keys.length), getMany(keys, options));
      await request(line);
      Object.assign(platform.table, { query, getMany });
      return { queries, gets };
    };
    await booted();
    const lines = ['GET /v2.1/servers', 'GET /v2.1/servers/detail'];
    const before = [await cost(lines[0]!), await cost(lines[1]!)];
    for (let at = 0; at < 20; at += 1) await booted({}, { subject: tenant('x', `project-${at}`) });
    expect([await cost(lines[0]!), await cost(lines[1]!)]).toEqual(before);
    expect(before[0]!.gets).toBe(0);
  });
});
