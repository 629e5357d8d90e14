/** /v1/shards (ironic-api.md 9). */
import { expect, it } from 'vitest';

import { createFront } from './front.ts';

it('are there from 1.82, also in /v1', async () => {
  const { request } = createFront();
  expect((await request('GET /v1/shards', { version: '1.81' })).status).toBe(404);
  expect((await request('GET /v1/shards', { version: '1.82' })).body).toEqual({ shards: [] });
  expect((await request('GET /v1', { version: '1.81' })).body).not.toHaveProperty('shards');
  expect((await request('GET /v1', { version: '1.82' })).body).toHaveProperty('shards');
  expect((await request('POST /v1/shards', { body: {} })).status).toBe(405);
  expect((await request('GET /v1/shards/a')).status).toBe(404);
  expect((await request('GET /v1/shards?detail=true')).status).toBe(400);
});

it('are told with their nodes, the largest first; nodes in none count under "None"', async () => {
  const { request, enrol } = createFront();
  const some = await enrol({ shard: 'b' });
  for (const shard of ['b', 'a', null, null, null]) await enrol({ shard });
  await enrol({ shard: 'c', parent_node: some.uuid });
  const shards = async () => (await request('GET /v1/shards')).body.shards as object[];
  expect(await shards()).toEqual([
    { name: 'None', count: 3 },
    { name: 'b', count: 2 },
    { name: 'a', count: 1 },
    { name: 'c', count: 1 },
  ]);
  await request(`PATCH /v1/nodes/${some.uuid}`, { body: [{ op: 'replace', path: '/shard', value: 'c' }] });
  expect((await shards()).slice(1)).toEqual([
    { name: 'c', count: 2 },
    { name: 'a', count: 1 },
    { name: 'b', count: 1 },
  ]);
});

it('counts more nodes than one query reads', async () => {
  const { request, enrol } = createFront();
  await Promise.all(Array.from({ length: 300 }, async (_, n) => enrol({ shard: `s${n % 2}` })));
  expect((await request('GET /v1/shards')).body.shards).toEqual([
    { name: 's0', count: 150 },
    { name: 's1', count: 150 },
  ]);
});

it('are for those who see the whole fleet', async () => {
  const { request } = createFront();
  const ask = async (scope: string) =>
    (await request('GET /v1/shards', { subject: { user: 'u', project: 'p', roles: 'reader', scope } })).status;
  expect([await ask('system'), await ask('project')]).toEqual([200, 403]);
});
