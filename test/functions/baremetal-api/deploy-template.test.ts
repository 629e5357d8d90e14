/** /v1/deploy_templates (ironic-api.md 9). */
import { beforeEach, describe, expect, it } from 'vitest';

import { openParts } from '../../../layers/bmc/sealed-parts.ts';
import { createFront } from './front.ts';

const uuid = '22222222-2222-4222-8222-222222222222';
const step = { interface: 'bios', step: 'apply_configuration', args: { settings: [] }, priority: 90 };
const raid = { interface: 'raid', step: 'create_configuration', args: {}, priority: 95 };
const path = '/v1/deploy_templates';
const set = (at: string, value: unknown) => ({ op: 'add', path: at, value });

let front: ReturnType<typeof createFront>;

const create = async (body: object = {}, version = 'latest') =>
  front.request(`POST ${path}`, { body: { name: 'CUSTOM_A', steps: [step], ...body }, version });
const patch = async (ident: string, body: unknown) => front.request(`PATCH ${path}/${ident}`, { body });
const read = async (ident: string) => (await front.request(`GET ${path}/${ident}`)).body;

beforeEach(() => {
  front = createFront();
});

describe('creating a deploy template', () => {
  it('takes a trait as its name, and steps', async () => {
    const { status, body, headers } = await create({ description: 'd', steps: [{ ...step, priority: '90' }] });
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test${path}/${body.uuid}`);
    expect(body).toEqual({
      uuid: body.uuid,
      name: 'CUSTOM_A',
      description: 'd',
      steps: [step],
      extra: {},
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: [
        { href: `http://metal.test${path}/${body.uuid}`, rel: 'self' },
        { href: `http://metal.test/deploy_templates/${body.uuid}`, rel: 'bookmark' },
      ],
    });
    expect(await read('CUSTOM_A')).toEqual(body);
    expect(await read(body.uuid.toUpperCase())).toEqual(body);
  });

  it.each([
    [{ name: 'gold' }, 'name'],
    [{ name: null }, 'name'],
    [{ steps: undefined }, 'steps'],
    [{ steps: [] }, 'at least one step'],
    [{ steps: [{ ...step, args: undefined }] }, 'steps.0.args'],
    [{ steps: [step, raid, { ...step, priority: 1 }] }, 'bios.apply_configuration'],
    [{ steps: [{ ...step, interface: 'network' }] }, 'steps.0.interface'],
    [{ steps: [{ ...step, args: { password: '******' } }] }, 'steps'],
    [{ uuid: 'x' }, 'uuid'],
    [{ bogus: 1 }, 'bogus'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect((await front.request(`GET ${path}`)).body.deploy_templates).toEqual([]);
  });

  it('has one winner among many that want one name', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, async () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect((await create({ name: 'CUSTOM_B', uuid })).status).toBe(201);
    expect((await create({ name: 'CUSTOM_C', uuid })).status).toBe(409);
  });
});

describe('before 1.55', () => {
  it.each([
    ['GET', path, 404],
    ['GET', `${path}/CUSTOM_A`, 404],
    ['POST', path, 405],
    ['PATCH', `${path}/CUSTOM_A`, 405],
    ['DELETE', `${path}/CUSTOM_A`, 405],
  ])('%s %s answers %i', async (method, line, status) => {
    expect((await front.request(`${method} ${line}`, { version: '1.54', body: {} })).status).toBe(status);
  });

  it('/v1 does not tell of them', async () => {
    const tells = async (version: string) => Object.keys((await front.request('GET /v1', { version })).body);
    expect(await tells('1.54')).not.toContain('deploy_templates');
    expect(await tells('1.55')).toContain('deploy_templates');
    expect((await create({}, '1.55')).status).toBe(201);
  });
});

