/** /v1/volume and what nodes have of it (ironic-api.md 7). */
import { beforeEach, describe, expect, it } from 'vitest';

import { openParts } from '../../../layers/bmc/sealed-parts.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createFront } from './front.ts';

const absent = '11111111-1111-4111-8111-111111111111';
const set = (path: string, value: unknown) => ({ op: 'add', path, value });
const body = {
  connectors: (n: number) => ({ type: 'iqn', connector_id: `iqn.2026-01.test:${n}` }),
  targets: (n: number) => ({ volume_type: 'iscsi', boot_index: n, volume_id: `vol-${n}` }),
};
type Collection = keyof typeof body;
const collections = Object.keys(body) as Collection[];
const summary = {
  connectors: ['uuid', 'type', 'connector_id', 'node_uuid', 'links'],
  targets: ['uuid', 'volume_type', 'boot_index', 'volume_id', 'node_uuid', 'links'],
};
const label = { connectors: 'Volume connector', targets: 'Volume target' };

let front: ReturnType<typeof createFront>;
let node: string;

const create = async (collection: Collection, values: object, version = 'latest') =>
  front.request(`POST /v1/volume/${collection}`, { version, body: { node_uuid: node, ...values } });
const add = async (collection: Collection, n: number, values: object = {}) => {
  const answer = await create(collection, { ...body[collection](n), ...values });
  if (answer.status !== 201) throw new Error(answer.error);
  return answer.body as { uuid: string };
};
const uuids = async (collection: Collection, line: string) =>
  ((await front.request(`GET ${line}`)).body[collection] as { uuid: string }[]).map(({ uuid }) => uuid);

beforeEach(async () => {
  front = createFront();
  node = (await front.enrol({ name: 'n1' })).uuid;
  await front.force(node, { power_state: 'power off' });
});

it('is there from 1.32 with every method, also in /v1', async () => {
  const connector = await add('connectors', 1);
  const target = await add('targets', 1);
  const patch = [set('/extra/a', 1)];
  for (const [line, values] of [
    ['GET /v1/volume'],
    ['GET /v1/nodes/n1/volume'],
    ['GET /v1/volume/connectors'],
    ['GET /v1/volume/targets'],
    ['GET /v1/nodes/n1/volume/connectors'],
    ['GET /v1/nodes/n1/volume/targets'],
    ['POST /v1/volume/connectors', { node_uuid: node, ...body.connectors(2) }],
    ['POST /v1/volume/targets', { node_uuid: node, ...body.targets(2) }],
    [`GET /v1/volume/connectors/${connector.uuid}`],
    [`GET /v1/volume/targets/${target.uuid}`],
    [`PATCH /v1/volume/connectors/${connector.uuid}`, patch],
    [`PATCH /v1/volume/targets/${target.uuid}`, patch],
    [`DELETE /v1/volume/connectors/${connector.uuid}`],
    [`DELETE /v1/volume/targets/${target.uuid}`],
  ] as [string, unknown?][]) {
    expect([line, (await front.request(line, { version: '1.31', body: values })).status]).toEqual([line, 404]);
    const { status } = await front.request(line, { version: '1.32', body: values });
    expect([line, status < 300]).toEqual([line, true]);
  }
  expect((await front.request('GET /v1', { version: '1.31' })).body).not.toHaveProperty('volume');
  expect((await front.request('GET /v1', { version: '1.32' })).body).toHaveProperty('volume');
  expect((await front.request('PUT /v1/volume/targets', { body: {} })).status).toBe(405);
});

it.each([
  ['/v1/volume', () => 'volume'],
  ['/v1/nodes/n1/volume', () => `nodes/${node}/volume`],
])('links to both collections at %s', async (line, place) => {
  const links = (id: string) => [
    { href: `http://metal.test/v1/${place()}/${id}`, rel: 'self' },
    { href: `http://metal.test/${place()}/${id}`, rel: 'bookmark' },
  ];
  expect((await front.request(`GET ${line}`)).body).toEqual({
    links: links(''),
    connectors: links('connectors'),
    targets: links('targets'),
  });
});

