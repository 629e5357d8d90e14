/** /v1/portgroups (ironic-api.md 4), and the portgroup_uuid of ports. */
import { beforeEach, describe, expect, it } from 'vitest';

import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createFront } from './front.ts';

const address = (n: number) => `52:54:00:00:01:${n.toString(16).padStart(2, '0')}`;
const absent = '11111111-1111-4111-8111-111111111111';
const set = (path: string, value: unknown) => ({ op: 'add', path, value });

let front: ReturnType<typeof createFront>;
let node: string;

const create = async (body: object, version = 'latest') =>
  front.request('POST /v1/portgroups', { version, body: { node_uuid: node, ...body } });
const made = async (collection: string, body: object) => {
  const answer = await front.request(`POST /v1/${collection}`, { body: { node_uuid: node, ...body } });
  if (answer.status !== 201) throw new Error(answer.error);
  return answer.body.uuid as string;
};
const add = async (body: object = {}) => made('portgroups', body);
const addPort = async (n: number, body: object = {}) => made('ports', { address: address(n), ...body });
const patch = async (ident: string, body: unknown, version = 'latest') =>
  front.request(`PATCH /v1/portgroups/${ident}`, { body, version });
const patchPort = async (uuid: string, body: unknown, version = 'latest') =>
  front.request(`PATCH /v1/ports/${uuid}`, { body, version });
const uuids = async (line: string, name = 'portgroups') =>
  ((await front.request(`GET ${line}`)).body[name] as { uuid: string }[]).map(({ uuid }) => uuid);

beforeEach(async () => {
  front = createFront();
  node = (await front.enrol({ name: 'n1' })).uuid;
});

