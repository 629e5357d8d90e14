/** /v1/allocations and the allocation of a node (ironic-api.md 8). */
import { describe, expect, it } from 'vitest';

import { createSearches, member } from './searches.ts';

const uuid = '11111111-2222-4333-8444-555555555555';

describe('an allocation', () => {
  it('is there from 1.52: below it GET is 404, and what changes something 405', async () => {
    const { request, wish } = createSearches();
    await wish({ name: 'a' });
    const at = async (line: string, version: string, body?: unknown) =>
      (await request(line, { version, ...(body !== undefined && { body }) })).status;
    expect(await at('GET /v1/allocations', '1.51')).toBe(404);
    expect(await at('GET /v1/allocations', '1.52')).toBe(200);
    expect(await at('GET /v1/allocations/a', '1.51')).toBe(404);
    expect(await at('POST /v1/allocations', '1.51', { resource_class: 'x' })).toBe(405);
    expect(await at('POST /v1/allocations', '1.52', { resource_class: 'x' })).toBe(201);
    expect(await at('PATCH /v1/allocations/a', '1.56', [])).toBe(405);
    expect(await at('PATCH /v1/allocations/a', '1.57', [])).toBe(200);
    expect(await at('DELETE /v1/allocations/a', '1.51')).toBe(405);
    expect(await at('DELETE /v1/allocations/a', '1.52')).toBe(204);
  });

  it('is answered at once as allocating, with the address of its own', async () => {
    const { wish, platform } = createSearches();
    const { status, body, headers } = await wish({ uuid, name: 'web', traits: ['CUSTOM_GPU'], extra: { a: 1 } });
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test/v1/allocations/${uuid}`);
    expect(body).toMatchObject({
      uuid,
      name: 'web',
      state: 'allocating',
      node_uuid: null,
      last_error: null,
      resource_class: 'baremetal',
      traits: ['CUSTOM_GPU'],
      candidate_nodes: [],
      extra: { a: 1 },
      owner: null,
    });
    expect(platform.workflows.started).toEqual([
      { workflow: 'allocate', name: expect.stringContaining(uuid), input: { allocation: uuid } },
    ]);
  });

  it('gets a node of its class; both name each other, and the node has its traits', async () => {
    const { free, allocate, read } = createSearches();
    await free({ resource_class: 'other' });
    const { uuid: node } = await free({ traits: ['CUSTOM_GPU', 'CUSTOM_SSD'] });
    const allocation = await allocate({ traits: ['CUSTOM_GPU'] });
    expect(allocation).toMatchObject({ state: 'active', node_uuid: node, last_error: null });
    expect(await read(node)).toMatchObject({
      instance_uuid: allocation.uuid,
      allocation_uuid: allocation.uuid,
      instance_info: { traits: ['CUSTOM_GPU'] },
    });
  });

  it('is found by name, shows the fields that are asked for, and its owner from 1.60', async () => {
    const { wish, request } = createSearches();
    await wish({ name: 'web', owner: 'p1' });
    const show = async (version: string, query = '') =>
      (await request(`GET /v1/allocations/web${query}`, { version })).body;
    expect(await show('1.59')).not.toHaveProperty('owner');
    expect(await show('1.60')).toMatchObject({ owner: 'p1' });
    expect(Object.keys(await show('1.60', '?fields=name,state'))).toEqual(['name', 'state', 'links']);
    expect((await request('GET /v1/allocations/web?fields=owner', { version: '1.59' })).status).toBe(406);
    expect((await request('GET /v1/allocations/web?fields=x')).status).toBe(400);
  });

  it.each([
    ['GET', 404],
    ['DELETE', 404],
  ])('that does not exist is %s %i', async (method, status) => {
    const { request } = createSearches();
    expect((await request(`${method} /v1/allocations/nobody`)).status).toBe(status);
    expect((await request(`${method} /v1/allocations/${uuid}`)).error).toBe(`Allocation ${uuid} could not be found.`);
    expect((await request(`${method} /v1/allocations/a%20b`)).status).toBe(400);
  });

  it('changes its name and extra, and nothing else', async () => {
    const { wish, request } = createSearches();
    await wish({ name: 'a' });
    const patch = async (path: string, value: unknown) =>
      request('PATCH /v1/allocations/a', { body: [{ op: 'replace', path, value }] });
    for (const path of ['/resource_class', '/state', '/node_uuid', '/owner', '/traits'])
      expect([path, (await patch(path, 'x')).status]).toEqual([path, 400]);
    expect((await patch('/owner', 'x')).error).toContain('Only the following can be updated: extra, name.');
    expect((await patch('/extra', { b: 2 })).body).toMatchObject({ extra: { b: 2 } });
    expect((await patch('/name', 'b')).body).toMatchObject({ name: 'b' });
    expect((await request('GET /v1/allocations/a')).status).toBe(404);
    await wish({ name: 'a' });
    expect((await patch('/name', 'b')).status).toBe(409);
  });
});

describe('a wish is refused', () => {
  it.each([
    ['without a resource class', { resource_class: null }, 'resource_class'],
    ['with a class that is too long', { resource_class: 'x'.repeat(81) }, 'resource_class'],
    ['with what is no trait', { traits: ['gpu'] }, 'traits.0'],
    ['with a candidate that does not exist', { candidate_nodes: ['nobody'] }, 'Node nobody could not be found'],
    ['with a name that is none', { name: 'a b' }, 'name'],
    ['with a UUID as its name', { name: uuid }, 'name'],
    ['with a node that does not exist', { node: 'nobody' }, 'Node nobody could not be found'],
    ['with a node that is no text', { node: 7 }, 'node'],
    ['with a field that is not settable', { state: 'active' }, 'state'],
    ['with an unknown field', { color: 'red' }, 'color'],
  ])('%s', async (_what, body, says) => {
    const { wish, request } = createSearches();
    const { status, error } = await wish(body);
    expect([status, error]).toEqual([400, expect.stringContaining(says)]);
    expect((await request('GET /v1/allocations')).body).toEqual({ allocations: [] });
  });

  it('with a field that is newer than the version asked for', async () => {
    const { wish } = createSearches();
    expect((await wish({ owner: 'p' }, { version: '1.59' })).status).toBe(406);
    expect((await wish({ node: 'n' }, { version: '1.57' })).status).toBe(400);
  });

  it('if its UUID or name is taken, also if a node has its UUID as instance_uuid', async () => {
    const { wish, store } = createSearches();
    await wish({ uuid, name: 'a' });
    expect(await wish({ uuid })).toMatchObject({ status: 409, error: expect.stringContaining(uuid) });
    expect(await wish({ name: 'a' })).toMatchObject({ status: 409, error: expect.stringContaining('name a') });
    const { instance_uuid: instance } = await store({ instance_uuid: '99999999-2222-4333-8444-555555555555' });
    expect((await wish({ uuid: instance })).status).toBe(409);
  });
});

describe('candidates', () => {
  it('are named by UUID or name and stored as UUIDs, each once and in order', async () => {
    const { free, wish } = createSearches();
    const a = await free({ name: 'a' });
    const b = await free({ name: 'b' });
    const { body } = await wish({ candidate_nodes: ['b', a.uuid, b.uuid] });
    expect(body.candidate_nodes).toEqual([b.uuid, a.uuid]);
  });

  it('are the only ones that are taken', async () => {
    const { free, allocate } = createSearches();
    for (let n = 0; n < 10; n += 1) await free();
    const { uuid: node } = await free({ name: 'mine' });
    expect(await allocate({ candidate_nodes: ['mine'] })).toMatchObject({ state: 'active', node_uuid: node });
    const second = await allocate({ candidate_nodes: ['mine'] });
    expect(second).toMatchObject({
      state: 'error',
      last_error: expect.stringContaining('1 named node was looked at; 0 av'),
    });
  });

  it('have a favourite: the node with the name of the allocation', async () => {
    const { free, allocate } = createSearches();
    for (let n = 0; n < 30; n += 1) await free();
    const { uuid: node } = await free({ name: 'web' });
    expect(await allocate({ name: 'web' })).toMatchObject({ node_uuid: node });
  });
});

describe('a search that finds nothing', () => {
  it('says how many nodes met which wish', async () => {
    const { free, allocate } = createSearches();
    await free({ owner: 'p1' });
    await free({ lessee: 'p1', traits: ['CUSTOM_A'] });
    await free();
    const {
      state,
      last_error: reason,
      node_uuid: node,
    } = await allocate({
      owner: 'p1',
      traits: ['CUSTOM_A', 'CUSTOM_B'],
    });
    expect([state, node]).toEqual(['error', null]);
    expect(reason).toContain(
      '3 available, with a known power state, without an instance and not in maintenance; of these 3 of resource class "baremetal"; of these 2 owned or leased by project p1; of these 0 with the traits CUSTOM_A, CUSTOM_B.',
    );
  });

  it.each([
    ['in maintenance', { maintenance: true }],
    ['not available', { provision_state: 'manageable' }],
    ['in use', { instance_uuid: uuid }],
    ['of unknown power state', { power_state: null }],
    ['of another class', { resource_class: 'other' }],
  ] as const)('does not take a node that is %s, also if it is named', async (_what, values) => {
    const { free, allocate } = createSearches();
    const { uuid: node } = await free(values);
    expect(await allocate()).toMatchObject({ state: 'error', node_uuid: null });
    expect(await allocate({ candidate_nodes: [node] })).toMatchObject({ state: 'error', node_uuid: null });
  });

  it('says so if no node at all has the class', async () => {
    const { free, allocate } = createSearches();
    await free({ resource_class: 'bare-metal', provision_state: 'active' });
    expect((await allocate()).last_error).toContain('No node at all has resource class "baremetal".');
    expect((await allocate({ resource_class: 'bare-metal' })).last_error).not.toContain('No node at all');
  });
});

describe('the list', () => {
  const filled = async () => {
    const searches = createSearches();
    const node = await searches.free({ name: 'n1', owner: 'p1' });
    const active = await searches.allocate({ name: 'a', owner: 'p1' });
    await searches.wish({ name: 'b', owner: 'p2' });
    await searches.wish({ name: 'c', resource_class: 'gold' });
    const names = async (query: string, options = {}) => {
      const { status, body } = await searches.request(`GET /v1/allocations${query}`, options);
      return status === 200 ? (body.allocations as { name: string }[]).map(({ name }) => name) : status;
    };
    return { ...searches, node, active, names };
  };

  it.each([
    ['', ['a', 'b', 'c']],
    ['?state=active', ['a']],
    ['?state=allocating', ['b', 'c']],
    ['?state=busy', 400],
    ['?resource_class=gold', ['c']],
    ['?resource_class=none', []],
    ['?owner=p2', ['b']],
    ['?owner=p2&resource_class=gold', []],
    ['?node=n1', ['a']],
    ['?node=n1&state=error', []],
    ['?node=n2', 404],
    ['?limit=1', ['a']],
    ['?sort_key=name&sort_dir=desc', ['c', 'b', 'a']],
    ['?sort_key=traits', 400],
    ['?detail=true', 400],
  ])('%s shows %j', async (query, expected) => {
    const { names } = await filled();
    expect(await names(query)).toEqual(expected);
  });

  it('is paged with its filters', async () => {
    const { request, names, active } = await filled();
    const { body } = await request('GET /v1/allocations?limit=1&resource_class=baremetal');
    expect(body.next).toContain(`marker=${active.uuid}`);
    expect(await names(`?limit=1&resource_class=baremetal&marker=${active.uuid}`)).toEqual(['b']);
    expect(await names('?marker=11111111-2222-4333-8444-000000000000')).toBe(404);
  });

  it('is asked for by owner from 1.60', async () => {
    const { names } = await filled();
    expect(await names('?owner=p1', { version: '1.59' })).toBe(406);
    expect(await names('?owner=p1', { version: '1.60' })).toEqual(['a']);
  });

  it('shows a project what is its own', async () => {
    const { names } = await filled();
    const subject = member('p1', 'reader');
    expect(await names('', { subject })).toEqual(['a']);
    expect(await names('?owner=p1', { subject })).toEqual(['a']);
    expect(await names('?owner=p2', { subject })).toBe(403);
    expect(await names('?state=allocating', { subject })).toEqual([]);
    expect(await names('', { subject: member('p3') })).toEqual([]);
    expect(await names('', { subject: member('') })).toBe(403);
    expect(await names('?node=n1', { subject: member('p3') })).toBe(404);
  });
});

describe('a project', () => {
  it('gets allocations of its own, also below 1.60, and names no other owner', async () => {
    const { wish, show } = createSearches();
    const { body } = await wish({ name: 'a' }, { subject: member('p1'), version: '1.52' });
    expect(body).not.toHaveProperty('owner');
    expect(await show('a')).toMatchObject({ owner: 'p1' });
    expect(await wish({ owner: 'p2' }, { subject: member('p1') })).toMatchObject({
      status: 403,
      error: expect.stringContaining('baremetal:allocation:create_restricted'),
    });
    expect((await wish({ owner: 'p1' }, { subject: member('p1') })).status).toBe(201);
    expect((await wish({}, { subject: member('p1', 'reader') })).status).toBe(403);
  });

  it('gets only nodes that it owns or leases', async () => {
    const { free, wish, search, show } = createSearches();
    await free();
    await free({ owner: 'p2' });
    const mine = [await free({ owner: 'p1' }), await free({ lessee: 'p1' })].map(({ uuid: id }) => id);
    for (const name of ['a', 'b', 'c']) await wish({ name }, { subject: member('p1') });
    await search();
    const found = await Promise.all(['a', 'b', 'c'].map(show));
    expect(new Set(found.map(({ node_uuid: node }) => node))).toEqual(new Set([...mine, null]));
    expect(found.filter(({ state }) => state === 'error')).toHaveLength(1);
  });

  it('can name no candidate and no node that it does not see', async () => {
    const { free, wish } = createSearches();
    const { uuid: hidden } = await free({ owner: 'p2' });
    for (const body of [{ candidate_nodes: [hidden] }, { node: hidden }])
      expect(await wish(body, { subject: member('p1') })).toMatchObject({
        status: 400,
        error: `Node ${hidden} could not be found.`,
      });
  });

  it('sees, changes and deletes its own; others are not there for it', async () => {
    const { wish, request } = createSearches();
    await wish({ name: 'a', owner: 'p1' });
    const at = async (method: string, subject: Record<string, string>) =>
      (await request(`${method} /v1/allocations/a`, { subject, ...(method === 'PATCH' && { body: [] }) })).status;
    for (const method of ['GET', 'PATCH', 'DELETE']) expect(await at(method, member('p2'))).toBe(404);
    expect(await at('GET', member('p1', 'reader'))).toBe(200);
    expect(await at('PATCH', member('p1', 'reader'))).toBe(403);
    expect(await at('DELETE', member('p1', 'reader'))).toBe(403);
    expect(await at('PATCH', member('p1'))).toBe(200);
    expect(await at('DELETE', member('p1'))).toBe(204);
  });
});

describe('an allocation for a node in use', () => {
  it('is active at once, takes the class of the node and its instance_uuid as UUID', async () => {
    const { store, wish, read, platform } = createSearches();
    const node = await store({ provision_state: 'active', instance_uuid: uuid, resource_class: 'gold', name: 'n1' });
    const { status, body } = await wish({ node: 'n1', resource_class: null, name: 'old' });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ uuid, state: 'active', node_uuid: node.uuid, resource_class: 'gold', name: 'old' }),
    ]);
    expect(await read(node.uuid)).toMatchObject({ allocation_uuid: uuid, instance_uuid: uuid });
    expect(platform.workflows.started).toEqual([]);
  });

  it('gives the node an instance_uuid if it has none', async () => {
    const { store, wish, read } = createSearches();
    const node = await store({ provision_state: 'active', resource_class: 'baremetal' });
    const { body } = await wish({ node: node.uuid });
    expect(await read(node.uuid)).toMatchObject({ allocation_uuid: body.uuid, instance_uuid: body.uuid });
  });

  it.each([
    ['that is not active', { provision_state: 'available' }, {}, 'it must be active'],
    ['of another class', { resource_class: 'gold' }, {}, 'resource class is gold'],
    ['without a class', { resource_class: null }, {}, 'resource class is not set'],
    ['without the traits', {}, { traits: ['CUSTOM_A'] }, 'CUSTOM_A'],
    ['with another instance', { instance_uuid: uuid }, { uuid: uuid.replace('1', '2') }, 'instance_uuid'],
    ['with an allocation', { allocation_uuid: uuid, instance_uuid: uuid }, {}, `it has allocation ${uuid}`],
    ['that is locked', { reservation: 'r-1' }, {}, 'locked'],
  ] as const)('is refused on a node %s, and nothing is stored', async (_what, values, body, says) => {
    const { store, wish, read, request } = createSearches();
    const stored = { provision_state: 'active', resource_class: 'baremetal', ...values } as const;
    const node = await store(stored);
    expect(await wish({ node: node.uuid, ...body })).toMatchObject({
      status: 409,
      error: expect.stringContaining(says),
    });
    expect(await read(node.uuid)).toMatchObject({ revision: 1 });
    expect((await request('GET /v1/allocations')).body.allocations).toEqual([]);
  });

  it('is refused if the UUID or the name is taken', async () => {
    const { store, wish, read } = createSearches();
    const node = await store({ provision_state: 'active', resource_class: 'baremetal' });
    await wish({ uuid, name: 'a' });
    expect(await wish({ node: node.uuid, uuid })).toMatchObject({ status: 409, error: expect.stringContaining(uuid) });
    expect((await wish({ node: node.uuid, name: 'a' })).status).toBe(409);
    expect(await read(node.uuid)).toMatchObject({ allocation_uuid: null });
  });
});

describe('the allocation of a node', () => {
  it('stands below the node from 1.52', async () => {
    const { free, allocate, request } = createSearches();
    const { uuid: node } = await free({ name: 'n1' });
    const path = '/v1/nodes/n1/allocation';
    expect(await request(`GET ${path}`)).toMatchObject({ status: 404, error: 'Allocation for node n1 was not found.' });
    expect((await request(`DELETE ${path}`)).status).toBe(404);
    const { uuid: id } = await allocate();
    expect((await request(`GET ${path}`, { version: '1.52' })).body).toMatchObject({ uuid: id, node_uuid: node });
    expect((await request(`GET ${path}?fields=uuid`)).body).not.toHaveProperty('state');
    for (const method of ['GET', 'DELETE'])
      expect((await request(`${method} ${path}`, { version: '1.51' })).status).toBe(404);
    expect((await request('GET /v1/nodes/n2/allocation')).status).toBe(404);
    expect((await request(`DELETE ${path}`, { version: '1.52' })).status).toBe(204);
    expect((await request(`GET /v1/allocations/${id}`)).status).toBe(404);
  });

  it('is for its owner: who only sees the node may not touch it, who does not see it finds nothing', async () => {
    const { free, allocate, request } = createSearches();
    await free({ name: 'n1', owner: 'p1', lessee: 'p2' });
    await allocate({ owner: 'p2' });
    const at = async (method: string, project: string, roles?: string) =>
      (await request(`${method} /v1/nodes/n1/allocation`, { subject: member(project, roles) })).status;
    expect(await at('GET', 'p1')).toBe(403);
    expect(await at('DELETE', 'p1')).toBe(403);
    expect(await at('GET', 'p3')).toBe(404);
    expect(await at('GET', 'p2', 'reader')).toBe(200);
    expect(await at('DELETE', 'p2', 'reader')).toBe(403);
    expect(await at('DELETE', 'p2')).toBe(204);
  });
});