describe.each(collections)('volume %s', (collection) => {
  const path = `/v1/volume/${collection}`;

  it('are created with what they need; the rest has defaults', async () => {
    const { status, body: made, headers } = await create(collection, body[collection](1));
    expect([status, headers['Location']]).toEqual([201, `http://metal.test${path}/${made.uuid}`]);
    expect(made).toEqual({
      uuid: made.uuid,
      node_uuid: node,
      ...body[collection](1),
      ...(collection === 'targets' && { properties: {} }),
      extra: {},
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: [
        { href: `http://metal.test${path}/${made.uuid}`, rel: 'self' },
        { href: `http://metal.test/volume/${collection}/${made.uuid}`, rel: 'bookmark' },
      ],
    });
    expect((await front.request(`GET ${path}/${made.uuid.toUpperCase()}`)).body).toEqual(made);
    expect((await front.request(`GET ${path}/${made.uuid}?fields=node_uuid`)).body).toEqual({
      node_uuid: node,
      links: made.links,
    });
  });

  it.each([
    [{ node_uuid: undefined }, 'node_uuid'],
    [{ node_uuid: absent }, 'could not be found'],
    [{ node_uuid: 5 }, 'node_uuid'],
    [{ bogus: 1 }, 'bogus'],
    [{ uuid: 'nope' }, 'uuid'],
    [{ extra: 1 }, 'extra'],
    [{ type: '', volume_type: '' }, 'type'],
    [{ type: 1, volume_type: 1 }, 'type'],
    [{ connector_id: 'a\u0000b', volume_id: 'a\u0000b' }, '_id'],
    [{ connector_id: '\ud800', volume_id: '\ud800' }, '_id'],
    [{ connector_id: 'x'.repeat(256), volume_id: 'x'.repeat(256) }, '_id'],
    [{ connector_id: undefined, volume_id: undefined }, '_id'],
    [{ created_at: '2026-01-01T00:00:00+00:00' }, 'created_at'],
  ])('refuse %j with 400', async (wrong, why) => {
    const known = { ...body[collection](1), node_uuid: 0, bogus: 0, uuid: 0, extra: 0, created_at: 0 };
    const values = Object.fromEntries(Object.entries(wrong).filter(([name]) => Object.hasOwn(known, name)));
    const { status, error } = await create(collection, { ...body[collection](1), ...values });
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(await uuids(collection, path)).toEqual([]);
  });

  it('answer 409 when the UUID is taken', async () => {
    expect((await create(collection, { ...body[collection](1), uuid: absent })).status).toBe(201);
    expect((await create(collection, { ...body[collection](2), uuid: absent })).status).toBe(409);
  });

  it('have one winner among many that want one place', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, async () => create(collection, body[collection](1))));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it.each([
    [`${path}/${absent}`, 404],
    [`${path}/nope`, 400],
    [`${path}?node=nobody`, 404],
    [`${path}?fields=nope`, 400],
    [`${path}?fields=uuid&detail=true`, 400],
    [`${path}?bogus=1`, 400],
    [`${path}?limit=0`, 400],
    [`${path}?sort_key=extra`, 400],
    [`${path}?marker=${absent}`, 404],
    [`${path}/detail`, 400],
    [`/v1/nodes/nobody/volume/${collection}`, 404],
  ])('answer %s with %i', async (line, status) => {
    expect((await front.request(`GET ${line}`)).status).toBe(status);
  });

  it('are listed briefly or whole, of all nodes or of one', async () => {
    const other = await front.enrol({ name: 'n2' });
    const [first, second] = [await add(collection, 1), await add(collection, 2, { node_uuid: other.uuid })];
    expect(await uuids(collection, path)).toEqual([first.uuid, second.uuid]);
    for (const line of [`${path}?node=n2`, `${path}?node=${other.uuid}`, `/v1/nodes/n2/volume/${collection}`]) {
      expect(await uuids(collection, line)).toEqual([second.uuid]);
    }
    const keys = async (query: string) =>
      Object.keys((await front.request(`GET ${path}${query}`, { version: '1.32' })).body[collection][0]);
    expect((await keys('')).toSorted()).toEqual(summary[collection].toSorted());
    expect(await keys('?detail=True')).toEqual(Object.keys(first));
    expect(await keys('?fields=extra')).toEqual(['extra', 'links']);
  });

  it.each([path, `/v1/nodes/n1/volume/${collection}`])('come page by page at %s', async (line) => {
    const made: string[] = [];
    for (let n = 1; n <= 5; n += 1) made.push((await add(collection, n)).uuid);
    const seen: string[] = [];
    let next: string | undefined = `${line}?limit=2`;
    while (next) {
      const { body: answer } = await front.request(`GET ${next}`);
      seen.push(...(answer[collection] as { uuid: string }[]).map(({ uuid }) => uuid));
      next = answer.next?.replace('http://metal.test', '');
    }
    expect(seen).toEqual(made);
    const id = collection === 'connectors' ? 'connector_id' : 'volume_id';
    expect(await uuids(collection, `${line}?sort_key=${id}&sort_dir=desc&limit=2`)).toEqual([made[4], made[3]]);
  });

  it('are patched, and counted as changed', async () => {
    const { uuid } = await add(collection, 1);
    const { status, body: after } = await front.request(`PATCH ${path}/${uuid}`, {
      body: [...Object.entries(body[collection](7)).map(([name, value]) => set(`/${name}`, value)), set('/extra/a', 1)],
    });
    expect([status, after]).toEqual([200, expect.objectContaining({ ...body[collection](7), extra: { a: 1 } })]);
    expect(after.updated_at).not.toBeNull();
    await add(collection, 1);
    const back = Object.entries(body[collection](1)).map(([name, value]) => set(`/${name}`, value));
    expect((await front.request(`PATCH ${path}/${uuid}`, { body: back })).status).toBe(409);
  });

  it.each([
    [[set('/bogus', 1)]],
    [[set('/uuid', absent)]],
    [[set('/created_at', 'x')]],
    [[{ op: 'remove', path: '/node_uuid' }]],
    [[set('/node_uuid', absent)]],
    [[set('/extra', 'x')]],
    [[{ op: 'replace', path: '/extra/none', value: 1 }]],
    [[{ op: 'move', path: '/extra' }]],
    [{}],
  ])('refuse the patch %j with 400', async (patch) => {
    const { uuid } = await add(collection, 1);
    expect((await front.request(`PATCH ${path}/${uuid}`, { body: patch })).status).toBe(400);
  });

  it.each<[Partial<StoredNode>, number, number]>([
    [{ power_state: 'power off', provision_state: 'active' }, 200, 204],
    [{ power_state: 'power on', provision_state: 'active' }, 400, 400],
    [{ power_state: null, provision_state: 'active' }, 400, 400],
    [{ power_state: 'power on', provision_state: 'available' }, 400, 400],
    [{ power_state: null, provision_state: 'available' }, 400, 400],
    [{ power_state: 'power on', provision_state: 'enroll' }, 400, 204],
    [{ power_state: 'power on', provision_state: 'manageable' }, 400, 204],
    [{ power_state: 'power on', provision_state: 'adopt failed' }, 400, 204],
    [{ power_state: 'power off', reservation: 'run-1' }, 409, 409],
  ])('of a node with %j answer PATCH with %i and DELETE with %i', async (state, patched, deleted) => {
    const { uuid } = await add(collection, 1);
    await front.force(node, state);
    const patch = { body: [set('/extra/a', 1)] };
    expect((await front.request(`PATCH ${path}/${uuid}`, patch)).status).toBe(patched);
    expect((await front.request(`DELETE ${path}/${uuid}`)).status).toBe(deleted);
    expect((await front.request(`GET ${path}/${uuid}`)).status).toBe(deleted === 204 ? 404 : 200);
  });

  it("of a machine that is on are refused in Ironic's words", async () => {
    const { uuid } = await add(collection, 1);
    await front.force(node, { power_state: 'power on', provision_state: 'available' });
    const what = label[collection].toLowerCase();
    const refusal = (doing: string) =>
      `The requested action "${what} ${doing}" can not be performed on node "${node}" while it is in state "power on".`;
    const { error } = await front.request(`PATCH ${path}/${uuid}`, { body: [set('/extra/a', 1)] });
    expect(error).toBe(refusal('update'));
    expect((await front.request(`DELETE ${path}/${uuid}`)).error).toBe(refusal('deletion'));
  });

  it('of a locked node are not added to', async () => {
    await front.force(node, { reservation: 'run-1' });
    expect((await create(collection, body[collection](1))).status).toBe(409);
  });

  it('free their place when they are deleted, or with their node', async () => {
    const { uuid } = await add(collection, 1);
    expect((await front.request(`DELETE ${path}/${uuid}`)).status).toBe(204);
    await add(collection, 1, { uuid });
    await front.request('DELETE /v1/nodes/n1');
    expect((await front.request(`GET ${path}/${uuid}`)).status).toBe(404);
    node = (await front.enrol()).uuid;
    expect((await create(collection, { ...body[collection](1), uuid })).status).toBe(201);
  });

  it('move to another node of the same owner', async () => {
    const [same, foreign] = [await front.enrol(), await front.enrol({ owner: 'p1' })];
    const { uuid } = await add(collection, 1);
    const move = async (to: string) =>
      (await front.request(`PATCH ${path}/${uuid}`, { body: [set('/node_uuid', to)] })).status;
    expect([await move(foreign.uuid), await move(same.uuid)]).toEqual([400, 200]);
    expect(await uuids(collection, `${path}?node=n1`)).toEqual([]);
    expect(await uuids(collection, `${path}?node=${same.uuid}`)).toEqual([uuid]);
    expect((await create(collection, body[collection](1))).status).toBe(collection === 'connectors' ? 409 : 201);
  });

  it('never lose a concurrent patch', async () => {
    const { uuid } = await add(collection, 1);
    await Promise.all(
      [1, 2, 3, 4].map(async (n) => front.request(`PATCH ${path}/${uuid}`, { body: [set(`/extra/k${n}`, n)] })),
    );
    expect((await front.request(`GET ${path}/${uuid}`)).body.extra).toEqual({ k1: 1, k2: 2, k3: 3, k4: 4 });
  });

  it('are concealed, in the words of what is not there, from who may not see the node', async () => {
    const { uuid } = await add(collection, 1);
    await front.force(node, { owner: 'p1', lessee: 'p2' });
    const ask = async (method: string, project: string, roles: string, values?: unknown) => {
      const subject = { user: 'u', project, roles, scope: 'project' };
      return front.request(`${method} ${path}/${uuid}`, { subject, body: values });
    };
    const hidden = await ask('GET', 'p3', 'admin');
    expect([hidden.status, hidden.error]).toEqual([404, `${label[collection]} ${uuid} could not be found.`]);
    expect((await front.request(`GET ${path}/${absent}`)).error).toBe(
      `${label[collection]} ${absent} could not be found.`,
    );
    expect((await ask('GET', 'p2', 'reader')).status).toBe(200);
    expect((await ask('PATCH', 'p2', 'member', [set('/extra/a', 1)])).status).toBe(403);
    expect((await ask('PATCH', 'p1', 'member', [set('/extra/a', 1)])).status).toBe(200);
    expect((await ask('DELETE', 'p1', 'member')).status).toBe(403);
    expect((await ask('DELETE', 'p2', 'manager')).status).toBe(204);
  });
});