describe('creating a port group', () => {
  it('needs a node; the rest has defaults', async () => {
    const { status, body, headers } = await create({});
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test/v1/portgroups/${body.uuid}`);
    const links = (path: string) => [
      { href: `http://metal.test/v1/portgroups/${path}`, rel: 'self' },
      { href: `http://metal.test/portgroups/${path}`, rel: 'bookmark' },
    ];
    expect(body).toEqual({
      uuid: body.uuid,
      address: null,
      name: null,
      node_uuid: node,
      extra: {},
      internal_info: {},
      standalone_ports_supported: true,
      mode: 'active-backup',
      properties: {},
      physical_network: null,
      category: null,
      dynamic_portgroup: false,
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: links(body.uuid),
      ports: links(`${body.uuid}/ports`),
    });
    expect((await front.request(`GET /v1/portgroups/${body.uuid}`)).body).toEqual(body);
  });

  it.each([
    [{ node_uuid: undefined }, 'node_uuid'],
    [{ node_uuid: absent }, 'could not be found'],
    [{ node_uuid: undefined, node_ident: 'n1' }, 'node_uuid'],
    [{ node_ident: 'n1' }, 'node_ident'],
    [{ address: 'nope' }, 'address'],
    [{ name: 'a b' }, 'name'],
    [{ mode: '' }, 'mode'],
    [{ properties: 1 }, 'properties'],
    [{ standalone_ports_supported: 'perhaps' }, 'standalone_ports_supported'],
    [{ physical_network: 'x'.repeat(65) }, 'physical_network'],
    [{ category: 'x'.repeat(81) }, 'category'],
    [{ internal_info: {} }, 'internal_info'],
    [{ dynamic_portgroup: true }, 'dynamic_portgroup'],
    [{ bogus: 1 }, 'bogus'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(await uuids('/v1/portgroups')).toEqual([]);
  });

  it.each([
    ['mode', '802.3ad', 26],
    ['properties', { miimon: 100 }, 26],
    ['physical_network', 'x', 102],
    ['category', 'x', 103],
  ])('refuses %s with 406 below its version', async (name, value, since) => {
    expect((await create({ [name]: value }, `1.${since - 1}`)).status).toBe(406);
    const { status, body } = await create({ [name]: value }, `1.${since}`);
    expect([status, body[name]]).toEqual([201, value]);
  });

  it.each([
    [{ address: address(1) }, { address: address(1).toUpperCase() }],
    [{ name: 'bond0' }, { name: 'bond0' }],
    [{ uuid: absent }, { uuid: absent }],
  ])('answers 409 when a value of %j is taken', async (first, second) => {
    expect((await create(first)).status).toBe(201);
    expect((await create(second)).status).toBe(409);
    expect(await uuids('/v1/portgroups')).toHaveLength(1);
  });

  it('may have the address of one of its ports', async () => {
    const group = await add({ address: address(1) });
    expect(await addPort(1, { portgroup_uuid: group })).toEqual(expect.any(String));
  });

  it('has one winner among many that want one name', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, async () => create({ name: 'bond0' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(29);
  });

  it('is refused with 409 on a locked node', async () => {
    await front.force(node, { reservation: 'run-1' });
    expect((await create({})).status).toBe(409);
  });
});

describe('versions', () => {
  it.each([
    ['GET /v1/portgroups', 23, 200],
    ['GET /v1/portgroups/detail', 23, 200],
    ['GET /v1/portgroups/bond0', 23, 200],
    ['PATCH /v1/portgroups/bond0', 23, 200],
    ['POST /v1/portgroups', 23, 201],
    ['GET /v1/portgroups/bond0/ports', 24, 200],
    ['GET /v1/portgroups/bond0/ports/detail', 24, 200],
    ['GET /v1/nodes/n1/portgroups', 24, 200],
    ['GET /v1/nodes/n1/portgroups/detail', 24, 200],
    ['DELETE /v1/portgroups/bond0', 23, 204],
  ])('%s is 404 below 1.%i', async (line, since, status) => {
    await add({ name: 'bond0' });
    const body = line.startsWith('POST') ? { node_uuid: node } : line.startsWith('PATCH') ? [] : undefined;
    expect((await front.request(line, { body, version: `1.${since - 1}` })).status).toBe(404);
    expect((await front.request(line, { body, version: `1.${since}` })).status).toBe(status);
  });

  it('tell of the resource at /v1 from 1.23', async () => {
    const keys = async (version: string) => Object.keys((await front.request('GET /v1', { version })).body);
    expect(await keys('1.22')).not.toContain('portgroups');
    expect(await keys('1.23')).toContain('portgroups');
  });
});

describe('finding port groups', () => {
  it('by UUID or name', async () => {
    const uuid = await add({ name: 'bond0' });
    expect((await front.request(`GET /v1/portgroups/${uuid.toUpperCase()}?fields=name`)).body).toEqual({
      name: 'bond0',
      links: expect.any(Array),
    });
    expect((await front.request('GET /v1/portgroups/bond0', { version: '1.23' })).body.uuid).toBe(uuid);
    expect(await front.request('GET /v1/portgroups/nope')).toMatchObject({
      status: 404,
      error: 'Portgroup nope could not be found.',
    });
    expect((await front.request('GET /v1/portgroups/a%20b')).status).toBe(400);
  });

  it('in lists, briefly or whole', async () => {
    await add();
    const first = async (line: string) => (await front.request(`GET ${line}`)).body.portgroups[0] as object;
    expect(Object.keys(await first('/v1/portgroups'))).toEqual(['uuid', 'address', 'name', 'links']);
    for (const line of ['/v1/portgroups/detail', '/v1/portgroups?detail=true', '/v1/nodes/n1/portgroups/detail']) {
      expect(await first(line)).toMatchObject({ node_uuid: node, extra: {} });
    }
  });

  it('by filters', async () => {
    const second = await front.enrol({ name: 'n2', shard: 's', conductor_group: 'east' });
    const one = await add({ address: address(1) });
    const two = await add();
    const three = await add({ node_uuid: second.uuid });
    expect(await uuids('/v1/portgroups')).toEqual([one, two, three]);
    expect(await uuids('/v1/portgroups?node=n1')).toEqual([one, two]);
    expect(await uuids(`/v1/portgroups?node=${second.uuid}`)).toEqual([three]);
    expect(await uuids('/v1/nodes/n2/portgroups')).toEqual([three]);
    expect(await uuids(`/v1/portgroups?address=${address(1).toUpperCase()}`)).toEqual([one]);
    expect(await uuids(`/v1/portgroups?address=${address(2)}`)).toEqual([]);
    expect(await uuids('/v1/portgroups?shard=s,t')).toEqual([three]);
    expect(await uuids('/v1/portgroups?conductor_groups=EAST')).toEqual([three]);
  });

  it.each([
    ['/v1/portgroups?node=nobody', 'latest', 404],
    ['/v1/nodes/nobody/portgroups', 'latest', 404],
    ['/v1/portgroups/nope/ports', 'latest', 404],
    [`/v1/portgroups?node=n1&address=${address(1)}`, 'latest', 400],
    ['/v1/portgroups?shard=a&conductor_groups=b', 'latest', 400],
    ['/v1/portgroups?address=nope', 'latest', 400],
    ['/v1/portgroups?bogus=1', 'latest', 400],
    ['/v1/portgroups?fields=nope', 'latest', 400],
    ['/v1/portgroups?fields=mode', '1.25', 406],
    ['/v1/portgroups?fields=mode', '1.26', 200],
    ['/v1/portgroups?sort_key=mode', '1.25', 406],
    ['/v1/portgroups?sort_key=properties', 'latest', 400],
    ['/v1/portgroups?detail=true', '1.42', 400],
    ['/v1/portgroups?detail=true', '1.43', 200],
    ['/v1/portgroups?shard=s', '1.105', 406],
    ['/v1/portgroups?shard=s', '1.106', 200],
    ['/v1/portgroups?conductor_groups=s', '1.98', 406],
    ['/v1/portgroups?conductor_groups=s', '1.99', 200],
    [`/v1/portgroups?marker=${absent}`, 'latest', 404],
  ])('answers %s at %s with %i', async (line, version, status) => {
    expect((await front.request(`GET ${line}`, { version })).status).toBe(status);
  });

  it.each(['/v1/portgroups', '/v1/nodes/n1/portgroups', '/v1/portgroups/detail'])(
    'page by page in %s',
    async (path) => {
      const all: string[] = [];
      for (let n = 0; n < 7; n += 1) all.push(await add({ name: `bond${9 - n}` }));
      const seen: string[] = [];
      let line: string | undefined = `${path}?limit=3`;
      while (line) {
        const { body } = await front.request(`GET ${line}`);
        seen.push(...(body.portgroups as { uuid: string }[]).map(({ uuid }) => uuid));
        line = body.next?.replace('http://metal.test', '');
      }
      expect(seen).toEqual(all);
      expect(await uuids(`${path}?sort_key=name&limit=2`)).toEqual([all[6], all[5]]);
    },
  );
});

describe('patching a port group', () => {
  it('changes what it names and keeps guards in step', async () => {
    await add({ name: 'bond0', address: address(1), category: 'c' });
    const { status, body } = await patch('bond0', [
      set('/name', 'bond1'),
      set('/address', address(9).toUpperCase()),
      set('/properties/miimon', 100),
      { op: 'remove', path: '/category' },
      { op: 'replace', path: '/mode', value: '802.3ad' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'bond1',
      address: address(9),
      properties: { miimon: 100 },
      category: null,
      mode: '802.3ad',
    });
    expect((await front.request('GET /v1/portgroups/bond0')).status).toBe(404);
    expect((await create({ name: 'bond0', address: address(1) })).status).toBe(201);
    expect((await patch('bond1', [set('/name', 'bond0')])).status).toBe(409);
  });

  it.each([
    [[{ op: 'remove', path: '/mode' }]],
    [[{ op: 'remove', path: '/node_uuid' }]],
    [[set('/uuid', absent)]],
    [[set('/bogus', 1)]],
    [[set('/internal_info', {})]],
    [[set('/dynamic_portgroup', true)]],
    [[set('/address', 'nope')]],
    [[set('/node_uuid', absent)]],
  ])('refuses %j with 400', async (body) => {
    await add({ name: 'bond0' });
    expect((await patch('bond0', body)).status).toBe(400);
    expect((await front.request('GET /v1/portgroups/bond0')).body.updated_at).toBeNull();
  });

  it('refuses a field that is too new with 406', async () => {
    await add({ name: 'bond0' });
    expect((await patch('bond0', [set('/mode', 'x')], '1.25')).status).toBe(406);
    expect((await patch('bond0', [set('/mode', 'x')], '1.26')).status).toBe(200);
  });

  it.each<[Partial<StoredNode>, number]>([
    [{ provision_state: 'inspecting' }, 409],
    [{ reservation: 'run-1' }, 409],
    [{ provision_state: 'active' }, 200],
  ])('on a node with %j answers %i', async (state, status) => {
    await add({ name: 'bond0' });
    await front.force(node, state);
    expect((await patch('bond0', [set('/extra/a', 1)])).status).toBe(status);
  });

  it('moves an empty one to another node of the same owner', async () => {
    const target = await front.enrol({ name: 'n2' });
    const foreign = await front.enrol({ owner: 'p1' });
    const group = await add({ name: 'bond0' });
    const port = await addPort(1, { portgroup_uuid: group });
    expect((await patch(group, [set('/node_uuid', foreign.uuid)])).status).toBe(400);
    const held = await patch(group, [set('/node_uuid', target.uuid)]);
    expect([held.status, held.error]).toEqual([400, expect.stringContaining(port)]);
    await patchPort(port, [{ op: 'remove', path: '/portgroup_uuid' }]);
    expect((await patch(group, [set('/node_uuid', target.uuid)])).body.node_uuid).toBe(target.uuid);
    expect(await uuids('/v1/nodes/n1/portgroups')).toEqual([]);
    expect((await front.request('GET /v1/portgroups/bond0')).body.node_uuid).toBe(target.uuid);
  });

  it('never loses a concurrent one', async () => {
    const uuid = await add();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => patch(uuid, [set(`/extra/k${n}`, n)])),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await front.request(`GET /v1/portgroups/${uuid}`)).body.extra)).toHaveLength(10);
  });
});

