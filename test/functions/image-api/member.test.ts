/** Members beyond what Glance's own walk shows. */
import { expect, it } from 'vitest';

import { most } from '../../../layers/domain/image/image.ts';
import { bob, createFront, root, tenant } from './front.ts';

it('a member sees itself among the members, and nobody else', async () => {
  const { request, make } = createFront();
  const at = `/v2/images/${await make()}/members`;
  for (const member of ['blue', 'green']) await request(`POST ${at}`, { body: { member } });
  const seen = async (subject?: Record<string, string>) => {
    const { members } = (await request(`GET ${at}`, subject && { subject })).body as {
      members: { member_id: string }[];
    };
    return members.map(({ member_id: id }) => id);
  };
  expect([await seen(), await seen(bob), await seen(tenant('g', 'green'))]).toEqual([
    ['blue', 'green'],
    ['blue'],
    ['green'],
  ]);
  expect((await request(`GET ${at}/green`, { subject: bob })).status).toBe(404);
});

it('an offer is in the lists of its project once it has accepted it, until it is withdrawn', async () => {
  const { request, make } = createFront();
  const id = await make();
  const lists = async (query = '') =>
    ((await request(`GET /v2/images${query}`, { subject: bob })).body.images as object[]).length;
  await request(`POST /v2/images/${id}/members`, { body: { member: 'blue' } });
  expect([await lists(), await lists('?member_status=pending')]).toEqual([0, 1]);
  await request(`PUT /v2/images/${id}/members/blue`, { body: { status: 'accepted' }, subject: bob });
  expect([await lists(), await lists('?sort=name:asc'), await lists('?member_status=pending')]).toEqual([1, 1, 0]);
  await request(`PATCH /v2/images/${id}`, { body: [{ op: 'replace', path: '/visibility', value: 'private' }] });
  expect([await lists(), (await request(`GET /v2/images/${id}`, { subject: bob })).status]).toEqual([0, 404]);
  await request(`PATCH /v2/images/${id}`, { body: [{ op: 'replace', path: '/visibility', value: 'shared' }] });
  expect(await lists()).toBe(1);
  await request(`DELETE /v2/images/${id}/members/blue`);
  expect([await lists(), await lists('?member_status=all')]).toEqual([0, 0]);
});

it('an image has so many members at most, and goes with all of them', async () => {
  const { request, make } = createFront();
  const id = await make();
  const offer = async (member: string) => (await request(`POST /v2/images/${id}/members`, { body: { member } })).status;
  for (let count = 0; count < most.members; count += 1) expect(await offer(`p${count}`)).toBe(200);
  expect(await offer('late')).toBe(413);
  expect((await request(`DELETE /v2/images/${id}`)).status).toBe(204);
});

it.each(['__proto__', 'a b', 'x'.repeat(256), 5, null, { id: 'x' }])('%j is no project', async (member) => {
  const { request, make } = createFront();
  expect((await request(`POST /v2/images/${await make()}/members`, { body: { member } })).status).toBe(400);
});

it('administrators see every image, but what the community of others shares only when they ask for it', async () => {
  const { request, make } = createFront();
  await make({ name: 'mine' });
  await make({ name: 'ours', visibility: 'community' });
  const names = async (query: string) =>
    ((await request(`GET /v2/images${query}`, { subject: root })).body.images as { name: string }[]).map(
      ({ name }) => name,
    );
  expect([await names(''), await names('?visibility=all'), await names('?visibility=community')]).toEqual([
    ['mine'],
    ['ours', 'mine'],
    ['ours'],
  ]);
});
