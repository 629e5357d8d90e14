/** GET /v1/nodes (ironic-api.md 1.5, 2.3). */
import { beforeEach, describe, expect, it } from 'vitest';

import { createFront } from '../front.ts';

type Front = ReturnType<typeof createFront>;
const instance = '11111111-1111-4111-8111-111111111111';

describe('the node list', () => {
  let front: Front;
  const names = async (query: string, version = 'latest') => {
    const { body, status, error } = await front.request(`GET /v1/nodes${query}`, { version });
    if (status !== 200) throw new Error(`${status}: ${error}`);
    return (body.nodes as { name: string }[]).map(({ name }) => name);
  };
  const statusOf = async (query: string, version = 'latest') =>
    (await front.request(`GET /v1/nodes${query}`, { version })).status;

  beforeEach(async () => {
    front = createFront();
    await front.enrol({ name: 'a', owner: 'p1', resource_class: 'big', description: 'rack 1' });
    await front.enrol({ name: 'b', lessee: 'p1', driver: 'redfish', conductor_group: 'East' });
    const { uuid } = await front.enrol({ name: 'c', instance_uuid: instance, shard: 's1', instance_name: 'web' });
    await front.force(uuid, { provision_state: 'active', fault: 'power failure', maintenance: true });
    await front.enrol({ name: 'd', parent_node: 'a', owner: 'p1', shard: 's2', retired: true });
  });

  it('has the brief form, by version', async () => {
    const { body } = await front.request('GET /v1/nodes?limit=1');
    expect(Object.keys(body.nodes[0])).toEqual([
      'uuid',
      'name',
      'instance_uuid',
      'power_state',
      'provision_state',
      'maintenance',
      'links',
    ]);
    const old = await front.request('GET /v1/nodes?limit=1', { version: '1.4' });
    expect(old.body.nodes[0]).not.toHaveProperty('name');
  });

  it('has whole nodes at /detail and with detail=true', async () => {
    await front.request('PATCH /v1/nodes/a', { body: [{ op: 'add', path: '/instance_info/x', value: 1 }] });
    for (const path of ['/v1/nodes/detail', '/v1/nodes?detail=True']) {
      const { body } = await front.request(`GET ${path}`);
      expect(body.nodes[0]).toMatchObject({
        driver: 'fake-hardware',
        instance_info: { x: 1 },
        conductor: 'ingot',
      });
    }
    expect((await front.request('GET /v1/nodes/detail?fields=uuid')).status).toBe(400);
    expect(await statusOf('?detail=true&fields=uuid')).toBe(400);
    expect(await statusOf('?detail=maybe')).toBe(400);
  });

  it.each([
    ['', ['a', 'b', 'c']],
    ['?include_children=true', ['a', 'b', 'c', 'd']],
    ['?provision_state=enroll', ['a', 'b']],
    ['?provision_state=active', ['c']],
    ['?associated=true', ['c']],
    ['?associated=no', ['a', 'b']],
    ['?maintenance=1', ['c']],
    ['?driver=redfish', ['b']],
    ['?resource_class=big', ['a']],
    ['?fault=power%20failure', ['c']],
    ['?conductor_group=EAST', ['b']],
    ['?conductor=ingot', ['a', 'b', 'c']],
    ['?conductor=other', []],
    ['?owner=p1', ['a']],
    ['?lessee=p1', ['b']],
    ['?project=p1', ['a', 'b']],
    ['?description_contains=rack', ['a']],
    ['?retired=true&include_children=true', ['d']],
    ['?shard=s1,s2', ['c']],
    ['?shard=s1,s2&include_children=yes', ['c', 'd']],
    ['?sharded=false', ['a', 'b']],
    ['?instance_name=web', ['c']],
    [`?instance_uuid=${instance}`, ['c']],
    [`?instance_uuid=${instance}&maintenance=false`, []],
    ['?instance_uuid=22222222-2222-4222-8222-222222222222', []],
    ['?owner=p1&resource_class=big', ['a']],
    ['?owner=p1&resource_class=small', []],
  ])('filters by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('shows the children of a node when asked for them', async () => {
    const { body } = await front.request('GET /v1/nodes/a');
    expect(await names(`?parent_node=${body.uuid}`)).toEqual(['d']);
  });

  it.each([
    ['?provision_state=nowhere', 400],
    ['?fault=none', 400],
    ['?associated=perhaps', 400],
    ['?instance_uuid=nope', 400],
    ['?chassis_uuid=22222222-2222-4222-8222-222222222222', 404],
    ['?limit=0', 400],
    ['?limit=-1', 400],
    ['?limit=x', 400],
    ['?sort_dir=up', 400],
    ['?sort_key=driver_info', 400],
    ['?sort_key=traits', 400],
    ['?sort_key=links', 400],
    ['?sort_key=nope', 400],
    ['?fields=nope', 400],
    ['?marker=22222222-2222-4222-8222-222222222222', 404],
    ['?marker=22222222-2222-4222-8222-222222222222&sort_key=name', 404],
  ])('answers %s with %i', async (query, status) => {
    expect(await statusOf(query)).toBe(status);
  });

  it.each([
    ['?fields=uuid', 7, 8],
    ['?fields=shard', 81, 82],
    ['?sort_key=shard', 81, 82],
    ['?provision_state=enroll', 8, 9],
    ['?driver=redfish', 15, 16],
    ['?resource_class=x', 20, 21],
    ['?fault=power%20failure', 41, 42],
    ['?conductor_group=x', 45, 46],
    ['?conductor=x', 48, 49],
    ['?owner=x', 49, 50],
    ['?lessee=x', 64, 65],
    ['?shard=x', 81, 82],
    ['?sharded=true', 81, 82],
    ['?include_children=true', 82, 83],
    ['?parent_node=x', 82, 83],
    ['?instance_name=x', 103, 104],
  ])('answers %s with 406 at 1.%i and takes it at 1.%i', async (query, before, since) => {
    expect(await statusOf(query, `1.${before}`)).toBe(406);
    expect(await statusOf(query, `1.${since}`)).toBe(200);
  });

  it('shows the fields that are asked for, and links', async () => {
    const { body } = await front.request('GET /v1/nodes?fields=%20UUID,name&fields=driver,name&limit=1');
    expect(Object.keys(body.nodes[0]).toSorted()).toEqual(['driver', 'links', 'name', 'uuid']);
  });

  it('reads instance_info only where it is asked for, and masks it', async () => {
    const info = [{ op: 'add', path: '/instance_info', value: { image_url: 'http://u', admin_password: 'p', n: 1 } }];
    await front.request('PATCH /v1/nodes/a', { body: info });
    const { body } = await front.request('GET /v1/nodes?fields=instance_info&limit=1');
    expect(body.nodes[0].instance_info).toEqual({ image_url: '******', admin_password: '******', n: 1 });
  });
});