it('keeps connectors unique by type and id together, wherever they are', async () => {
  const other = (await front.enrol()).uuid;
  const at = async (values: object) => (await create('connectors', values)).status;
  expect(await at({ type: 'ip', connector_id: 'a' })).toBe(201);
  expect(await at({ type: 'iqn', connector_id: 'a' })).toBe(201);
  expect(await at({ type: 'ip', connector_id: 'a', node_uuid: other })).toBe(409);
  expect(await at({ type: 'x', connector_id: 'y#z' })).toBe(201);
  expect(await at({ type: 'x#y', connector_id: 'z' })).toBe(201);
});

it('keeps boot indexes unique for their node, as whole numbers', async () => {
  const other = (await front.enrol()).uuid;
  await add('targets', 0);
  expect((await create('targets', { ...body.targets(0), volume_id: 'else' })).status).toBe(409);
  expect((await create('targets', { ...body.targets(0), node_uuid: other })).status).toBe(201);
  for (const boot_index of ['0', 1.5, null, undefined]) {
    expect((await create('targets', { ...body.targets(1), boot_index })).status).toBe(400);
  }
});

describe('properties of a target', () => {
  const properties = { target_iqn: 'iqn.test', auth_password: 'hunter2', paths: [{ auth_password: 'hunter3' }] };
  const masked = { target_iqn: 'iqn.test', auth_password: '******', paths: [{ auth_password: '******' }] };
  const sealed = (uuid: string) =>
    front.platform.table.items().find(({ sk }) => sk === `volume_target#${uuid}`)!['properties'];
  const stored = async (uuid: string) =>
    openParts(front.platform.opener, 'volume_property', sealed(uuid), () => undefined);

  it('show no secret, and keep it when its mask comes back', async () => {
    const made = await create('targets', { ...body.targets(0), properties });
    expect(made.body.properties).toEqual(masked);
    const line = `/v1/volume/targets/${made.body.uuid}`;
    const back = { ...masked, target_iqn: 'other' };
    expect((await front.request(`PATCH ${line}`, { body: [set('/properties', back)] })).body.properties).toEqual(back);
    expect(await stored(made.body.uuid)).toEqual({ ...properties, target_iqn: 'other' });
    await front.request(`PATCH ${line}`, { body: [set('/properties/auth_password', 'new')] });
    expect(await stored(made.body.uuid)).toMatchObject({ auth_password: 'new', paths: [{ auth_password: 'hunter3' }] });
    expect(JSON.stringify(front.platform.table.items())).not.toMatch(/hunter|"new"/);
    for (const list of ['/v1/volume/targets?detail=true', '/v1/nodes/n1/volume/targets?fields=properties']) {
      expect(JSON.stringify((await front.request(`GET ${list}`)).body)).not.toMatch(/hunter|new/);
    }
  });

  it('are redacted for project members who are no admins', async () => {
    const { uuid } = await add('targets', 0, { properties });
    await front.force(node, { owner: 'p1' });
    const shown = async (roles: string, line: string) => {
      const { body: answer } = await front.request(`GET ${line}`, {
        subject: { user: 'u', project: 'p1', roles, scope: 'project' },
      });
      return (answer.targets?.[0] ?? answer).properties as object;
    };
    for (const line of [`/v1/volume/targets/${uuid}`, '/v1/nodes/n1/volume/targets?detail=true']) {
      expect(await shown('admin', line)).toEqual(masked);
      expect(Object.keys(await shown('member', line))).toEqual(['redacted_contents']);
    }
  });
});
