/** What is done with servers (compute-api.md 3), through the front door. */
import { describe, expect, it } from 'vitest';

import { actions, impossible } from '../../../../layers/domain/compute/actions.ts';
import { createCloud } from '../cloud.ts';
import { ann, bob, root, tenant } from '../front.ts';

const act = (id: string) => `POST /v2.1/servers/${id}/action`;
const reader = tenant('rea', 'red', 'reader');

/** The front door with an active server. */
const withServer = async () => {
  const cloud = await createCloud();
  const id = await cloud.active();
  cloud.platform.workflows.started.length = 0;
  const ask = async (body: object, options = {}) => cloud.request(act(id), { body, ...options });
  return { ...cloud, id, ask };
};
const messageIn = (body: Record<string, { message: string }>) => Object.values(body)[0]!.message;

describe('an action that a machine can do', () => {
  it.each([
    ['start', { 'os-start': null }, 'stopped', 'server-power', 'powering-on', 'SHUTOFF'],
    ['stop', { 'os-stop': null }, 'active', 'server-power', 'powering-off', 'ACTIVE'],
    ['reboot', { reboot: { type: 'SOFT' } }, 'active', 'server-power', 'rebooting', 'REBOOT'],
    ['reboot', { reboot: { type: 'hard' } }, 'error', 'server-power', 'rebooting_hard', 'ERROR'],
    ['unrescue', { unrescue: null }, 'rescued', 'server-unrescue', 'unrescuing', 'RESCUE'],
    ['delete', { forceDelete: null }, 'active', 'server-delete', 'deleting', 'ACTIVE'],
  ] as const)('%s %j: a run begins, and is told', async (action, body, vm_state, workflow, task, status) => {
    const { id, ask, force, show, platform } = await withServer();
    await force(id, { vm_state });
    const answer = await ask(body);
    expect(answer).toMatchObject({ status: 202, text: '' });
    const run = { workflow, name: expect.stringMatching(new RegExp(`^${id}-[0-9A-Z]{26}$`)), input: { server: id } };
    expect(platform.workflows.started).toEqual([run]);
    expect(await show(id)).toMatchObject({ 'OS-EXT-STS:task_state': task, status });
    const line = platform.table.items().find(({ sk }) => sk === `action#${answer.headers['x-openstack-request-id']}`);
    expect(line).toMatchObject({ action, user_id: 'ann', run: platform.workflows.started[0]!.name });
  });

  it('crash dump from 2.17 on, which no task_state tells of', async () => {
    const { id, ask, show, platform } = await withServer();
    expect((await ask({ trigger_crash_dump: null }, { version: 16 })).status).toBe(400);
    expect((await ask({ trigger_crash_dump: null }, { version: 17 })).status).toBe(202);
    expect((await show(id))['OS-EXT-STS:task_state']).toBeNull();
    expect(platform.workflows.started).toMatchObject([{ workflow: 'server-power' }]);
    expect(messageIn((await ask({ 'os-stop': null })).body)).toContain('is being worked on (server-power)');
  });

  it('is refused in another state, and while something else is done', async () => {
    const { id, ask, force, platform } = await withServer();
    const { status, body } = await ask({ 'os-start': null });
    expect(status).toBe(409);
    expect(body).toEqual({
      conflictingRequest: { code: 409, message: `Cannot 'start' instance ${id} while it is in vm_state active` },
    });
    await force(id, { task_state: 'rebooting' });
    expect(messageIn((await ask({ 'os-stop': null })).body)).toBe(
      `Cannot 'stop' instance ${id} while it is in task_state rebooting`,
    );
    expect(platform.workflows.started).toEqual([]);
  });

  it('of two at once, one is done', async () => {
    const { ask, platform } = await withServer();
    const answers = await Promise.all(Array.from({ length: 10 }, async () => ask({ 'os-stop': null })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    expect(platform.workflows.started).toHaveLength(1);
  });

  it('hard reboot takes the place of one that hangs', async () => {
    const { ask, platform } = await withServer();
    await ask({ reboot: { type: 'SOFT' } });
    expect((await ask({ reboot: { type: 'HARD' } })).status).toBe(202);
    const [first, second] = platform.workflows.started;
    expect(platform.workflows.stopped).toEqual([{ workflow: 'server-power', name: first!.name, error: 'Superseded' }]);
    expect(second!.name).not.toBe(first!.name);
  });
});

describe('rescue', () => {
  it('answers the password of the rescue system, which is kept sealed for the run', async () => {
    const { id, ask, platform } = await withServer();
    const made = await ask({ rescue: null });
    expect(made).toMatchObject({ status: 200, body: { adminPass: expect.stringMatching(/^[2-9A-Za-z]{12}$/) } });
    const { sealed } = platform.table.items().find(({ sk }) => sk === 'admin_password') as unknown as {
      sealed: string;
    };
    expect(await platform.opener.open(sealed, { node: id, name: 'admin_password' })).toBe(made.body.adminPass);
    expect(JSON.stringify(platform.table.items())).not.toContain(made.body.adminPass as string);
  });

  it('takes a password', async () => {
    const { ask, platform } = await withServer();
    expect((await ask({ rescue: { adminPass: 'pw', rescue_image_ref: 'x' } })).body).toEqual({ adminPass: 'pw' });
    expect(platform.workflows.started).toMatchObject([{ workflow: 'server-rescue' }]);
  });
});

describe('rebuild', () => {
  it('answers the server as it is to be, with a password', async () => {
    const { id, ask, anImage, platform } = await withServer();
    const imageRef = await anImage({ name: 'other' });
    const body = {
      rebuild: { imageRef, name: 'new', metadata: { c: 'd' }, preserve_ephemeral: true, adminPass: 'pw' },
    };
    const answer = await ask(body);
    expect(answer.status).toBe(202);
    expect(answer.headers['Location']).toBe(`http://cloud.test/compute/v2.1/servers/${id}`);
    expect(answer.body.server).toMatchObject({
      id,
      name: 'new',
      status: 'REBUILD',
      image: { id: imageRef },
      metadata: { c: 'd' },
      adminPass: 'pw',
    });
    const stored = platform.table.items().find(({ sk }) => sk === 'server') as unknown as Record<string, unknown>;
    expect(stored['asked']).toEqual({ action: 'rebuild', values: { preserve_ephemeral: true } });
    expect(platform.workflows.started).toMatchObject([{ workflow: 'server-rebuild' }]);
    expect(JSON.stringify(platform.table.items())).not.toContain('"pw"');
  });

  it('keeps what is not given, and takes away what is null', async () => {
    const { id, ask, force, image, platform } = await withServer();
    const key_pair = { name: 'k', type: 'ssh', public_key: 'ssh-ed25519 x' } as const;
    await force(id, { user_data: 'aGk=', key_name: 'k', key_pair, metadata: { a: 'b' } });
    const stored = () => platform.table.items().find(({ sk }) => sk === 'server') as unknown as Record<string, unknown>;
    await ask({ rebuild: { imageRef: image } });
    expect(stored()).toMatchObject({ key_name: 'k', metadata: { a: 'b' } });
    expect(platform.table.items().find(({ sk }) => sk === 'user_data')).toMatchObject({ values: 'aGk=' });
    await force(id, { run: null, run_workflow: null, task_state: null });
    await ask({ rebuild: { imageRef: image, key_name: null, user_data: null } });
    expect(stored()).not.toHaveProperty('key_name');
    expect(platform.table.items().find(({ sk }) => sk === 'user_data')).toMatchObject({ values: null });
  });

  it.each([
    ['key_name', 53, { key_name: 'k' }],
    ['user_data', 56, { user_data: 'aGk=' }],
    ['hostname', 89, { hostname: 'web' }],
    ['colour', 96, { colour: 'red' }],
  ])('does not know %s at 2.%i', async (name, version, more) => {
    const { ask, image } = await withServer();
    const answer = await ask({ rebuild: { imageRef: image, ...more } }, { version });
    expect([answer.status, messageIn(answer.body)]).toEqual([400, expect.stringContaining(name)]);
  });

  it('with an image that is not there changes nothing', async () => {
    const { id, ask, show } = await withServer();
    const before = await show(id);
    const imageRef = '11111111-1111-4111-8111-111111111111';
    expect(messageIn((await ask({ rebuild: { imageRef } })).body)).toBe('Can not find requested image');
    expect(await show(id)).toEqual(before);
  });
});

describe('a delete', () => {
  it('is accepted in every state and begins a run, which takes the place of any other', async () => {
    const { booted, request, platform, show } = await createCloud();
    const id = await booted();
    expect(await request(`DELETE /v2.1/servers/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await show(id)).toMatchObject({ status: 'BUILD', 'OS-EXT-STS:task_state': 'deleting' });
    const [create, remove] = platform.workflows.started;
    expect(remove).toMatchObject({ workflow: 'server-delete', input: { server: id } });
    expect(platform.workflows.stopped).toMatchObject([{ workflow: 'server-create', name: create!.name }]);
  });

  it('that is asked for again is the same', async () => {
    const { id, request, platform } = await withServer();
    for (let times = 0; times < 3; times += 1) {
      expect((await request(`DELETE /v2.1/servers/${id}`)).status).toBe(204);
    }
    expect(platform.workflows.started).toHaveLength(1);
    expect(platform.workflows.stopped).toEqual([]);
  });
});

describe('a lock', () => {
  it('keeps its tenant from everything else, until it is taken away', async () => {
    const { id, ask, request, show } = await withServer();
    expect((await ask({ lock: { locked_reason: 'mine' } })).status).toBe(202);
    expect(await show(id)).toMatchObject({ locked: true, locked_reason: 'mine' });
    expect(messageIn((await ask({ 'os-stop': null })).body)).toBe(`Instance ${id} is locked`);
    expect((await request(`DELETE /v2.1/servers/${id}`)).status).toBe(409);
    expect((await request(`PUT /v2.1/servers/${id}/metadata`, { body: { metadata: {} } })).status).toBe(409);
    expect((await ask({ 'os-stop': null }, { subject: root })).status).toBe(202);
    expect((await ask({ unlock: null })).status).toBe(202);
    expect(await show(id)).toMatchObject({ locked: false, locked_reason: null });
  });

  it('of an administrator stays', async () => {
    const { id, ask, show } = await withServer();
    await ask({ lock: null }, { subject: root });
    expect((await ask({ unlock: null })).status).toBe(403);
    await ask({ lock: null });
    expect((await ask({ unlock: null })).status).toBe(403);
    expect((await ask({ unlock: null }, { subject: root })).status).toBe(202);
    expect((await show(id)).locked).toBe(false);
  });
});

describe('reset-state', () => {
  it('is for administrators, and ends whatever works on it', async () => {
    const { id, ask, show, platform } = await withServer();
    await ask({ 'os-stop': null });
    expect((await ask({ 'os-resetState': { state: 'error' } })).status).toBe(403);
    expect((await ask({ 'os-resetState': { state: 'error' } }, { subject: root })).status).toBe(202);
    expect(await show(id)).toMatchObject({ status: 'ERROR', 'OS-EXT-STS:task_state': null });
    expect(platform.workflows.stopped).toHaveLength(1);
    expect((await ask({ 'os-resetState': { state: 'paused' } }, { subject: root })).status).toBe(400);
  });
});

describe('what is no action', () => {
  it.each(Object.keys(impossible))('%s answers 501 and says why', async (name) => {
    const { ask } = await withServer();
    const answer = await ask({ [name]: { whatever: 1 } });
    expect(answer).toMatchObject({ status: 501, body: { notImplemented: { code: 501 } } });
    expect(answer.body.notImplemented.message).toContain(impossible[name]);
  });

  it.each([
    {},
    { 'os-start': null, 'os-stop': null },
    { explode: null },
    { reboot: { type: 'MAYBE' } },
    { reboot: {} },
  ])('%j is refused', async (body) => {
    const { ask } = await withServer();
    expect((await ask(body)).status).toBe(400);
  });
});

describe('who may', () => {
  const bodies = Object.values(actions).flatMap(({ body, since = 1 }) => (body && since <= 96 ? [body] : []));

  it.each([...new Set(bodies)])('%s: members of its project, and administrators', async (name) => {
    const { id, request, force } = await withServer();
    const isAdmins = name === 'os-resetState';
    const body = { [name]: name === 'reboot' ? { type: 'HARD' } : null };
    const outcome = async (subject: Record<string, string> | null) => {
      await force(id, { vm_state: 'active', task_state: null, run: null, run_workflow: null });
      return (await request(act(id), { body, subject })).status;
    };
    expect(await outcome(reader)).toBe(403);
    expect(await outcome(bob)).toBe(404);
    expect(await outcome(null)).toBe(401);
    const allowed = [200, 202, 400, 409];
    expect(allowed.includes(await outcome(ann))).toBe(!isAdmins);
    expect(allowed).toContain(await outcome(root));
  });
});
