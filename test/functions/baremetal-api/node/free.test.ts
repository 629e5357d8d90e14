/** Free nodes as schedulers ask for them: what is read is what is shown, however large the fleet is. */
import { beforeAll, describe, expect, it } from 'vitest';

import { createFront } from '../front.ts';

type Front = ReturnType<typeof createFront>;
let front: Front;
/** Items that were read of nodes, and entries that were looked at. */
let read: { nodes: number; entries: number };

const enrolMany = async (count: number, values: object, set: Parameters<Front['force']>[1]) => {
  for (let n = 0; n < count; n += 1) await front.force((await front.enrol({ ...values })).uuid, set);
};
const available = { provision_state: 'available', power_state: 'power off' } as const;

beforeAll(async () => {
  front = createFront();
  await enrolMany(60, { resource_class: 'gold' }, { provision_state: 'active' });
  await enrolMany(60, { resource_class: 'gold' }, { ...available, maintenance: true });
  await enrolMany(60, { resource_class: 'silver' }, available);
  await enrolMany(3, { resource_class: 'gold', conductor_group: 'west' }, available);
  await enrolMany(2, { resource_class: 'Gold' }, available);
  await enrolMany(2, {}, available);
  const { table } = front.platform;
  const { getMany, query } = table;
  table.getMany = async (keys, options) => {
    read.nodes += keys.length;
    return getMany(keys, options);
  };
  table.query = async (options) => {
    const items = await query(options);
    read.entries += items.length;
    return items;
  };
});

const free = 'provision_state=available&associated=false&maintenance=false';
const ask = async (query: string) => {
  read = { nodes: 0, entries: 0 };
  const { status, body, error } = await front.request(`GET /v1/nodes?fields=uuid,traits,properties&${query}`);
  expect([status, error]).toEqual([200, '']);
  return { found: body.nodes.length as number, ...read };
};

describe('a list by placement_class', () => {
  it('reads only nodes that have such a class', async () => {
    expect(await ask('placement_class=CUSTOM_SILVER&limit=10')).toMatchObject({ found: 10, nodes: 10 });
    expect(await ask('placement_class=CUSTOM_BRONZE')).toEqual({ found: 0, nodes: 0, entries: 0 });
  });
});

describe('a list of free nodes', () => {
  it.each([
    ['placement_class=CUSTOM_GOLD', 5],
    ['resource_class=gold', 3],
    ['placement_class=CUSTOM_GOLD&conductor_group=west', 3],
    ['placement_class=CUSTOM_GOLD&conductor_group=', 2],
    ['conductor_group=west', 3],
    ['placement_class=CUSTOM_BRONZE', 0],
    ['placement_class=CUSTOM_SILVER&limit=10', 10],
    ['limit=20', 20],
  ])('by %s reads no node that is not', async (query, found) => {
    const all = await ask(`${free}&${query}`);
    expect(all.found).toBe(found);
    // Of the two classes that Placement takes for one, both are looked at.
    expect(all.nodes).toBeLessThanOrEqual(Math.max(found, query.startsWith('resource_class') ? 5 : found));
    expect(all.entries).toBeLessThan(70);
  });

  it('shows the same as without the index, and goes on from page to page', async () => {
    const uuids = async (query: string) =>
      ((await front.request(`GET /v1/nodes?${query}`)).body.nodes as { uuid: string }[]).map(({ uuid }) => uuid);
    // `false` spelled otherwise is no other value; a filter less is another list.
    const whole = await uuids(`${free}&placement_class=CUSTOM_SILVER`);
    expect(await uuids('resource_class=silver&provision_state=available')).toEqual(whole);
    expect(await uuids('provision_state=available&associated=No&maintenance=0&resource_class=silver')).toEqual(whole);
    const paged: string[] = [];
    for (let marker = ''; ;) {
      const page = await uuids(`${free}&placement_class=CUSTOM_SILVER&limit=25${marker}`);
      paged.push(...page);
      if (page.length < 25) break;
      marker = `&marker=${page.at(-1)}`;
    }
    expect(paged).toEqual(whole);
    expect((await uuids(`${free}&placement_class=CUSTOM_SILVER&sort_dir=desc`)).toReversed()).toEqual(whole);
  });

  it('loses a node that is taken', async () => {
    const { body } = await front.request(`GET /v1/nodes?${free}&placement_class=CUSTOM_GOLD&conductor_group=west`);
    const { uuid } = body.nodes[0] as { uuid: string };
    const claim = [{ op: 'add', path: '/instance_uuid', value: '11111111-1111-4111-8111-111111111111' }];
    expect(await front.request(`PATCH /v1/nodes/${uuid}`, { body: claim })).toMatchObject({ status: 200 });
    expect(await ask(`${free}&placement_class=CUSTOM_GOLD&conductor_group=west`)).toMatchObject({ found: 2, nodes: 2 });
  });
});

it('the filter placement_class is none of older microversions, and takes any text', async () => {
  const path = 'GET /v1/nodes?placement_class=CUSTOM_GOLD';
  expect((await front.request(path, { version: '1.20' })).status).toBe(406);
  expect((await front.request(path, { version: '1.21' })).body.nodes).toHaveLength(125);
  expect((await front.request('GET /v1/nodes?placement_class=x')).body.nodes).toEqual([]);
});