describe('finding deploy templates', () => {
  it('in lists, briefly, by fields or whole, page by page', async () => {
    const made: string[] = [];
    for (const name of ['CUSTOM_C', 'CUSTOM_A', 'CUSTOM_B']) made.push((await create({ name })).body.uuid);
    const names = async (query: string) =>
      ((await front.request(`GET ${path}?${query}`)).body.deploy_templates as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('sort_key=name')).toEqual(['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C']);
    expect(await names(`limit=2&marker=${made[0]}`)).toEqual(['CUSTOM_A', 'CUSTOM_B']);
    const { body } = await front.request(`GET ${path}?limit=1`);
    expect(Object.keys(body.deploy_templates[0])).toEqual(['uuid', 'name', 'links']);
    expect(body.next).toBe(`http://metal.test${path}?limit=1&marker=${made[0]}`);
    const whole = await front.request(`GET ${path}?detail=true&limit=1`);
    expect(whole.body.deploy_templates[0]).toMatchObject({ steps: [step] });
  });

  it.each([
    [`${path}/CUSTOM_NONE`, 404],
    [`${path}/${uuid}`, 404],
    [`${path}/a@b`, 400],
    [`${path}?sort_key=steps`, 400],
    [`${path}?fields=nope`, 400],
    [`${path}/detail`, 404],
  ])('answers %s with %i', async (line, status) => {
    expect((await front.request(`GET ${line}`)).status).toBe(status);
  });

  it('never shows the secrets of their steps, and keeps them when they come back masked', async () => {
    await create({ steps: [{ ...step, args: { password: 'hunter2', a: 1 } }] });
    const shown = await read('CUSTOM_A');
    expect(shown.steps[0].args).toEqual({ password: '******', a: 1 });
    expect((await patch('CUSTOM_A', [set('/steps', [...shown.steps, raid])])).status).toBe(200);
    const { body: list } = await front.request(`GET ${path}?detail=true`);
    expect(JSON.stringify(list)).not.toContain('hunter2');
    const stored = (await front.platform.table.get({ pk: `deploy_template#${shown.uuid}`, sk: 'deploy_template' }))!;
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    const opened = await openParts(front.platform.opener, 'step_argument', stored['steps'], () => undefined);
    expect(opened).toEqual([{ ...step, args: { password: 'hunter2', a: 1 } }, raid]);
  });
});

describe('patching a deploy template', () => {
  it('changes what it names', async () => {
    const { body } = await create();
    const patched = await patch('CUSTOM_A', [set('/name', 'CUSTOM_Z'), set('/steps/-', raid), set('/extra/a', 1)]);
    expect(patched.body).toMatchObject({ uuid: body.uuid, name: 'CUSTOM_Z', steps: [step, raid], extra: { a: 1 } });
    expect((await front.request(`GET ${path}/CUSTOM_A`)).status).toBe(404);
    expect(await read('CUSTOM_Z')).toEqual(patched.body);
  });

  it.each([
    [[set('/uuid', uuid)]],
    [[set('/name', 'gold')]],
    [[{ op: 'remove', path: '/name' }]],
    [[{ op: 'remove', path: '/steps' }]],
    [[{ op: 'remove', path: '/steps/0' }]],
    [[set('/steps/-', step)]],
    [[set('/steps/0/priority', -1)]],
    [[set('/steps/0/bogus', 1)]],
  ])('refuses %j with 400', async (body) => {
    await create();
    expect((await patch('CUSTOM_A', body)).status).toBe(400);
    expect(await read('CUSTOM_A')).toMatchObject({ steps: [step], updated_at: null });
  });

  it('refuses the name of another with 409', async () => {
    await create();
    await create({ name: 'CUSTOM_B' });
    expect((await patch('CUSTOM_B', [set('/name', 'CUSTOM_A')])).status).toBe(409);
  });
});

describe('deleting a deploy template', () => {
  it('frees its name', async () => {
    await create();
    expect((await front.request(`DELETE ${path}/CUSTOM_A`)).status).toBe(204);
    expect((await front.request(`DELETE ${path}/CUSTOM_A`)).status).toBe(404);
    expect((await create()).status).toBe(201);
  });
});
