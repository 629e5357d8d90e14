/** /v1/inspection_rules (ironic-api.md 9). What the rules do: test/layers/domain/inspection-rules. */
import { beforeEach, describe, expect, it } from 'vitest';

import { rulesOfPhase } from '../../../layers/store/inspection-rules.ts';
import { createFront } from './front.ts';

const uuid = '22222222-2222-4222-8222-222222222222';
const path = '/v1/inspection_rules';
const action = { op: 'set-attribute', args: { path: '/extra/a', value: 1 } };
const condition = { op: '!eq', args: { values: ['{node.name}', 'n1'] } };
const set = (at: string, value: unknown) => ({ op: 'add', path: at, value });

let front: ReturnType<typeof createFront>;

const create = async (body: object = {}) => front.request(`POST ${path}`, { body: { actions: [action], ...body } });
const add = async (body: object = {}) => (await create(body)).body.uuid as string;
const patch = async (ident: string, body: unknown) => front.request(`PATCH ${path}/${ident}`, { body });
const read = async (ident: string) => (await front.request(`GET ${path}/${ident}`)).body;

beforeEach(() => {
  front = createFront();
});

describe('creating an inspection rule', () => {
  it('needs actions only', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test${path}/${body.uuid}`);
    expect(body).toEqual({
      uuid: body.uuid,
      description: null,
      priority: 0,
      phase: 'main',
      sensitive: false,
      conditions: [],
      actions: [action],
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: expect.any(Array),
    });
    expect(await read(body.uuid)).toEqual(body);
  });

  it('takes conditions with loops, and arguments as a list', async () => {
    const loop = [{ path: '/extra/b' }];
    const { body } = await create({
      conditions: [condition, { ...condition, loop: ['x'] }, { op: '! is-true', args: [true], multiple: 'all' }],
      actions: [{ op: 'del-attribute', args: ['{item[path]}'], loop }],
      priority: 9999,
      description: 'd',
      uuid,
    });
    expect(body).toMatchObject({ uuid, priority: 9999, description: 'd' });
    expect(body.actions).toEqual([{ op: 'del-attribute', args: ['{item[path]}'], loop }]);
  });

  it('is answered as it was sent: who compares finds no difference', async () => {
    const sent = {
      conditions: [
        condition,
        { ...condition, loop: ['x'] },
        { ...condition, loop: [], multiple: null },
        { op: '! is-true', args: [true], multiple: 'all' },
      ],
      actions: [action, { ...action, loop: [] }, { ...action, loop: null }, { ...action, loop: { a: 1 } }],
    };
    const { body } = await create(sent);
    expect({ conditions: body.conditions, actions: body.actions }).toEqual(sent);
    expect(await read(body.uuid)).toMatchObject(sent);
  });

  it('takes the priority as text, as the command line client sends it', async () => {
    expect((await create({ priority: '7' })).body).toMatchObject({ priority: 7 });
  });

  it.each([
    [{ actions: undefined }, 'actions'],
    [{ actions: [] }, 'at least one action'],
    [{ actions: [{ op: 'explode', args: {} }] }, '"explode" is unknown, there are fail, log, set-attribute'],
    [{ actions: [{ op: 'api-call', args: { url: 'http://169.254.169.254/' } }] }, 'api-call is not possible'],
    [{ actions: [{ op: 'log' }] }, 'actions.0.args'],
    [{ actions: [{ op: 'log', args: { text: 'x' } }] }, 'needs msg'],
    [{ actions: [{ op: 'fail', args: { msg: 'x', level: 'info' } }] }, 'does not take level'],
    [{ actions: [{ op: 'fail', args: ['x', 'y'] }] }, 'does not take argument 2'],
    [{ actions: [{ ...action, args: { path: 'uuid', value: uuid } }] }, '/uuid'],
    [{ actions: [{ ...action, args: { path: '/provision_state', value: 'active' } }] }, '/provision_state'],
    [{ actions: [{ ...action, args: { path: 'driver_info/redfish_address', value: 'x' } }] }, 'redfish_address'],
    [{ actions: [{ ...action, args: { path: 'driver_info/my_password', value: 'x' } }] }, 'for operators to set.'],
    [{ actions: [{ ...action, args: { path: 'driver_info', value: {} } }] }, '/driver_info'],
    [{ actions: [{ ...action, args: { path: 'extra/__proto__/x', value: 1 } }] }, '__proto__'],
    [{ actions: [{ op: 'set-port-attribute', args: { port_id: 'x', path: 'address', value: 'y' } }] }, '/address'],
    [{ actions: [{ ...action, loop: 'x' }] }, 'loop'],
    [{ actions: [{ ...action, loops: [] }] }, 'loops'],
    [{ conditions: [{ op: 'like', args: {} }] }, '"like" is unknown, there are eq, lt, gt'],
    [{ conditions: [{ op: '!!eq', args: { values: [] } }] }, '!!eq'],
    [{ conditions: [{ op: 'eq', args: {} }] }, 'needs values'],
    [{ conditions: [{ op: 'matches', args: { value: 'x', regex: '(' } }] }, 'regular expression'],
    [{ conditions: [{ op: 'matches', args: { value: 'x', regex: 'a{2}(?=b)' } }] }, 'it looks ahead'],
    [{ conditions: [{ op: '!contains', args: ['x', '(a)\\1'] }] }, 'refers back to a group'],
    [{ conditions: [{ op: 'contains', args: ['x', '((a{99}){99}){99}'] }] }, 'it is too large'],
    [{ conditions: [{ ...condition, loop: ['x'], multiple: 'some' }] }, 'multiple'],
    [{ conditions: {} }, 'conditions'],
    [{ priority: -1 }, 'priority'],
    [{ priority: 10000 }, 'priority'],
    [{ priority: 'high' }, 'priority'],
    [{ phase: 'early' }, 'phase'],
    [{ description: 'x'.repeat(256) }, 'description'],
    [{ scope: 'x' }, 'scope'],
  ])('refuses %j with 400', async (body, why) => {
    const { status, error } = await create(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(error).not.toContain('..');
    expect((await front.request(`GET ${path}`)).body.inspection_rules).toEqual([]);
  });

  it('of a taken UUID is refused with 409', async () => {
    expect([(await create({ uuid })).status, (await create({ uuid })).status]).toEqual([201, 409]);
  });
});

describe('before 1.96', () => {
  it.each([
    ['GET', path, 404],
    ['GET', `${path}/${uuid}`, 404],
    ['POST', path, 405],
    ['PATCH', `${path}/${uuid}`, 405],
    ['DELETE', `${path}/${uuid}`, 405],
  ])('%s %s answers %i', async (method, line, status) => {
    expect((await front.request(`${method} ${line}`, { version: '1.95', body: {} })).status).toBe(status);
    expect((await front.request(`GET ${path}`, { version: '1.96' })).status).toBe(200);
  });
});

describe('finding inspection rules', () => {
  it('in lists, briefly, whole, by phase and in any order', async () => {
    const low = await add({ priority: 1 });
    const high = await add({ priority: 7 });
    const { body } = await front.request(`GET ${path}?sort_key=priority&sort_dir=desc&phase=main`);
    expect((body.inspection_rules as { uuid: string }[]).map((rule) => rule.uuid)).toEqual([high, low]);
    expect(Object.keys(body.inspection_rules[0])).toEqual(['uuid', 'description', 'priority', 'phase', 'links']);
    const whole = await front.request(`GET ${path}?detail=true`);
    expect(whole.body.inspection_rules[0]).toMatchObject({ sensitive: false, conditions: [] });
  });

  it.each([
    [`${path}/${uuid}`, 404],
    [`${path}/name`, 400],
    [`${path}?phase=early`, 400],
    [`${path}?sort_key=actions`, 400],
    [`${path}?sort_key=conditions`, 400],
  ])('answers %s with %i', async (line, status) => {
    expect((await front.request(`GET ${line}`)).status).toBe(status);
  });

  it('for an inspection: highest priority first, then as they were made', async () => {
    const uuids: string[] = [];
    for (const priority of [5, 9, 5, 0]) uuids.push(await add({ priority }));
    const [a, b, c, d] = uuids;
    expect((await rulesOfPhase(front.platform.table, 'main')).map((rule) => rule.uuid)).toEqual([b, a, c, d]);
  });
});

describe('a sensitive rule', () => {
  it('never shows its conditions and actions', async () => {
    const made = await create({ sensitive: true, conditions: [condition] });
    const { uuid: ident } = made.body;
    const lists = await front.request(`GET ${path}?detail=true`);
    const some = await front.request(`GET ${path}/${ident}?fields=actions,priority`);
    expect(some.body).toEqual({ actions: null, priority: 0, links: expect.any(Array) });
    for (const shown of [made.body, await read(ident), lists.body.inspection_rules[0]]) {
      expect(shown).toMatchObject({ sensitive: true, conditions: null, actions: null });
    }
    expect((await rulesOfPhase(front.platform.table, 'main'))[0]!.conditions).toEqual([condition]);
  });

  it('stays one', async () => {
    const ident = await add();
    expect((await patch(ident, [set('/sensitive', true)])).body).toMatchObject({ sensitive: true, actions: null });
    for (const body of [
      [set('/sensitive', false)],
      [{ op: 'remove', path: '/sensitive' }],
      [set('/sensitive', 'no')],
    ]) {
      expect((await patch(ident, body)).status).toBe(400);
    }
    expect((await patch(ident, [set('/priority', 3)])).body).toMatchObject({ priority: 3, actions: null });
  });
});

describe('patching an inspection rule', () => {
  it('changes what it names', async () => {
    const ident = await add();
    const log = { op: 'log', args: { msg: 'x' } };
    const { status, body } = await patch(ident, [set('/actions/-', log), set('/conditions', [condition])]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ actions: [action, log], conditions: [condition], updated_at: expect.any(String) });
    expect((await patch(ident, [{ op: 'remove', path: '/conditions' }])).body.conditions).toEqual([]);
  });

  it.each([
    [[{ op: 'remove', path: '/actions' }]],
    [[{ op: 'remove', path: '/actions/0' }]],
    [[set('/actions/0/op', 'api-call')]],
    [[set('/phase', 'early')]],
    [[set('/uuid', uuid)]],
  ])('refuses %j with 400', async (body) => {
    const ident = await add();
    expect((await patch(ident, body)).status).toBe(400);
    expect(await read(ident)).toMatchObject({ updated_at: null });
  });
});

describe('deleting an inspection rule', () => {
  it('takes it out of the inspections to come', async () => {
    const ident = await add();
    expect((await front.request(`DELETE ${path}/${ident}`)).status).toBe(204);
    expect((await front.request(`DELETE ${path}/${ident}`)).status).toBe(404);
    expect(await rulesOfPhase(front.platform.table, 'main')).toEqual([]);
  });
});
