/** /v1/chassis (ironic-api.md 5), and the chassis_uuid of nodes. */
import { beforeEach, describe, expect, it } from 'vitest';

import { createFront } from './front.ts';

const other = '22222222-2222-4222-8222-222222222222';
const set = (path: string, value: unknown) => ({ op: 'add', path, value });

let front: ReturnType<typeof createFront>;

const create = async (body: object = {}) => front.request('POST /v1/chassis', { body });
const add = async (body: object = {}) => (await create(body)).body.uuid as string;
const patch = async (uuid: string, body: unknown) => front.request(`PATCH /v1/chassis/${uuid}`, { body });
const uuids = async (line: string, name = 'chassis') =>
  ((await front.request(`GET ${line}`)).body[name] as { uuid: string }[]).map(({ uuid }) => uuid);

beforeEach(() => {
  front = createFront();
});

describe('creating a chassis', () => {
  it('needs nothing; a UUID is made', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test/v1/chassis/${body.uuid}`);
    expect(body).toEqual({
      uuid: body.uuid,
      description: null,
      extra: {},
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: [
        { href: `http://metal.test/v1/chassis/${body.uuid}`, rel: 'self' },
        { href: `http://metal.test/chassis/${body.uuid}`, rel: 'bookmark' },
      ],
      nodes: [
        [
          { href: `http://metal.test/v1/chassis/${body.uuid}/nodes`, rel: 'self' },
          { href: `http://metal.test/chassis/${body.uuid}/nodes`, rel: 'bookmark' },
        ],
      ],
    });
    expect((await front.request(`GET /v1/chassis/${body.uuid}`)).body).toEqual(body);
  });

  it('works at the oldest version, as everything here does', async () => {
    const made = await front.request('POST /v1/chassis', { body: { description: 'row 3' }, version: '1.1' });
    expect([made.status, made.body.description]).toEqual([201, 'row 3']);
    expect((await front.request('GET /v1', { version: '1.1' })).body).toHaveProperty('chassis');
  });

  it.each([
    [{ uuid: 'x' }, 'uuid'],
    [{ description: 'x'.repeat(256) }, 'description'],
    [{ description: 1 }, 'description'],
    [{ extra: [] }, 'extra'],
    [{ bogus: 1 }, 'bogus'],
    [{ nodes: [] }, 'nodes'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(await uuids('/v1/chassis')).toEqual([]);
  });

  it('has one winner among many that want one UUID', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, async () => create({ uuid: other.toUpperCase() })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(await uuids('/v1/chassis')).toEqual([other]);
  });
});

