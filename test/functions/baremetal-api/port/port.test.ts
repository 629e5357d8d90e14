/** /v1/ports (ironic-api.md 3). */
import { beforeEach, describe, expect, it } from 'vitest';

import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { createFront } from '../front.ts';

const address = (n: number) => `52:54:00:00:00:${n.toString(16).padStart(2, '0')}`;
const set = (path: string, value: unknown) => ({ op: 'add', path, value });

let front: ReturnType<typeof createFront>;
let node: string;

const create = async (body: object, version = 'latest') =>
  front.request('POST /v1/ports', { version, body: { node_uuid: node, ...body } });
const add = async (n: number, body: object = {}) => {
  const answer = await create({ address: address(n), ...body });
  if (answer.status !== 201) throw new Error(answer.error);
  return answer.body as { uuid: string };
};
const patch = async (uuid: string, body: unknown, version = 'latest') =>
  front.request(`PATCH /v1/ports/${uuid}`, { body, version });
const addresses = async (line: string) =>
  ((await front.request(`GET ${line}`)).body.ports as { address: string }[]).map((port) => port.address);

beforeEach(async () => {
  front = createFront();
  node = (await front.enrol({ name: 'n1' })).uuid;
});

describe('creating a port', () => {
  it('needs a node and an address; the rest has defaults', async () => {
    const { status, body, headers } = await create({ address: '52-54-00-AA-BB-CC' });
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test/v1/ports/${body.uuid}`);
    expect(body).toEqual({
      uuid: body.uuid,
      address: '52:54:00:aa:bb:cc',
      node_uuid: node,
      extra: {},
      internal_info: {},
      pxe_enabled: true,
      local_link_connection: {},
      portgroup_uuid: null,
      physical_network: null,
      is_smartnic: false,
      name: null,
      description: null,
      vendor: null,
      category: null,
      available_for_dynamic_portgroup: true,
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: [
        { href: `http://metal.test/v1/ports/${body.uuid}`, rel: 'self' },
        { href: `http://metal.test/ports/${body.uuid}`, rel: 'bookmark' },
      ],
    });
    expect((await front.request(`GET /v1/ports/${body.uuid}`)).body).toEqual(body);
  });

  it.each([
    [{}, 'address'],
    [{ address: 'nope' }, 'address'],
    [{ address: address(1), node_uuid: undefined }, 'node_uuid'],
    [{ address: address(1), node_uuid: '11111111-1111-4111-8111-111111111111' }, 'could not be found'],
    [{ address: address(1), bogus: 1 }, 'bogus'],
    [{ address: address(1), internal_info: {} }, 'internal_info'],
    [{ address: address(1), physical_network: '' }, 'physical_network'],
    [{ address: address(1), physical_network: 'x'.repeat(65) }, 'physical_network'],
    [{ address: address(1), local_link_connection: { switch_id: address(2) } }, 'needs switch_id and port_id'],
    [{ address: address(1), local_link_connection: { switch_id: 'x', port_id: 'p' } }, 'local_link_connection'],
    [{ address: address(1), is_smartnic: true }, 'port_id and hostname'],
    [{ address: address(1), portgroup_uuid: '11111111-1111-4111-8111-111111111111' }, 'Portgroup'],
    [{ address: address(1), name: 'a b' }, 'name'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect((await front.request('GET /v1/ports')).body.ports).toEqual([]);
  });

  it.each([
    [
      { switch_id: '0A:1b:2C:3d:4e:5F', port_id: 'p' },
      { switch_id: '0a:1b:2c:3d:4e:5f', port_id: 'p' },
    ],
    [
      { switch_id: '00112233445566AA', port_id: 'p' },
      { switch_id: '00112233445566aa', port_id: 'p' },
    ],
    [
      { port_id: 'p', hostname: 'h' },
      { port_id: 'p', hostname: 'h' },
    ],
    [{ network_type: 'unmanaged' }, { network_type: 'unmanaged' }],
  ])('takes local_link_connection %j', async (given, stored) => {
    const { body } = await create({ address: address(1), local_link_connection: given });
    expect(body.local_link_connection).toEqual(stored);
  });

  it.each([
    ['name', 'eth0', 88],
    ['description', 'x', 97],
    ['vendor', 'x', 100],
    ['category', 'x', 101],
    ['physical_network', 'x', 34],
    ['pxe_enabled', true, 19],
    ['is_smartnic', false, 53],
    ['local_link_connection', { network_type: 'unmanaged' }, 64],
  ])('refuses %s with 406 below its version', async (name, value, since) => {
    expect((await create({ address: address(1), [name]: value }, `1.${since - 1}`)).status).toBe(406);
    expect((await create({ address: address(1), [name]: value }, `1.${since}`)).status).toBe(201);
  });

  it('takes a node by name as node_ident from 1.94', async () => {
    const body = { node_uuid: undefined, node_ident: 'n1', address: address(1) };
    expect((await create(body, '1.93')).status).toBe(406);
    expect((await create(body, '1.94')).body.node_uuid).toBe(node);
  });

  it.each([
    [{ address: address(1) }, { address: address(1).toUpperCase() }],
    [
      { address: address(1), name: 'eth0' },
      { address: address(2), name: 'eth0' },
    ],
    [
      { address: address(1), uuid: '11111111-1111-4111-8111-111111111111' },
      { address: address(2), uuid: '11111111-1111-4111-8111-111111111111' },
    ],
  ])('answers 409 when a value of %j is taken', async (first, second) => {
    expect((await create(first)).status).toBe(201);
    expect((await create(second)).status).toBe(409);
  });

  it('has one winner among many that want one address', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, async () => create({ address: address(1) })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  });

  it('waits for nobody: a locked node answers 409', async () => {
    await front.force(node, { reservation: 'run-1' });
    expect((await create({ address: address(1) })).status).toBe(409);
  });
});

