/** Server groups (compute-api.md 7), through the front door. */
import { describe, expect, it } from 'vitest';

import { removeServer } from '../../../layers/store/servers.ts';
import { createCloud } from './cloud.ts';
import { ann, bob, createFront, root, tenant } from './front.ts';

const at = '/v2.1/os-server-groups';
const apart = { server_group: { name: 'web', policy: 'anti-affinity' } };

const withGroup = async () => {
  const cloud = await createCloud();
  const { body } = await cloud.request(`POST ${at}`, { body: apart });
  const id = body.server_group.id as string;
  const members = async () => (await cloud.request(`GET ${at}/${id}`)).body.server_group.members as string[];
  return { ...cloud, id, members };
};

describe('a server group', () => {
  it('has one policy and rules from 2.64 on', async () => {
    const { request } = createFront();
    const { status, body } = await request(`POST ${at}`, { body: apart });
    expect(status).toBe(200);
    const group = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'web',
      policy: 'anti-affinity',
      rules: {},
      members: [],
      project_id: 'red',
      user_id: 'ann',
    };
    expect(body).toEqual({ server_group: group });
    expect((await request(`GET ${at}/${body.server_group.id}`)).body).toEqual({ server_group: group });
    expect((await request(`GET ${at}`)).body).toEqual({ server_groups: [group] });
  });

  it('has a list of one policy and metadata until 2.63, and tells whose it is from 2.13 on', async () => {
    const { request } = createFront();
    const body = { server_group: { name: 'web', policies: ['anti-affinity'] } };
    const old = (await request(`POST ${at}`, { version: null, body })).body.server_group;
    const shown = { id: old.id as string, name: 'web', policies: ['anti-affinity'], members: [], metadata: {} };
    expect(old).toEqual(shown);
    expect((await request(`GET ${at}/${old.id}`, { version: 13 })).body.server_group).toEqual({
      ...shown,
      project_id: 'red',
      user_id: 'ann',
    });
    expect((await request(`GET ${at}/${old.id}`, { version: 64 })).body.server_group).toMatchObject({
      policy: 'anti-affinity',
    });
  });

  it.each(['soft-anti-affinity', 'soft-affinity'])('has policy %s from 2.15 on', async (policy) => {
    const { request } = createFront();
    const body = { server_group: { name: 'web', policies: [policy] } };
    expect((await request(`POST ${at}`, { version: 15, body })).body.server_group.policies).toEqual([policy]);
    expect(await request(`POST ${at}`, { version: 14, body })).toMatchObject({
      status: 400,
      body: { badRequest: { message: `Policy ${policy} needs API version 2.15.` } },
    });
  });

  it.each([
    [96, { name: 'web', policy: 'affinity' }, /a machine holds one server/],
    [63, { name: 'web', policies: ['affinity'] }, /a machine holds one server/],
    [96, { name: 'web' }, /Invalid value for server_group.policy/],
    [63, { name: 'web' }, /Missing mandatory parameter: server_group.policies/],
    [63, { name: 'web', policies: [] }, /server_group.policies/],
    [63, { name: 'web', policies: ['anti-affinity', 'soft-affinity'] }, /server_group.policies/],
    [63, { name: 'web', policy: 'anti-affinity' }, /server_group.polic/],
    [64, { name: 'web', policies: ['anti-affinity'] }, /server_group.polic/],
    [64, { name: 'web', policy: 'near' }, /must be one of anti-affinity/],
    [64, { policy: 'anti-affinity' }, /server_group.name/],
    [64, { name: 'web', policy: 'soft-affinity', rules: { max_server_per_host: 1 } }, /Only anti-affinity/],
    [64, { name: 'web', policy: 'anti-affinity', rules: { max_server_per_host: 0 } }, /max_server_per_host/],
  ])('at 2.%i is not made of %j', async (version, server_group, message) => {
    const { request, platform } = createFront();
    const answer = await request(`POST ${at}`, { version, body: { server_group } });
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringMatching(message)]);
    expect(platform.table.items().filter(({ sk }) => sk === 'server_group')).toEqual([]);
  });

  it('may say how many of it share a machine, which is one', async () => {
    const { request } = createFront();
    const rules = { max_server_per_host: '3' };
    const { body } = await request(`POST ${at}`, { body: { server_group: { ...apart.server_group, rules } } });
    expect(body.server_group.rules).toEqual({ max_server_per_host: 3 });
  });

  it('has the servers that were made in it, until they are gone', async () => {
    const { booted, show, platform, members, id } = await withGroup();
    const [one, two] = [await booted({}, { hints: { group: id } }), await booted({}, { hints: { group: id } })];
    expect(await members()).toEqual([one, two]);
    expect((await show(one)).server_groups).toEqual([id]);
    await removeServer(platform, one);
    expect(await members()).toEqual([two]);
  });

  it('takes no more servers than its project may put into one', async () => {
    const { request, boot, id } = await withGroup();
    const body = { quota_set: { server_group_members: 1 } };
    await request('PUT /v2.1/os-quota-sets/red', { subject: root, body });
    expect((await boot({}, { hints: { group: id } })).status).toBe(202);
    expect(await boot({}, { hints: { group: id } })).toMatchObject({
      status: 403,
      body: { forbidden: { message: 'Quota exceeded, too many servers in group' } },
    });
  });

  it('leaves its servers behind when it is deleted, in no group', async () => {
    const { request, booted, show, id, platform } = await withGroup();
    const uuid = await booted({}, { hints: { group: id } });
    expect((await request(`DELETE ${at}/${id}`)).status).toBe(204);
    expect(await request(`GET ${at}/${id}`)).toMatchObject({
      status: 404,
      body: { itemNotFound: { message: `Instance group ${id} could not be found.` } },
    });
    expect((await show(uuid)).server_groups).toEqual([]);
    await removeServer(platform, uuid);
  });

  it.each([bob, tenant('bea', 'blue', 'reader')])('of another project is missing for $user', async (subject) => {
    const { request, boot, id } = await withGroup();
    for (const method of ['GET', 'DELETE']) {
      expect(await request(`${method} ${at}/${id}`, { subject })).toMatchObject({
        status: 404,
        body: { itemNotFound: { message: `Instance group ${id} could not be found.` } },
      });
    }
    expect((await request(`GET ${at}`, { subject })).body).toEqual({ server_groups: [] });
    expect((await boot({}, { subject: bob, hints: { group: id } })).status).toBe(400);
  });

  it.each(['x', '00000000-0000-4000-8000-000000000000'])('%s is missing', async (id) => {
    const { request } = createFront();
    expect((await request(`GET ${at}/${id}`)).body.itemNotFound.message).toBe(
      `Instance group ${id} could not be found.`,
    );
  });
});