describe('finding chassis', () => {
  it('by UUID only', async () => {
    const uuid = await add({ description: 'd' });
    expect((await front.request(`GET /v1/chassis/${uuid.toUpperCase()}?fields=description`)).body).toEqual({
      description: 'd',
      links: expect.any(Array),
    });
    expect(await front.request(`GET /v1/chassis/${other}`)).toMatchObject({
      status: 404,
      error: `Chassis ${other} could not be found.`,
    });
    expect((await front.request('GET /v1/chassis/c1')).status).toBe(400);
  });

  it('in lists, briefly, by fields or whole', async () => {
    await add({ description: 'd' });
    const first = async (line: string) => (await front.request(`GET ${line}`)).body.chassis[0] as object;
    expect(Object.keys(await first('/v1/chassis'))).toEqual(['uuid', 'description', 'links']);
    expect(Object.keys(await first('/v1/chassis?fields=extra'))).toEqual(['extra', 'links']);
    expect(await first('/v1/chassis/detail')).toHaveProperty('nodes');
    expect(await first('/v1/chassis?detail=true')).toHaveProperty('nodes');
  });

  it.each(['/v1/chassis', '/v1/chassis/detail'])('page by page in %s', async (path) => {
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.push(await add({ description: `d${9 - n}` }));
    const seen: string[] = [];
    let line: string | undefined = `${path}?limit=3`;
    while (line) {
      const { body } = await front.request(`GET ${line}`);
      seen.push(...(body.chassis as { uuid: string }[]).map(({ uuid }) => uuid));
      line = body.next?.replace('http://metal.test', '');
    }
    expect(seen).toEqual(made);
    expect(await uuids(`${path}?sort_key=description&limit=2`)).toEqual([made[6], made[5]]);
    expect(await uuids(`${path}?sort_dir=desc&limit=1`)).toEqual([made[6]]);
  });

  it.each([
    ['/v1/chassis?bogus=1', 'latest', 400],
    ['/v1/chassis?limit=0', 'latest', 400],
    ['/v1/chassis?sort_key=extra', 'latest', 400],
    [`/v1/chassis?marker=${other}`, 'latest', 404],
    ['/v1/chassis?marker=x', 'latest', 404],
    ['/v1/chassis?fields=nope', 'latest', 400],
    ['/v1/chassis?fields=uuid', '1.7', 406],
    ['/v1/chassis?fields=uuid', '1.8', 200],
    ['/v1/chassis?detail=true', '1.42', 400],
    ['/v1/chassis?detail=true', '1.43', 200],
    ['/v1/chassis?detail=true&fields=uuid', 'latest', 400],
    [`/v1/chassis/${other}/nodes`, 'latest', 404],
    ['/v1/chassis/x/nodes/detail', 'latest', 400],
    ['/v1/chassis/x/y', 'latest', 404],
  ])('answers %s at %s with %i', async (line, version, status) => {
    expect((await front.request(`GET ${line}`, { version })).status).toBe(status);
  });
});

describe('patching a chassis', () => {
  it('changes what it names', async () => {
    const uuid = await add({ description: 'd', extra: { a: 1 } });
    const { status, body } = await patch(uuid, [set('/extra/b', 2), { op: 'remove', path: '/description' }]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ description: null, extra: { a: 1, b: 2 }, updated_at: expect.any(String) });
    expect((await front.request(`GET /v1/chassis/${uuid}`)).body).toEqual(body);
  });

  it.each([
    [[set('/uuid', other)]],
    [[set('/bogus', 1)]],
    [[set('/nodes', [])]],
    [[set('/description', 'x'.repeat(256))]],
    [[{ op: 'move', path: '/extra/a' }]],
    [[{ op: 'remove', path: '/extra/nothing' }]],
    [{}],
  ])('refuses %j with 400', async (body) => {
    const uuid = await add({ description: 'd' });
    expect((await patch(uuid, body)).status).toBe(400);
    expect((await front.request(`GET /v1/chassis/${uuid}`)).body).toMatchObject({ description: 'd', updated_at: null });
  });

  it('never loses a concurrent one', async () => {
    const uuid = await add();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => patch(uuid, [set(`/extra/k${n}`, n)])),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await front.request(`GET /v1/chassis/${uuid}`)).body.extra)).toHaveLength(10);
  });
});

