/** What projects enrol, delete and connect on their own (ironic-rbac.md 3, 4, 7). */
import { describe, expect, it } from 'vitest';

import { createFront } from '../front.ts';
import { persona } from './personas.ts';

const admin = persona('owner admin');
const off = { INGOT_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES: 'false' };
const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const nowhere = '99999999-9999-4999-8999-999999999999';

describe('a node that a project enrols', () => {
  it('belongs to the project, whether it says so or not, at every version', async () => {
    const { request } = createFront();
    for (const [body, version] of [
      [{}, 'latest'],
      [{ owner: 'owner' }, 'latest'],
      [{}, '1.1'],
    ] as const) {
      const answer = await request('POST /v1/nodes', { subject: admin, version, body: { driver: 'redfish', ...body } });
      expect(answer.status).toBe(201);
      const { body: shown } = await request(`GET /v1/nodes/${answer.body.uuid}`, { subject: admin });
      expect(shown.owner).toBe('owner');
    }
  });

  it('can not be given to another project, and nothing is stored then', async () => {
    const { request, platform } = createFront();
    const body = { driver: 'redfish', owner: 'other' };
    const answer = await request('POST /v1/nodes', { subject: admin, body });
    expect([answer.status, answer.error]).toEqual([403, expect.stringContaining('owner')]);
    expect(platform.table.items()).toEqual([]);
  });

  it('belongs to whom the system says', async () => {
    const { request } = createFront();
    const body = { driver: 'redfish', owner: 'other' };
    expect((await request('POST /v1/nodes', { body })).body.owner).toBe('other');
    const service = { ...persona('system service'), project: 'service' };
    expect((await request('POST /v1/nodes', { body, subject: service })).body.owner).toBe('other');
  });

  it('is deleted by its admins, while it has no instance', async () => {
    const { request, enrol, force } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    await force(uuid, { provision_state: 'active' });
    expect((await request(`DELETE /v1/nodes/${uuid}`, { subject: admin })).status).toBe(409);
    await force(uuid, { provision_state: 'available' });
    expect((await request(`DELETE /v1/nodes/${uuid}`, { subject: admin })).status).toBe(204);
  });

  it('is neither enrolled nor deleted where the operator keeps that to the system', async () => {
    const { request, enrol } = createFront(off);
    const { uuid } = await enrol({ owner: 'owner' });
    expect((await request('POST /v1/nodes', { subject: admin, body: { driver: 'redfish' } })).status).toBe(403);
    expect((await request(`DELETE /v1/nodes/${uuid}`, { subject: admin })).status).toBe(403);
    expect((await request(`DELETE /v1/nodes/${uuid}`)).status).toBe(204);
  });
});