describe('the ports of a group', () => {
  it('are listed below it and by filter', async () => {
    const group = await add({ name: 'bond0' });
    const one = await addPort(1, { portgroup_uuid: group.toUpperCase() });
    const two = await addPort(2);
    await addPort(3);
    expect((await patchPort(two, [set('/portgroup_uuid', group)])).body.portgroup_uuid).toBe(group);
    for (const line of ['/v1/portgroups/bond0/ports', `/v1/ports?portgroup=${group}`, '/v1/ports?portgroup=bond0']) {
      expect((await uuids(line, 'ports')).toSorted()).toEqual([one, two].toSorted());
    }
    expect(await uuids(`/v1/ports?portgroup=bond0&address=${address(2)}`, 'ports')).toEqual([two]);
    expect(await uuids(`/v1/ports?portgroup=bond0&address=${address(3)}`, 'ports')).toEqual([]);
    const { body } = await front.request('GET /v1/portgroups/bond0/ports/detail?limit=1');
    expect(body.ports[0]).toMatchObject({ portgroup_uuid: group, extra: {} });
    expect(body.next).toContain(`/v1/portgroups/${group}/ports/detail?limit=1&marker=`);
  });

  it('belong to its node', async () => {
    const second = await front.enrol({ name: 'n2' });
    const group = await add();
    const foreign = { node_uuid: second.uuid, address: address(1), portgroup_uuid: group };
    const refused = await front.request('POST /v1/ports', { body: foreign });
    expect([refused.status, refused.error]).toEqual([400, expect.stringContaining('could not be found on node')]);
    const port = await addPort(2, { portgroup_uuid: group });
    expect((await patchPort(port, [set('/node_uuid', second.uuid)])).status).toBe(400);
    const away = [set('/node_uuid', second.uuid), { op: 'remove', path: '/portgroup_uuid' }];
    expect((await patchPort(port, away)).body).toMatchObject({ node_uuid: second.uuid, portgroup_uuid: null });
  });

  it.each<[string, unknown, Partial<StoredNode>, number]>([
    ['/portgroup_uuid', null, { provision_state: 'available' }, 409],
    ['/portgroup_uuid', null, { provision_state: 'manageable' }, 200],
    ['/portgroup_uuid', null, { provision_state: 'available', maintenance: true }, 200],
    ['/portgroup_uuid', absent, {}, 400],
    ['/physical_network', 'x', {}, 400],
    ['/extra/a', 1, {}, 200],
  ])('take %s = %j on a node with %j: %i', async (path, value, state, status) => {
    const port = await addPort(1, { portgroup_uuid: await add() });
    await front.force(node, state);
    expect((await patchPort(port, [set(path, value)])).status).toBe(status);
  });

  it('have their physical_network frozen from 1.102', async () => {
    const port = await addPort(1, { portgroup_uuid: await add() });
    const change = [set('/physical_network', 'x')];
    expect((await patchPort(port, change, '1.102')).status).toBe(400);
    expect((await patchPort(port, change, '1.101')).status).toBe(200);
    expect((await patchPort(port, [set('/physical_network', 'x')], '1.102')).status).toBe(200);
    const out = [{ op: 'remove', path: '/portgroup_uuid' }, set('/physical_network', 'y')];
    expect((await patchPort(port, out, '1.102')).body.physical_network).toBe('y');
  });

  it('keep it from being deleted, which answers 400', async () => {
    const group = await add({ name: 'bond0' });
    const port = await addPort(1, { portgroup_uuid: group });
    const refused = await front.request('DELETE /v1/portgroups/bond0');
    expect([refused.status, refused.error]).toEqual([400, expect.stringContaining(port)]);
    expect((await front.request(`DELETE /v1/ports/${port}`)).status).toBe(204);
    expect((await front.request('DELETE /v1/portgroups/bond0')).status).toBe(204);
    expect((await front.request('GET /v1/portgroups/bond0')).status).toBe(404);
    expect((await create({ name: 'bond0' })).status).toBe(201);
  });

  it('that come in between the look for ports and the deletion win', async () => {
    const group = await add();
    const { table } = front.platform;
    let late = true;
    const query: typeof table.query = async (asked) => {
      const found = await table.query(asked);
      if (late) {
        late = false;
        await addPort(1, { portgroup_uuid: group });
      }
      return found;
    };
    const slow = createFront({}, { ...front.platform, table: { ...table, query } });
    expect((await slow.request(`DELETE /v1/portgroups/${group}`)).status).toBe(400);
    expect(await uuids('/v1/portgroups')).toEqual([group]);
  });

  it('never refer to one that was deleted at the same time', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const group = await add();
      const body = { node_uuid: node, address: address(round), portgroup_uuid: group };
      const [port, gone] = await Promise.all([
        front.request('POST /v1/ports', { body }),
        front.request(`DELETE /v1/portgroups/${group}`),
      ]);
      expect([
        [201, 400],
        [400, 204],
      ]).toContainEqual([port.status, gone.status]);
    }
  });
});