describe('the nodes of a chassis', () => {
  it('refer to one that exists', async () => {
    const uuid = await add();
    const node = await front.enrol({ chassis_uuid: uuid.toUpperCase() });
    expect(node['chassis_uuid']).toBe(uuid);
    const absent = await front.request('POST /v1/nodes', { body: { driver: 'fake-hardware', chassis_uuid: other } });
    expect([absent.status, absent.error]).toEqual([400, `Chassis ${other} could not be found.`]);
    const move = await front.request(`PATCH /v1/nodes/${node.uuid}`, { body: [set('/chassis_uuid', other)] });
    expect(move.status).toBe(400);
  });

  it('are listed below it and by filter, with the filters of nodes', async () => {
    const uuid = await add();
    const one = await front.enrol({ chassis_uuid: uuid });
    const two = await front.enrol({ name: 'n2', resource_class: 'big' });
    await front.request('PATCH /v1/nodes/n2', { body: [set('/chassis_uuid', uuid)] });
    await front.enrol();
    expect(await uuids(`/v1/chassis/${uuid}/nodes`, 'nodes')).toEqual([one.uuid, two.uuid]);
    expect(await uuids(`/v1/nodes?chassis_uuid=${uuid}`, 'nodes')).toEqual([one.uuid, two.uuid]);
    expect(await uuids(`/v1/chassis/${uuid}/nodes/detail?resource_class=big`, 'nodes')).toEqual([two.uuid]);
    const { body } = await front.request(`GET /v1/chassis/${uuid}/nodes?limit=1&maintenance=false`);
    expect(body.nodes[0]).not.toHaveProperty('extra');
    expect(body.next).toBe(`http://metal.test/v1/chassis/${uuid}/nodes?maintenance=false&limit=1&marker=${one.uuid}`);
    expect((await front.request(`GET /v1/nodes?chassis_uuid=${other}`)).status).toBe(404);
    const whole = await front.request(`GET /v1/chassis/${uuid}/nodes/detail`);
    expect(whole.body.nodes[0]).toMatchObject({ chassis_uuid: uuid, extra: {} });
  });

  it('keep it from being deleted, which answers 400', async () => {
    const uuid = await add();
    const { uuid: node } = await front.enrol({ chassis_uuid: uuid });
    const refused = await front.request(`DELETE /v1/chassis/${uuid}`);
    expect([refused.status, refused.error]).toEqual([400, expect.stringContaining(node)]);
    await front.request(`PATCH /v1/nodes/${node}`, { body: [{ op: 'remove', path: '/chassis_uuid' }] });
    expect((await front.request(`DELETE /v1/chassis/${uuid}`)).status).toBe(204);
    expect((await front.request(`GET /v1/chassis/${uuid}`)).status).toBe(404);
    expect((await front.request(`DELETE /v1/chassis/${uuid}`)).status).toBe(404);
  });

  it('never refer to one that was deleted at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const uuid = await add();
      const body = { driver: 'fake-hardware', chassis_uuid: uuid };
      const [made, gone] = await Promise.all([
        front.request('POST /v1/nodes', { body }),
        front.request(`DELETE /v1/chassis/${uuid}`),
      ]);
      expect([
        [201, 400],
        [400, 204],
      ]).toContainEqual([made.status, gone.status]);
    }
  });

  it('that come in between the look for nodes and the deletion win', async () => {
    const uuid = await add();
    const { table } = front.platform;
    let late = true;
    const query: typeof table.query = async (asked) => {
      const found = await table.query(asked);
      if (late) {
        late = false;
        await front.enrol({ chassis_uuid: uuid });
      }
      return found;
    };
    const slow = createFront({}, { ...front.platform, table: { ...table, query } });
    expect((await slow.request(`DELETE /v1/chassis/${uuid}`)).status).toBe(400);
    expect(await uuids('/v1/chassis')).toEqual([uuid]);
  });
});

describe('access to chassis', () => {
  const who = (scope: string, roles: string) => ({ user: 'u', project: scope === 'system' ? '' : 'p', roles, scope });

  it.each([
    ['system admin', who('system', 'admin'), [200, 200, 200, 201, 200, 204]],
    ['system member', who('system', 'member'), [200, 200, 200, 403, 200, 403]],
    ['system reader', who('system', 'reader'), [200, 200, 200, 403, 403, 403]],
    ['project admin', who('project', 'admin'), [403, 403, 403, 403, 403, 403]],
  ])('of a %s', async (_name, subject, expected) => {
    const uuid = await add();
    const lines: [string, unknown?][] = [
      ['GET /v1/chassis'],
      [`GET /v1/chassis/${uuid}`],
      [`GET /v1/chassis/${uuid}/nodes`],
      ['POST /v1/chassis', {}],
      [`PATCH /v1/chassis/${uuid}`, [set('/extra/a', 1)]],
      [`DELETE /v1/chassis/${uuid}`],
    ];
    const answers: number[] = [];
    for (const [line, body] of lines) answers.push((await front.request(line, { subject, body })).status);
    expect(answers).toEqual(expected);
  });
});