describe('finding ports', () => {
  it('by UUID, by name from 1.88, never by address', async () => {
    const { uuid } = await add(1, { name: 'eth0' });
    expect((await front.request(`GET /v1/ports/${uuid.toUpperCase()}?fields=address`)).body).toEqual({
      address: address(1),
      links: expect.any(Array),
    });
    expect((await front.request('GET /v1/ports/eth0')).body.uuid).toBe(uuid);
    expect((await front.request('GET /v1/ports/eth0', { version: '1.87' })).status).toBe(404);
    expect((await front.request(`GET /v1/ports/${address(1)}`)).status).toBe(400);
    expect((await front.request('GET /v1/ports/nope')).status).toBe(404);
  });

  it('in lists, briefly or whole', async () => {
    await add(1);
    expect(Object.keys((await front.request('GET /v1/ports')).body.ports[0])).toEqual(['uuid', 'address', 'links']);
    for (const line of ['/v1/ports/detail', '/v1/ports?detail=true', '/v1/nodes/n1/ports/detail']) {
      expect((await front.request(`GET ${line}`)).body.ports[0]).toMatchObject({ node_uuid: node, extra: {} });
    }
  });

  it('by filters', async () => {
    const second = await front.enrol({ name: 'n2', shard: 's', conductor_group: 'east' });
    await add(1, { description: 'left card' });
    await add(2);
    await add(3, { node_uuid: second.uuid });
    expect(await addresses('/v1/ports')).toEqual([address(1), address(2), address(3)]);
    expect(await addresses('/v1/ports?node=n1')).toEqual([address(1), address(2)]);
    expect(await addresses(`/v1/ports?node_uuid=${second.uuid}`)).toEqual([address(3)]);
    expect(await addresses('/v1/nodes/n2/ports')).toEqual([address(3)]);
    expect(await addresses(`/v1/ports?address=${address(2).toUpperCase()}`)).toEqual([address(2)]);
    expect(await addresses(`/v1/ports?node=n2&address=${address(2)}`)).toEqual([]);
    expect(await addresses('/v1/ports?shard=s')).toEqual([address(3)]);
    expect(await addresses('/v1/ports?conductor_groups=EAST,west')).toEqual([address(3)]);
    expect(await addresses('/v1/ports?description_contains=left')).toEqual([address(1)]);
  });

  it.each([
    ['/v1/ports?node=nobody', 404],
    ['/v1/ports?node=n1&shard=s', 403],
    ['/v1/ports?conductor_groups=a&node=n1', 400],
    ['/v1/ports?portgroup=11111111-1111-4111-8111-111111111111', 404],
    ['/v1/ports?address=nope', 400],
    ['/v1/ports?fields=nope', 400],
    ['/v1/ports?bogus=1', 400],
    ['/v1/ports?marker=11111111-1111-4111-8111-111111111111', 404],
    ['/v1/nodes/nobody/ports', 404],
  ])('answers %s with %i', async (line, status) => {
    expect((await front.request(`GET ${line}`)).status).toBe(status);
  });

  it.each(['/v1/ports', '/v1/nodes/n1/ports', '/v1/ports/detail'])('page by page in %s', async (path) => {
    for (let n = 1; n <= 7; n += 1) await add(n);
    const seen: string[] = [];
    let line: string | undefined = `${path}?limit=3`;
    while (line) {
      const { body } = await front.request(`GET ${line}`);
      seen.push(...(body.ports as { address: string }[]).map((port) => port.address));
      line = body.next?.replace('http://metal.test', '').replace(node, 'n1');
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].map(address));
    expect(await addresses(`${path}?sort_key=address&sort_dir=desc&limit=2`)).toEqual([address(7), address(6)]);
  });
});