describe('deleting', () => {
  it('a port group is refused with 409 on a locked node', async () => {
    const group = await add();
    await front.force(node, { reservation: 'run-1' });
    expect((await front.request(`DELETE /v1/portgroups/${group}`)).status).toBe(409);
  });

  it('a node takes its port groups along and frees their values', async () => {
    await addPort(1, { portgroup_uuid: await add({ name: 'bond0', address: address(1) }) });
    expect((await front.request('DELETE /v1/nodes/n1')).status).toBe(204);
    expect(await uuids('/v1/portgroups')).toEqual([]);
    const next = await front.enrol();
    expect((await create({ node_uuid: next.uuid, name: 'bond0', address: address(1) })).status).toBe(201);
  });
});

describe('access to port groups', () => {
  const project = (roles: string, id = 'p1') => ({ user: 'u', project: id, roles, scope: 'project' });
  const system = (roles: string) => ({ user: 'u', project: '', roles, scope: 'system' });

  it.each([
    ['system admin', system('admin'), [200, 200, 200, 204]],
    ['system member', system('member'), [200, 200, 200, 403]],
    ['system reader', system('reader'), [200, 200, 403, 403]],
    ['owner manager', project('manager'), [200, 200, 200, 204]],
    ['owner member', project('member'), [200, 200, 403, 403]],
    ['lessee admin', project('admin', 'p2'), [200, 200, 403, 403]],
    ['stranger', project('admin', 'p3'), [200, 404, 404, 404]],
  ])('of a %s follows the node', async (_name, subject, expected) => {
    const owned = await front.enrol({ owner: 'p1', lessee: 'p2' });
    const uuid = await add({ node_uuid: owned.uuid });
    const lines: [string, unknown?][] = [
      ['GET /v1/portgroups'],
      [`GET /v1/portgroups/${uuid}`],
      [`PATCH /v1/portgroups/${uuid}`, [set('/extra/a', 1)]],
      [`DELETE /v1/portgroups/${uuid}`],
    ];
    const answers: number[] = [];
    for (const [line, body] of lines) answers.push((await front.request(line, { subject, body })).status);
    expect(answers).toEqual(expected);
  });

  it('is concealed in the words of a missing one', async () => {
    const uuid = await add();
    const { error } = await front.request(`GET /v1/portgroups/${uuid}`, { subject: project('admin') });
    expect(error).toBe(`Portgroup ${uuid} could not be found.`);
  });
});