describe('a parent', () => {
  const parents = async () => {
    const front = createFront();
    const mine = await front.enrol({ owner: 'owner' });
    const foreign = await front.enrol({ owner: 'other' });
    const unowned = await front.enrol();
    return { ...front, mine, foreign, unowned };
  };

  it('is a node of the same owner that the caller sees', async () => {
    const { request, mine, foreign, unowned } = await parents();
    const create = async (parent: string) => {
      const body = { driver: 'redfish', parent_node: parent };
      const { status, error } = await request('POST /v1/nodes', { subject: admin, body });
      return [status, error.replace(parent, 'it')];
    };
    expect(await create(mine.uuid)).toEqual([201, '']);
    const refused = await Promise.all([foreign.uuid, unowned.uuid, nowhere].map(create));
    expect(new Set(refused.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(refused[0]![0]).toBe(400);
  });

  it('is set by the system only, and of the same owner too', async () => {
    const { request, enrol, mine, foreign } = await parents();
    const child = await enrol({ owner: 'owner' });
    const patch = async (parent: string, subject = persona('system member')) =>
      (await request(`PATCH /v1/nodes/${child.uuid}`, { subject, body: [add('/parent_node', parent)] })).status;
    expect(await patch(mine.uuid, admin)).toBe(403);
    expect(await patch(foreign.uuid)).toBe(400);
    expect(await patch(mine.uuid)).toBe(200);
  });
});

describe('a patch', () => {
  it('with one path that is refused changes nothing', async () => {
    const { request, enrol } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    const body = [add('/extra/a', 1), add('/shard', 's')];
    const answer = await request(`PATCH /v1/nodes/${uuid}`, { subject: admin, body });
    expect([answer.status, answer.error]).toEqual([403, expect.stringContaining('baremetal:node:update:shard')]);
    expect((await request(`GET /v1/nodes/${uuid}`)).body.extra).toEqual({});
  });

  it.each([false, 'false', 'no', 0])('that turns cleaning off with %j is for system admins', async (value) => {
    const { request, enrol } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    const body = [add('/automated_clean', value)];
    expect((await request(`PATCH /v1/nodes/${uuid}`, { subject: admin, body })).status).not.toBe(200);
    expect((await request(`GET /v1/nodes/${uuid}`)).body.automated_clean).toBe(null);
  });

  it('is decided on the owner that the node has when it is written', async () => {
    const { request, enrol, force, platform } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    let once = true;
    platform.table.onWrite = async () => {
      if (!once) return;
      once = false;
      await force(uuid, { owner: 'other' });
    };
    const body = [add('/extra/a', 1)];
    expect((await request(`PATCH /v1/nodes/${uuid}`, { subject: admin, body })).status).toBe(404);
    expect((await request(`GET /v1/nodes/${uuid}`)).body).toMatchObject({ owner: 'other', extra: {} });
  });

  it('of the owner of a node in use is for system admins', async () => {
    const { request, enrol, force } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    await force(uuid, { provision_state: 'active' });
    const patch = async (who: string) =>
      (await request(`PATCH /v1/nodes/${uuid}`, { subject: persona(who), body: [add('/owner', 'other')] })).status;
    expect(await patch('system member')).toBe(409);
    expect(await patch('system admin')).toBe(200);
  });

  it('of the owner is refused while an allocation with an owner is on the node', async () => {
    const { request, enrol, force, platform } = createFront();
    const { uuid } = await enrol({ owner: 'owner' });
    const allocation = '77777777-7777-4777-8777-777777777777';
    await force(uuid, { allocation_uuid: allocation });
    const store = async (owner: string | null) =>
      platform.table.write([{ put: { pk: `allocation#${allocation}`, sk: 'allocation', uuid: allocation, owner } }]);
    const patch = async () => (await request(`PATCH /v1/nodes/${uuid}`, { body: [add('/owner', 'other')] })).status;
    await store('owner');
    expect(await patch()).toBe(409);
    await store(null);
    expect(await patch()).toBe(200);
  });
});

describe.each([
  ['ports', { address: '52:54:00:00:00:01' }, 'owner admin', 'lessee admin'],
  ['portgroups', {}, 'owner manager', 'lessee admin'],
  ['volume/connectors', { type: 'ip', connector_id: 'c' }, 'lessee manager', 'lessee member'],
])('of %s', (collection, values, allowed, forbidden) => {
  const setUp = async () => {
    const front = createFront();
    const own = { owner: 'owner', lessee: 'lessee' };
    const [home, second, foreign, unseen] = [
      await front.enrol(own),
      await front.enrol(own),
      await front.enrol({ owner: 'other' }),
      await front.enrol({ owner: 'owner' }),
    ];
    for (const { uuid } of [home, second, foreign, unseen]) await front.force(uuid, { power_state: 'power off' });
    const post = async (node_uuid: string, who: string) =>
      front.request(`POST /v1/${collection}`, { body: { node_uuid, ...values }, subject: persona(who) });
    return { ...front, home, second, foreign, unseen, post };
  };

  it('one is added to a node of the project, by who may', async () => {
    const { home, post } = await setUp();
    expect((await post(home.uuid, forbidden)).status).toBe(403);
    expect((await post(home.uuid, allowed)).status).toBe(201);
  });

  it('none is added to an unseen node, which looks as if it were not there', async () => {
    const { foreign, post, platform } = await setUp();
    const before = platform.table.items().length;
    const answers = await Promise.all([foreign.uuid, nowhere].map(async (uuid) => post(uuid, allowed)));
    expect(answers.map(({ status, error }) => [status, error])).toEqual([
      [403, `Node ${foreign.uuid} could not be found, or you may not use it.`],
      [403, `Node ${nowhere} could not be found, or you may not use it.`],
    ]);
    expect((await post(foreign.uuid, 'owner reader')).status).toBe(403);
    expect(platform.table.items()).toHaveLength(before);
  });

  it('one moves between visible nodes of one owner only', async () => {
    const { request, home, second, foreign, unseen, post } = await setUp();
    const { body: made } = await post(home.uuid, allowed);
    const subject = persona(allowed);
    const move = async (node: string) =>
      (await request(`PATCH /v1/${collection}/${made.uuid}`, { subject, body: [add('/node_uuid', node)] })).status;
    expect(await move(foreign.uuid)).toBe(400);
    expect(await move(nowhere)).toBe(400);
    expect(await move(unseen.uuid)).toBe(allowed.startsWith('lessee') ? 400 : 200);
    expect(await move(second.uuid)).toBe(200);
  });
});

it('a concealed node looks like a missing one by UUID, name and name with .json', async () => {
  const { request, enrol } = createFront();
  await enrol({ name: 'hidden' });
  for (const version of ['latest', '1.80']) {
    for (const [there, missing] of [
      ['hidden', 'absent'],
      ['hidden.json', 'absent.json'],
    ] as const) {
      const [hidden, absent] = await Promise.all(
        [there, missing].map(async (ident) => request(`GET /v1/nodes/${ident}`, { subject: admin, version })),
      );
      expect([hidden!.status, hidden!.error.replace('hidden', 'absent')]).toEqual([404, absent!.error]);
    }
  }
});
