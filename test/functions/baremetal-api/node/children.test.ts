/** /v1/nodes/{ident}/children (ironic-api.md 2.1). */
import { beforeEach, expect, it } from 'vitest';

import { createFront } from '../front.ts';

let front: ReturnType<typeof createFront>;
let parent: string;
const path = 'GET /v1/nodes/chassis/children';

beforeEach(async () => {
  front = createFront();
  parent = (await front.enrol({ name: 'chassis' })).uuid;
});

it('are there from 1.83', async () => {
  expect((await front.request(path, { version: '1.82' })).status).toBe(404);
  expect((await front.request(path, { version: '1.83' })).status).toBe(200);
  expect((await front.request('POST /v1/nodes/chassis/children', { body: {} })).status).toBe(405);
  expect((await front.request(`${path}?detail=true`)).status).toBe(400);
  expect((await front.request('GET /v1/nodes/nobody/children')).status).toBe(404);
});

it('are told by their UUIDs, in the order of creation', async () => {
  const links = { href: `http://metal.test/v1/nodes/${parent}/children`, rel: 'self' };
  expect((await front.request(path)).body).toEqual({ children: [], links });
  const first = await front.enrol({ parent_node: parent });
  await front.enrol({ name: 'stranger' });
  const second = await front.enrol({ parent_node: 'chassis' });
  expect((await front.request(path)).body).toEqual({ children: [first.uuid, second.uuid], links });
  await front.request(`PATCH /v1/nodes/${first.uuid}`, { body: [{ op: 'remove', path: '/parent_node' }] });
  expect((await front.request(path)).body.children).toEqual([second.uuid]);
});

it('are those that the caller may see', async () => {
  const [own, foreign] = [await front.enrol({ parent_node: parent }), await front.enrol({ parent_node: parent })];
  const subject = { user: 'u', project: 'p1', roles: 'reader', scope: 'project' };
  expect((await front.request(path, { subject })).status).toBe(404);
  await front.force(parent, { lessee: 'p1' });
  await front.force(own.uuid, { owner: 'p1' });
  await front.force(foreign.uuid, { owner: 'p2' });
  expect((await front.request(path, { subject })).body.children).toEqual([own.uuid]);
});
