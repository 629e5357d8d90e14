/** /v1/runbooks (ironic-api.md 9), whose they are and who sees them (ironic-rbac.md 3, 4, 7). */
import { beforeEach, describe, expect, it } from 'vitest';

import { createFront, type Options } from './front.ts';

const uuid = '22222222-2222-4222-8222-222222222222';
const step = { interface: 'deploy', step: 'erase_devices', args: {}, order: 1 };
const path = '/v1/runbooks';
const set = (at: string, value: unknown) => ({ op: 'add', path: at, value });
const of = (project: string, roles = 'manager') => ({ user: 'u', project, roles, scope: 'project' });
const system = (roles: string) => ({ user: 'u', project: '', roles, scope: 'system' });

let front: ReturnType<typeof createFront>;

const create = async (body: object = {}, options: Options = {}) =>
  front.request(`POST ${path}`, { ...options, body: { name: 'CUSTOM_A', steps: [step], ...body } });
const patch = async (ident: string, body: unknown, options: Options = {}) =>
  front.request(`PATCH ${path}/${ident}`, { ...options, body });
const names = async (query = '', options: Options = {}) =>
  ((await front.request(`GET ${path}${query}`, options)).body.runbooks as { name: string }[]).map(({ name }) => name);

beforeEach(() => {
  front = createFront();
});