describe('patching a port', () => {
  it('changes what it names and keeps guards in step', async () => {
    const { uuid } = await add(1, { name: 'eth0' });
    const { status, body } = await patch(uuid, [
      set('/address', address(9).toUpperCase()),
      set('/name', 'eth1'),
      set('/extra/a', 1),
      { op: 'remove', path: '/pxe_enabled' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ address: address(9), name: 'eth1', extra: { a: 1 }, pxe_enabled: true });
    expect((await front.request('GET /v1/ports/eth0')).status).toBe(404);
    expect((await create({ address: address(1), name: 'eth0' })).status).toBe(201);
    expect((await patch(uuid, [set('/address', address(1))])).status).toBe(409);
  });

  it.each([
    [[set('/bogus', 1)], 400],
    [[set('/uuid', 'x')], 400],
    [[set('/internal_info', {})], 400],
    [[{ op: 'remove', path: '/address' }], 400],
    [[set('/address', 'nope')], 400],
    [[set('/is_smartnic', true)], 400],
    [[set('/node_uuid', '11111111-1111-4111-8111-111111111111')], 400],
  ])('refuses %j with %i', async (body, status) => {
    const { uuid } = await add(1);
    expect((await patch(uuid, body)).status).toBe(status);
  });

  it('refuses a field that is too new with 406', async () => {
    const { uuid } = await add(1);
    expect((await patch(uuid, [set('/category', 'x')], '1.100')).status).toBe(406);
  });

  it.each<[string, unknown, Partial<StoredNode>, number]>([
    ['/address', address(9), { provision_state: 'active' }, 409],
    ['/address', address(9), { instance_uuid: '11111111-1111-4111-8111-111111111111' }, 409],
    ['/address', address(9), { provision_state: 'active', maintenance: true }, 200],
    ['/address', address(9), { provision_state: 'available' }, 200],
    ['/pxe_enabled', false, { provision_state: 'available' }, 409],
    ['/pxe_enabled', true, { provision_state: 'available' }, 200],
    ['/pxe_enabled', false, { provision_state: 'manageable' }, 200],
    ['/pxe_enabled', false, { provision_state: 'active', maintenance: true }, 200],
    ['/physical_network', 'x', { provision_state: 'active' }, 409],
    ['/local_link_connection', { network_type: 'unmanaged' }, { provision_state: 'active' }, 409],
    ['/extra/x', 1, { provision_state: 'active' }, 200],
    ['/extra/x', 1, { provision_state: 'inspecting' }, 409],
    ['/extra/x', 1, { reservation: 'run-1' }, 409],
  ])('%s to %j on a node with %j answers %i', async (path, value, state, status) => {
    const { uuid } = await add(1);
    await front.force(node, state);
    expect((await patch(uuid, [set(path, value)])).status).toBe(status);
  });

  it('moves it to another node of the same owner', async () => {
    const target = await front.enrol({ name: 'n2' });
    const foreign = await front.enrol({ owner: 'p1' });
    const { uuid } = await add(1, { name: 'eth0' });
    expect((await patch(uuid, [set('/node_uuid', foreign.uuid)])).status).toBe(400);
    expect((await patch(uuid, [set('/node_uuid', target.uuid)])).body.node_uuid).toBe(target.uuid);
    expect(await addresses('/v1/nodes/n1/ports')).toEqual([]);
    expect(await addresses('/v1/nodes/n2/ports')).toEqual([address(1)]);
    expect((await front.request('GET /v1/ports/eth0')).body.node_uuid).toBe(target.uuid);
    expect((await front.request(`DELETE /v1/nodes/${node}`)).status).toBe(204);
    expect((await front.request('GET /v1/ports/eth0')).status).toBe(200);
  });

  it('never loses a concurrent one', async () => {
    const { uuid } = await add(1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => patch(uuid, [set(`/extra/k${n}`, n)])),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await front.request(`GET /v1/ports/${uuid}`)).body.extra)).toHaveLength(10);
  });
});