describe('pages', () => {
  const count = 60;
  const front = createFront();
  const walk = async (query: string) => {
    const seen: string[] = [];
    let line: string | undefined = `/v1/nodes?${query}`;
    for (let page = 0; line && page < 100; page += 1) {
      const { body } = await front.request(`GET ${line}`);
      seen.push(...(body.nodes as { name: string }[]).map(({ name }) => name));
      line = body.next?.replace('http://metal.test', '');
    }
    return seen;
  };
  const all = Array.from({ length: count }, (_, n) => `n${String(n).padStart(3, '0')}`);

  beforeEach(async () => {
    if (front.platform.table.items().length > 0) return;
    for (const [n, name] of all.entries()) {
      await front.enrol({ name, owner: n % 3 === 0 ? 'p1' : 'p2', description: n % 2 === 0 ? 'even' : 'odd' });
    }
  });

  it.each([1, 7, 10, 59, 60, 1000, 5000])('of %i go through all nodes in the order of creation', async (limit) => {
    expect(await walk(`limit=${limit}`)).toEqual(all);
  });

  it('go backwards', async () => {
    expect(await walk('limit=7&sort_dir=desc')).toEqual(all.toReversed());
  });

  it('keep the filters, whether they have an index or not', async () => {
    const thirds = all.filter((_, n) => n % 3 === 0);
    expect(await walk('limit=4&owner=p1')).toEqual(thirds);
    expect(await walk('limit=4&description_contains=odd')).toEqual(all.filter((_, n) => n % 2 === 1));
    expect(await walk('limit=4&owner=p1&description_contains=odd&fields=name')).toEqual(
      all.filter((_, n) => n % 6 === 3),
    );
  });

  it('are sorted by another key with ties in the order of creation', async () => {
    const evenFirst = [...all.filter((_, n) => n % 2 === 0), ...all.filter((_, n) => n % 2 === 1)];
    expect(await walk('limit=9&sort_key=description')).toEqual(evenFirst);
    expect(await walk('limit=9&sort_key=name&sort_dir=desc')).toEqual(all.toReversed());
  });

  it('have a next link only when full', async () => {
    const next = async (query: string) => (await front.request(`GET /v1/nodes?${query}`)).body.next as unknown;
    expect(await next('limit=59')).toMatch(/^http:\/\/metal\.test\/v1\/nodes\?limit=59&marker=[0-9a-f-]{36}$/);
    expect(await next('limit=60')).toBeDefined();
    expect(await next('limit=61')).toBeUndefined();
    expect(await next('owner=nobody&limit=1')).toBeUndefined();
  });

  it('of the detail list stay in it', async () => {
    const { body } = await front.request('GET /v1/nodes/detail?limit=2');
    expect(body.next).toContain('/v1/nodes/detail?limit=2&marker=');
  });
});