describe('creating a runbook', () => {
  it('takes a name and steps with their order', async () => {
    const { status, body, headers } = await create({ name: 'wipe.all', steps: [{ ...step, order: '1', args: null }] });
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test${path}/${body.uuid}`);
    expect(body).toEqual({
      uuid: body.uuid,
      name: 'wipe.all',
      description: null,
      steps: [step],
      disable_ramdisk: false,
      extra: {},
      public: false,
      owner: null,
      traits: [],
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: expect.any(Array),
    });
    expect((await front.request(`GET ${path}/wipe.all`)).body).toEqual(body);
    expect((await front.request(`GET ${path}/${body.uuid}`)).body).toEqual(body);
  });

  it.each([
    [{ name: 'a b' }, 'name'],
    [{ name: uuid }, 'UUID'],
    [{ steps: [] }, 'at least one step'],
    [{ steps: [{ ...step, order: undefined }] }, 'order'],
    [{ steps: [step, step] }, 'deploy.erase_devices'],
    [{ steps: [{ ...step, interface: 'vendor', step: 'send_raw' }] }, 'send_raw'],
    [{ traits: ['CUSTOM_A'] }, 'traits'],
    [{ public: true, owner: 'p' }, 'public'],
    [{ disable_ramdisk: 'maybe' }, 'disable_ramdisk'],
    [{ bogus: 1 }, 'bogus'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(await names()).toEqual([]);
  });

  it('of a taken name or UUID is refused with 409', async () => {
    expect((await create({ uuid })).status).toBe(201);
    expect((await create()).status).toBe(409);
    expect((await create({ name: 'other', uuid })).status).toBe(409);
  });
});

describe('by version', () => {
  it.each([
    ['GET', path, 404],
    ['GET', `${path}/CUSTOM_A`, 404],
    ['POST', path, 405],
    ['PATCH', `${path}/CUSTOM_A`, 405],
    ['DELETE', `${path}/CUSTOM_A`, 405],
  ])('before 1.92 %s %s answers %i', async (method, line, status) => {
    expect((await front.request(`${method} ${line}`, { version: '1.91', body: {} })).status).toBe(status);
  });

  it('before 1.112 the name has to be a trait, and there are no traits and no description', async () => {
    const old = { version: '1.111' };
    expect((await create({ name: 'wipe' }, old)).status).toBe(400);
    expect((await create({ name: 'wipe' }, { version: '1.112' })).status).toBe(201);
    const { body } = await create({}, old);
    expect([body.traits, body.description]).toEqual([undefined, undefined]);
    expect((await create({ name: 'CUSTOM_B', description: 'd' }, old)).status).toBe(406);
    expect((await patch('wipe', [set('/name', 'wipe2')], old)).status).toBe(400);
    // A name that came with a newer version does not stand in the way of other changes.
    expect((await patch('wipe', [set('/extra/a', 1)], old)).status).toBe(200);
    expect((await front.request(`GET ${path}/wipe/traits`, old)).status).toBe(404);
    expect((await front.request(`PUT ${path}/wipe/traits`, { ...old, body: { traits: [] } })).status).toBe(404);
  });
});

describe('the runbooks of a project', () => {
  it('are its own, whoever it says they are for', async () => {
    expect((await create({}, { subject: of('p1') })).body.owner).toBe('p1');
    expect((await create({ name: 'CUSTOM_B', owner: 'p1' }, { subject: of('p1') })).body.owner).toBe('p1');
    expect((await create({ name: 'CUSTOM_C', owner: 'p2' }, { subject: of('p1') })).status).toBe(400);
    expect((await create({ name: 'CUSTOM_C', public: true }, { subject: of('p1') })).status).toBe(400);
    expect((await create({ name: 'CUSTOM_C' }, { subject: of('p1', 'member') })).status).toBe(403);
    expect((await create({ name: 'CUSTOM_C', owner: 'p2' }, { subject: system('member') })).body.owner).toBe('p2');
  });

  it('are listed with the public ones', async () => {
    await create({ name: 'mine', owner: 'p1' });
    await create({ name: 'theirs', owner: 'p2' });
    await create({ name: 'public', public: true });
    await create({ name: 'unowned' });
    expect(await names()).toEqual(['mine', 'theirs', 'public', 'unowned']);
    expect(await names('?project=p2')).toEqual(['theirs', 'public']);
    const subject = of('p1', 'reader');
    expect(await names('', { subject })).toEqual(['mine', 'public']);
    expect(await names('?limit=1&sort_dir=desc', { subject })).toEqual(['public']);
    expect(await names('?project=p1', { subject })).toEqual(['mine', 'public']);
    expect((await front.request(`GET ${path}?project=p2`, { subject })).status).toBe(403);
  });

  it('are not there for another project', async () => {
    const { body } = await create({ owner: 'p1' });
    const subject = of('p2');
    const absent = await front.request(`GET ${path}/${uuid}`, { subject });
    const hidden = await front.request(`GET ${path}/${body.uuid}`, { subject });
    expect([absent.status, hidden.status]).toEqual([404, 404]);
    expect(hidden.error).toBe(absent.error.replace(uuid, body.uuid));
    expect((await patch('CUSTOM_A', [set('/extra/a', 1)], { subject })).status).toBe(404);
    expect((await front.request(`DELETE ${path}/CUSTOM_A`, { subject })).status).toBe(404);
    expect((await front.request(`GET ${path}/CUSTOM_A/traits`, { subject })).status).toBe(404);
  });

  it('that are public can be seen by every project, and changed by none', async () => {
    await create({ public: true });
    const subject = of('p2', 'admin');
    expect((await front.request(`GET ${path}/CUSTOM_A`, { subject: of('p2', 'reader') })).status).toBe(200);
    expect((await front.request(`GET ${path}/CUSTOM_A/traits`, { subject: of('p2', 'reader') })).status).toBe(200);
    expect((await patch('CUSTOM_A', [set('/extra/a', 1)], { subject })).status).toBe(403);
    expect((await front.request(`PUT ${path}/CUSTOM_A/traits/CUSTOM_B`, { subject })).status).toBe(403);
    expect((await front.request(`DELETE ${path}/CUSTOM_A`, { subject })).status).toBe(403);
    expect((await front.request(`GET ${path}/CUSTOM_A`, { subject: of('p2', 'none') })).status).toBe(404);
  });

  it('are changed by its managers, but for owner and public', async () => {
    await create({ owner: 'p1' });
    const subject = of('p1');
    expect((await patch('CUSTOM_A', [set('/extra/a', 1)], { subject })).status).toBe(200);
    expect((await patch('CUSTOM_A', [set('/public', true)], { subject })).status).toBe(403);
    expect((await patch('CUSTOM_A', [set('/owner', 'p2')], { subject })).status).toBe(403);
    expect((await patch('CUSTOM_A', [{ op: 'remove', path: '/owner' }], { subject })).status).toBe(403);
    expect((await patch('CUSTOM_A', [set('/extra/a', 2)], { subject: of('p1', 'member') })).status).toBe(403);
    expect((await front.request(`DELETE ${path}/CUSTOM_A`, { subject })).status).toBe(204);
  });
});

describe('patching a runbook', () => {
  it('changes what it names', async () => {
    await create();
    const more = { ...step, step: 'erase_devices_metadata', order: 2 };
    const { status, body } = await patch('CUSTOM_A', [
      set('/name', 'wipe'),
      set('/steps/-', more),
      set('/disable_ramdisk', 'true'),
      set('/description', 'd'),
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'wipe', steps: [step, more], disable_ramdisk: true, description: 'd' });
  });

  it('to public takes the owner from it; a public one gets none', async () => {
    await create({ owner: 'p1' });
    expect((await patch('CUSTOM_A', [set('/public', true)])).body).toMatchObject({ public: true, owner: null });
    expect((await patch('CUSTOM_A', [set('/owner', 'p1')])).status).toBe(400);
    expect((await patch('CUSTOM_A', [set('/public', true), set('/owner', 'p1')])).status).toBe(400);
    const back = await patch('CUSTOM_A', [set('/public', false), set('/owner', 'p1')]);
    expect(back.body).toMatchObject({ public: false, owner: 'p1' });
  });

  it.each([
    [[set('/traits', ['CUSTOM_B'])]],
    [[set('/steps', [])]],
    [[set('/uuid', uuid)]],
    [[set('/steps/0/order', 'x')]],
  ])('refuses %j with 400', async (body) => {
    await create();
    expect((await patch('CUSTOM_A', body)).status).toBe(400);
  });
});

describe('the traits of a runbook', () => {
  const traits = async () => (await front.request(`GET ${path}/CUSTOM_A/traits`)).body.traits as string[];
  const at = `${path}/CUSTOM_A/traits`;

  it('are replaced, added and removed', async () => {
    await create();
    expect((await front.request(`PUT ${at}`, { body: { traits: ['CUSTOM_C', 'CUSTOM_B'] } })).status).toBe(204);
    const added = await front.request(`PUT ${at}/HW_CPU_X86_VMX`);
    expect([added.status, added.headers['Location']]).toEqual([204, `http://metal.test${at}/HW_CPU_X86_VMX`]);
    expect(await traits()).toEqual(['CUSTOM_B', 'CUSTOM_C', 'HW_CPU_X86_VMX']);
    expect((await front.request(`GET ${path}/CUSTOM_A`)).body.traits).toEqual(await traits());
    expect((await front.request(`DELETE ${at}/CUSTOM_C`)).status).toBe(204);
    expect((await front.request(`DELETE ${at}/CUSTOM_NEVER`)).status).toBe(204);
    expect(await traits()).toEqual(['CUSTOM_B', 'HW_CPU_X86_VMX']);
    expect((await front.request(`DELETE ${at}`)).status).toBe(204);
    expect(await traits()).toEqual([]);
  });

  it.each([
    [`PUT ${at}`, { traits: ['gold'] }],
    [`PUT ${at}`, { traits: Array.from({ length: 51 }, (_, n) => `CUSTOM_${n}`) }],
    [`PUT ${at}`, {}],
    [`PUT ${at}/gold`, {}],
    [`PUT ${at}/CUSTOM_B`, { traits: [] }],
  ])('%s refuses %j with 400', async (line, body) => {
    await create();
    expect((await front.request(line, { body })).status).toBe(400);
    expect(await traits()).toEqual([]);
  });

  it('are all there when many are added at once', async () => {
    await create();
    await Promise.all(Array.from({ length: 10 }, async (_, n) => front.request(`PUT ${at}/CUSTOM_${n}`)));
    expect(await traits()).toHaveLength(10);
  });
});