describe('deleting a port', () => {
  it('frees its values', async () => {
    const { uuid } = await add(1, { name: 'eth0' });
    expect((await front.request('DELETE /v1/ports/eth0')).status).toBe(204);
    expect((await front.request(`GET /v1/ports/${uuid}`)).status).toBe(404);
    expect((await create({ address: address(1), name: 'eth0' })).status).toBe(201);
  });

  it('is refused with 409 on a locked node', async () => {
    const { uuid } = await add(1);
    await front.force(node, { reservation: 'run-1' });
    expect((await front.request(`DELETE /v1/ports/${uuid}`)).status).toBe(409);
  });

  it('is refused with 409 while a VIF is attached, unless in maintenance', async () => {
    const { uuid } = await add(1);
    const item = front.platform.table.items().find(({ sk }) => sk === `port#${uuid}`)!;
    await front.platform.table.write([{ put: { ...item, internal_info: { tenant_vif_port_id: 'vif-1' } } }]);
    expect((await front.request(`DELETE /v1/ports/${uuid}`)).status).toBe(409);
    await front.force(node, { maintenance: true });
    expect((await front.request(`DELETE /v1/ports/${uuid}`)).status).toBe(204);
  });
});

describe('the ports of a group', () => {
  const refusal = (group: string, network: string, of: string) =>
    `Port with physical network ${network} cannot become a member of port group ${group} which has ports in physical network ${of}.`;
  const addGroup = async () =>
    ((await front.request('POST /v1/portgroups', { body: { node_uuid: node } })).body as { uuid: string }).uuid;

  it('are in one physical network, whichever way they get there', async () => {
    const group = await addGroup();
    await add(1, { portgroup_uuid: group, physical_network: 'net-1' });
    const second = await create({ address: address(2), portgroup_uuid: group, physical_network: 'net-2' });
    expect([second.status, second.error]).toEqual([409, refusal(group, 'net-2', 'net-1')]);
    const none = await create({ address: address(2), portgroup_uuid: group });
    expect([none.status, none.error]).toEqual([409, refusal(group, 'None', 'net-1')]);
    const { uuid } = await add(2, { physical_network: 'net-2' });
    const joined = await patch(uuid, [set('/portgroup_uuid', group)]);
    expect([joined.status, joined.error]).toEqual([409, refusal(group, 'net-2', 'net-1')]);
    const both = await patch(uuid, [set('/portgroup_uuid', group), set('/physical_network', 'net-1')]);
    expect(both.status).toBe(200);
    // From 1.102 on nobody changes it while the port is in the group.
    const moved = await patch(uuid, [set('/physical_network', 'net-3')], '1.101');
    expect([moved.status, moved.error]).toEqual([409, refusal(group, 'net-3', 'net-1')]);
    expect((await patch(uuid, [set('/extra/a', 1)])).status).toBe(200);
  });

  it('may be in another one with the only port of the group, and in another group', async () => {
    const group = await addGroup();
    const { uuid } = await add(1, { portgroup_uuid: group, physical_network: 'net-1' });
    expect((await patch(uuid, [set('/physical_network', 'net-2')], '1.101')).status).toBe(200);
    await add(2, { portgroup_uuid: await addGroup(), physical_network: 'net-9' });
    await add(3, { portgroup_uuid: group, physical_network: 'net-2' });
  });
});