describe('server groups', () => {
  const withGroups = async () => {
    const front = createFront();
    const made = async (name: string, subject = ann) =>
      front.request(`POST ${at}`, { subject, body: { server_group: { name, policy: 'anti-affinity' } } });
    for (const name of ['a', 'b', 'c']) await made(name);
    await made('d', bob);
    const names = async (query: string, subject: typeof ann = ann) =>
      (await front.request(`GET ${at}${query}`, { subject })).body.server_groups.map(
        ({ name }: { name: string }) => name,
      );
    return { ...front, made, names };
  };

  it('are listed by project, and all of them for administrators who ask', async () => {
    const { names, request } = await withGroups();
    expect(await names('')).toEqual(['a', 'b', 'c']);
    expect(await names('?limit=1&offset=1')).toEqual(['b']);
    expect(await names('?offset=7')).toEqual([]);
    expect(await names('?all_projects=True', root)).toEqual(['a', 'b', 'c', 'd']);
    expect(await names('?all_projects', root)).toEqual(['a', 'b', 'c', 'd']);
    expect((await request(`GET ${at}?all_projects=1`)).status).toBe(403);
    expect((await request(`GET ${at}?offset=-1`)).status).toBe(400);
  });

  it('are as many as the quota of their project allows, and counted', async () => {
    const { request, made } = await withGroups();
    const body = { quota_set: { server_groups: 4 } };
    await request('PUT /v2.1/os-quota-sets/red', { subject: root, body });
    const { id } = (await made('e')).body.server_group;
    expect(await made('f')).toMatchObject({
      status: 403,
      body: {
        forbidden: {
          message: 'Quota exceeded for server_groups: Requested 1, but already used 4 of 4 server_groups',
        },
      },
    });
    const used = async () => (await request('GET /v2.1/limits')).body.limits.absolute.totalServerGroupsUsed;
    expect(await used()).toBe(4);
    await request(`DELETE ${at}/${id}`);
    expect(await used()).toBe(3);
    expect((await made('f')).status).toBe(200);
  });

  it('made at once are as many as there may be', async () => {
    const { request } = createFront();
    const answers = await Promise.all(Array.from({ length: 30 }, async () => request(`POST ${at}`, { body: apart })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(20);
  });
});
