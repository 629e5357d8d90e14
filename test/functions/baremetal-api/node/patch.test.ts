/** PATCH /v1/nodes/{ident} (ironic-api.md 1.7, 2.5). */
import { beforeEach, describe, expect, it } from 'vitest';

import { Unavailable } from '../../../../layers/domain/fault.ts';
import { provisionStates, type ProvisionState } from '../../../../layers/domain/baremetal/transitions.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import { readSecrets, secretsWrite } from '../../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { readRecord } from '../../../../layers/store/records/find.ts';
import { openStored } from '../../../fakes/credentials.ts';
import { createFront } from '../front.ts';

const instance = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';

const set = (path: string, value: unknown) => ({ op: 'add', path, value });
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const remove = (path: string) => ({ op: 'remove', path });

let front: ReturnType<typeof createFront>;
let uuid: string;

const patch = async (body: unknown, options: { version?: string; query?: string } = {}) =>
  front.request(`PATCH /v1/nodes/${uuid}${options.query ?? ''}`, { body, version: options.version ?? 'latest' });
const show = async () => (await front.request(`GET /v1/nodes/${uuid}`)).body;
const force = async (values: Partial<StoredNode>) => front.force(uuid, values);

beforeEach(async () => {
  front = createFront();
  ({ uuid } = await front.enrol({ name: 'n1', extra: { a: 1, list: [1, 2] }, resource_class: 'big' }));
});

describe('a patch', () => {
  it('is not made a second time when the answer to its write is lost', async () => {
    front.platform.table.onWritten = () => {
      front.platform.table.onWritten = undefined;
      throw Unavailable('The table could not be reached.');
    };
    const { status } = await patch([set('/extra/list/-', 3), set('/driver_info/redfish_password', 'new')]);
    expect(status).toBe(503);
    expect(await show()).toMatchObject({ extra: { list: [1, 2, 3] }, driver_info: { redfish_password: '******' } });
  });

  it('changes what it names, answers the whole node and counts as an update', async () => {
    front.platform.clock.advance(5000);
    const { status, body } = await patch([
      replace('/name', 'n2'),
      set('/extra/b', { c: [] }),
      set('/extra/b/c/-', 'x'),
      remove('/extra/a'),
      set('/extra/list/0', 0),
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'n2', extra: { b: { c: ['x'] }, list: [0, 1, 2] } });
    expect(body.updated_at).toBe('2026-01-01T00:00:05.000+00:00');
    expect(await show()).toEqual(body);
    expect((await front.request('GET /v1/nodes/n1')).status).toBe(404);
  });

  it('resets a removed field to its default', async () => {
    await patch([set('/conductor_group', 'east'), set('/maintenance', true), set('/owner', 'me')]);
    const gone = ['/name', '/extra', '/conductor_group', '/maintenance', '/owner', '/resource_class'].map(remove);
    expect((await patch(gone)).body).toMatchObject({
      name: null,
      extra: {},
      conductor_group: '',
      maintenance: false,
      owner: null,
      resource_class: null,
    });
  });

  it.each([
    ['no list', { op: 'add' }, 'body'],
    ['an unknown operation', [{ op: 'move', path: '/name', from: '/extra' }], 'op'],
    ['a surplus key', [{ ...set('/name', 'x'), from: '/a' }], 'from'],
    ['no value', [{ op: 'add', path: '/name' }], 'add /name'],
    ['no path', [{ op: 'remove' }], 'path'],
    ['a path with a dot', [set('/extra/a.b', 1)], '/extra/a.b'],
    ['a path without a slash', [set('extra', {})], 'extra'],
    ['__proto__', [set('/extra/__proto__', { x: 1 })], '__proto__'],
    ['a field that is not there', [set('/bogus', 1)], 'Cannot patch /bogus'],
    ['a field that is read only', [set('/provision_state', 'active')], 'Cannot patch /provision_state'],
    ['traits', [set('/traits', [])], 'Cannot patch /traits'],
    ['uuid', [replace('/uuid', other)], 'Cannot patch /uuid'],
    ['a missing key replaced', [replace('/extra/nope', 1)], 'replace /extra/nope'],
    ['a missing key removed', [remove('/extra/nope')], 'remove /extra/nope'],
    ['a key below a missing one', [set('/extra/x/y', 1)], 'add /extra/x/y'],
    ['a part of text', [set('/name/x', 1)], 'add /name/x'],
    ['an index beyond a list', [set('/extra/list/9', 1)], 'add /extra/list/9'],
    ['the driver removed', [remove('/driver')], 'driver is mandatory'],
    ['a wrong type', [replace('/extra', 'text')], 'extra'],
    ['a wrong name', [replace('/name', 'a b')], 'name'],
    ['a reserved name', [replace('/name', 'states')], 'reserved'],
    ['too long a description', [set('/description', 'x'.repeat(4097))], 'description'],
    ['bad network_data', [set('/network_data', { links: [] })], 'network_data'],
    ['an unknown driver', [replace('/driver', 'ipmi')], 'driver "ipmi"'],
    ['an interface the driver lacks', [set('/deploy_interface', 'direct')], 'deploy_interface'],
    ['a reason without protection', [set('/protected_reason', 'x')], 'protected'],
    ['a reason without retirement', [set('/retired_reason', 'x')], 'retired'],
    ['an unknown chassis', [set('/chassis_uuid', other)], `Chassis ${other}`],
    ['an unknown parent', [set('/parent_node', 'nobody')], 'parent_node'],
    ['itself as parent', [set('/parent_node', 'n1')], 'own parent_node'],
    ['a configdrive', [set('/instance_info/configdrive', 'object:configdrives/x')], 'configdrive'],
  ])('with %s is refused with 400 and changes nothing', async (_name, body, why) => {
    const before = front.platform.table.items();
    const { status, error } = await patch(body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(front.platform.table.items()).toEqual(before);
  });

  it('lists what can be updated when it is refused', async () => {
    const { error } = await patch([set('/bogus', 1)]);
    expect(error).toMatch(
      /Only the following can be updated: automated_clean, bios_interface, .*, vendor_interface\.$/,
    );
  });

  it('of which one operation fails changes nothing', async () => {
    expect((await patch([set('/extra/b', 1), remove('/extra/nope')])).status).toBe(400);
    expect((await show()).extra).toEqual({ a: 1, list: [1, 2] });
  });

  it('with a field that is too new is refused with 406', async () => {
    expect((await patch([set('/owner', 'x')], { version: '1.49' })).status).toBe(406);
    expect((await patch([set('/owner', 'x')], { version: '1.50' })).status).toBe(200);
  });

  it('may have keys in any script', async () => {
    expect((await patch([set('/extra/größe_机', 1)])).body.extra['größe_机']).toBe(1);
  });

  it('may have escaped keys from 1.98', async () => {
    expect((await patch([set('/extra/a~1b~0c', 1)], { version: '1.97' })).status).toBe(400);
    expect((await patch([set('/extra/a~1b~0c', 1)], { version: '1.98' })).body.extra['a/b~c']).toBe(1);
  });

  it('cannot remove the chassis below 1.25', async () => {
    expect((await patch([remove('/chassis_uuid')], { version: '1.24' })).status).toBe(406);
    expect((await patch([remove('/chassis_uuid')], { version: '1.25' })).status).toBe(200);
  });

  it('never loses a concurrent one', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, async (_, n) => patch([set(`/extra/k${n}`, n)])));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await show()).extra)).toHaveLength(17);
  });
});

describe('the state of the node', () => {
  const editable = new Set<ProvisionState>([
    'deploy failed',
    'inspect failed',
    'inspect wait',
    'clean failed',
    'error',
    'verifying',
    'adopt failed',
    'rescue failed',
    'unrescue failed',
    'service hold',
    'service failed',
  ]);

  it.each(provisionStates)('%s with a target decides whether it can be changed', async (state) => {
    await force({ provision_state: state, target_provision_state: 'active' });
    expect((await patch([set('/extra/x', 1)])).status).toBe(editable.has(state) ? 200 : 409);
  });

  it('inspecting refuses from 1.39 on', async () => {
    await force({ provision_state: 'inspecting', target_provision_state: 'manageable' });
    expect((await patch([set('/extra/x', 1)], { version: '1.38' })).status).toBe(200);
    expect((await patch([set('/extra/x', 1)], { version: '1.39' })).status).toBe(409);
  });

  it("locked answers 409 in Ironic's words", async () => {
    await force({ reservation: 'run-1' });
    expect(await patch([set('/extra/x', 1)])).toMatchObject({
      status: 409,
      error: `Node ${uuid} is locked by host run-1, please retry after the current operation is completed.`,
    });
  });

  it('in maintenance always lets an instance go', async () => {
    const busy = { provision_state: 'deploying', target_provision_state: 'active', reservation: 'run-1' } as const;
    await force({ instance_uuid: instance, maintenance: true, ...busy });
    expect((await patch([remove('/instance_uuid'), remove('/name')])).status).toBe(409);
    expect((await patch([remove('/instance_uuid')])).body.instance_uuid).toBeNull();
  });

  it.each([
    ['an interface', [set('/storage_interface', 'fake')], {}],
    ['the resource class', [set('/resource_class', 'small')], {}],
    ['retired', [set('/retired', true)], { provision_state: 'available' }],
    ['protected', [set('/protected', true)], { provision_state: 'available' }],
    [
      'the driver of a running console',
      [replace('/driver', 'redfish')],
      { provision_state: 'manageable', console_enabled: true },
    ],
    ['the instance', [replace('/instance_uuid', other)], { instance_uuid: instance }],
    ['an allocated instance', [remove('/instance_uuid')], { instance_uuid: instance, allocation_uuid: instance }],
  ] as const)('can forbid changing %s with 409', async (_name, body, state) => {
    await force({ provision_state: 'active', ...state });
    expect((await patch(body, { query: body[0].path === '/driver' ? '?reset_interfaces=true' : '' })).status).toBe(409);
  });

  it.each([
    ['an interface in maintenance', [set('/storage_interface', 'fake')], { maintenance: true }],
    ['an interface while available', [set('/storage_interface', 'fake')], { provision_state: 'available' }],
    ['the same interface', [set('/storage_interface', 'noop')], {}],
    ['a first resource class', [set('/resource_class', 'small')], { resource_class: null }],
    ['protected', [set('/protected', true), set('/protected_reason', 'mine')], {}],
    ['retired', [set('/retired', true), set('/retired_reason', 'old')], {}],
    ['the same instance', [set('/instance_uuid', instance)], { instance_uuid: instance }],
    ['the owner, by who may', [set('/owner', 'p2')], {}],
  ] as const)('allows changing %s', async (_name, body, state) => {
    await force({ provision_state: 'active', ...state });
    expect(await patch(body)).toMatchObject({ status: 200 });
  });

  it('forbids changing the owner of an active node to who lacks the rule', async () => {
    await force({ provision_state: 'active' });
    const subject = { user: 'u', project: '', roles: 'member', scope: 'system' };
    const { status } = await front.request(`PATCH /v1/nodes/${uuid}`, { body: [set('/owner', 'x')], subject });
    expect(status).toBe(409);
  });
});

describe('consequences', () => {
  it('clear reasons and fault with their flags', async () => {
    await force({ provision_state: 'active' });
    await patch([
      set('/protected', true),
      set('/protected_reason', 'a'),
      set('/retired', true),
      set('/retired_reason', 'b'),
    ]);
    await force({ maintenance: true, maintenance_reason: 'c', fault: 'power failure' });
    const flags = [set('/protected', false), set('/retired', 'false'), replace('/maintenance', false)];
    expect((await patch(flags)).body).toMatchObject({
      protected_reason: null,
      retired_reason: null,
      maintenance_reason: null,
      fault: null,
    });
  });

  it('take an instance that another node has as a conflict, and move it when it is free', async () => {
    const second = await front.enrol();
    expect((await patch([set('/instance_uuid', instance)])).status).toBe(200);
    const line = `PATCH /v1/nodes/${second.uuid}`;
    expect((await front.request(line, { body: [set('/instance_uuid', instance)] })).status).toBe(409);
    await patch([remove('/instance_uuid')]);
    expect((await front.request(line, { body: [set('/instance_uuid', instance)] })).status).toBe(200);
  });

  it('name the instance after its display name from 1.104', async () => {
    const info = [set('/instance_info', { display_name: 'web' })];
    expect((await patch(info, { version: '1.103' })).status).toBe(200);
    expect((await show()).instance_name).toBeNull();
    expect((await patch(info)).body.instance_name).toBe('web');
    expect((await patch([set('/instance_info/display_name', 'db')])).body.instance_name).toBe('web');
  });
});

describe('a test', () => {
  const test = (path: string, value: unknown) => ({ op: 'test', path, value });

  it('lets a patch through if all is as it says, whatever the order of keys', async () => {
    const same = test('/extra', { list: [1, 2], a: 1 });
    const body = [same, test('/extra/list/1', 2), test('/lessee', null), set('/extra/b', 1), test('/extra/b', 1)];
    expect(await patch(body)).toMatchObject({ status: 200, body: { extra: { a: 1, list: [1, 2], b: 1 } } });
  });

  it.each([
    ['another value', test('/extra/a', 2)],
    ['another type', test('/extra/a', '1')],
    ['more keys', test('/extra', { a: 1 })],
    ['nothing where something is', test('/resource_class', null)],
    ['something where nothing is', test('/lessee', 'p1')],
    ['a key that is not there', test('/extra/toString', null)],
    ['an object with a key of its own', test('/extra/a', { toString: false })],
  ])('that expects %s refuses all of it with 409', async (_what, wrong) => {
    const before = await show();
    expect(await patch([set('/extra/b', 1), wrong])).toMatchObject({
      status: 409,
      error: `Couldn't apply patch operation "test ${wrong.path}": it is something else by now.`,
    });
    expect(await show()).toEqual(before);
  });

  it('compares secrets as they are shown, so that nobody finds one by trying', async () => {
    await patch([set('/driver_info', { redfish_address: 'https://a', redfish_password: 'one' })]);
    const found = async (value: string) => (await patch([test('/driver_info/redfish_password', value)])).status;
    expect([await found('one'), await found('two'), await found('******')]).toEqual([409, 409, 200]);
    await force({ instance_info: { configdrive: 'upload:1', a: 1 } });
    expect((await patch([test('/instance_info', { configdrive: '******', a: 1 })])).status).toBe(200);
    expect((await patch([test('/instance_info', { configdrive: 'upload:1', a: 1 })])).status).toBe(409);
  });

  it('is asked of the node that is written, not of the one that was read', async () => {
    const { write } = front.platform.table;
    let raced = false;
    front.platform.table.write = async (list) => {
      if (!raced) {
        raced = true;
        await force({ extra: { a: 2 } });
      }
      return write(list);
    };
    expect((await patch([test('/extra/a', 1), set('/extra/b', 1)])).status).toBe(409);
    expect((await show()).extra).toEqual({ a: 2 });
  });

  it('needs a value, and a field that may be patched', async () => {
    expect((await patch([{ op: 'test', path: '/extra/a' }])).status).toBe(400);
    expect((await patch([test('/provision_state', 'enroll')])).status).toBe(400);
  });
});

describe('automatic_lessee', () => {
  const query = '?automatic_lessee=true';
  const leased = async () => {
    const { lessee, driver_internal_info: info } = await show();
    return [lessee, info.automatic_lessee];
  };

  it('leases a node to the project of its instance, as a deploy does', async () => {
    await force({ instance_uuid: instance });
    const body = [set('/instance_info/project_id', 'red')];
    expect((await patch(body, { query })).body).toMatchObject({ lessee: 'red', instance_info: { project_id: 'red' } });
    expect(await leased()).toEqual(['red', true]);
    // It has one by now.
    await patch([set('/instance_info/project_id', 'blue')], { query });
    expect(await leased()).toEqual(['red', true]);
  });

  it.each([
    ['there is no instance', {}],
    ['it is of no project', { instance_uuid: instance, instance_info: {} }],
    ['there is a lessee', { instance_uuid: instance, lessee: 'green' }],
  ])('changes nothing where %s', async (_why, values) => {
    await force({ instance_info: { project_id: 'red' }, ...values });
    await patch([], { query });
    expect(await leased()).toEqual([(values as { lessee?: string }).lessee ?? null, undefined]);
  });

  it('is given up for a lessee that somebody names, who then stays', async () => {
    await force({ instance_uuid: instance, instance_info: { project_id: 'red' } });
    await patch([], { query });
    await patch([set('/lessee', 'green')]);
    expect(await leased()).toEqual(['green', undefined]);
  });

  it('is for who may set the lessee, from 1.65 on', async () => {
    await force({ instance_uuid: instance, instance_info: { project_id: 'red' }, owner: 'red', lessee: null });
    expect((await patch([], { query, version: '1.64' })).status).toBe(406);
    const subject = { user: 'u', project: 'red', roles: 'reader', scope: 'project' };
    const asked = async (more: string) =>
      (await front.request(`PATCH /v1/nodes/${uuid}${more}`, { body: [], subject })).status;
    expect([await asked(''), await asked(query)]).toEqual([403, 403]);
    expect(await leased()).toEqual([null, undefined]);
  });
});

describe('a patch without paths', () => {
  it('changes nothing, for who may change nodes only', async () => {
    const asked = async (subject: Record<string, string>) =>
      (await front.request(`PATCH /v1/nodes/${uuid}`, { body: [], subject })).status;
    const system = { user: 'u', project: '', scope: 'system' };
    expect(await asked({ ...system, roles: 'reader' })).toBe(403);
    expect(await asked({ ...system, roles: 'member,reader' })).toBe(200);
  });
});

describe('the driver', () => {
  it('changes only to one that has the interfaces, or resets them', async () => {
    expect((await patch([replace('/driver', 'redfish')])).status).toBe(400);
    expect((await patch([replace('/driver', 'redfish')], { query: '?reset_interfaces=true' })).body).toMatchObject({
      driver: 'redfish',
      power_interface: 'redfish',
      deploy_interface: 'direct',
    });
  });

  it('keeps what is given beside a reset', async () => {
    const body = [replace('/driver', 'redfish'), set('/deploy_interface', 'ramdisk')];
    expect((await patch(body, { query: '?reset_interfaces=True' })).body.deploy_interface).toBe('ramdisk');
    expect((await patch([remove('/deploy_interface')])).body.deploy_interface).toBe('direct');
  });

  it('has to change for a reset, which needs 1.45', async () => {
    expect((await patch([set('/extra/x', 1)], { query: '?reset_interfaces=true' })).status).toBe(400);
    const early = { query: '?reset_interfaces=true', version: '1.44' };
    expect((await patch([replace('/driver', 'redfish')], early)).status).toBe(406);
  });
});

describe('credentials', () => {
  const sealed = async () => (await readSecrets(front.platform.table, uuid)).values;
  const opened = async (name: string) => openStored(front.platform, uuid, name).catch(() => undefined);

  beforeEach(async () => {
    await patch([set('/driver_info', { redfish_address: 'https://a', redfish_password: 'one' })]);
  });

  it('are replaced one by one', async () => {
    const { body } = await patch([replace('/driver_info/redfish_password', 'two')]);
    expect(body.driver_info).toEqual({ redfish_address: 'https://a', redfish_password: '******' });
    expect(await opened('redfish_password')).toBe('two');
    expect(JSON.stringify(front.platform.table.items())).not.toContain('"two"');
  });

  it('stay as they are when the mask comes back', async () => {
    await patch([replace('/driver_info', { redfish_address: 'https://a', B1: 'b', redfish_password: '******' })]);
    expect((await show()).driver_info).toEqual({ redfish_address: 'https://a', B1: 'b', redfish_password: '******' });
    expect(await opened('redfish_password')).toBe('one');
    await patch([set('/driver_info/redfish_username', 'admin')]);
    expect(await opened('redfish_password')).toBe('one');
  });

  it.each([
    ['its address', [set('/driver_info/redfish_address', 'https://b')], 'redfish_address'],
    ['whom to trust', [set('/driver_info/redfish_verify_ca', false)], 'redfish_verify_ca'],
    [
      'the whole of driver_info',
      [replace('/driver_info', { redfish_address: 'https://b', redfish_verify_ca: false, redfish_password: '******' })],
      'redfish_address and redfish_verify_ca',
    ],
    [
      'the driver as well',
      [set('/driver', 'fake-hardware'), remove('/driver_info/redfish_address')],
      'redfish_address',
    ],
  ])('have to come along with a change of %s', async (_, steps, names) => {
    const before = await show();
    const refused = await patch(steps);
    expect(refused).toMatchObject({
      status: 400,
      error: expect.stringContaining(
        `${names} is to be another: give driver_info.redfish_password in the same request`,
      ) as string,
    });
    expect(await show()).toEqual(before);
    expect((await patch([...steps, set('/driver_info/redfish_password', 'two')])).status).toBe(200);
    expect(await opened('redfish_password')).toBe('two');
  });

  it('go with the request that changes the address without them', async () => {
    await patch([remove('/driver_info/redfish_password'), set('/driver_info/redfish_address', 'https://b')]);
    expect((await show()).driver_info).toEqual({ redfish_address: 'https://b' });
    expect(await sealed()).toEqual({});
  });

  it('of an earlier version are kept by the same rule, and are sealed for their BMC when they are given again', async () => {
    const known = await readSecrets(front.platform.table, uuid);
    const old = await front.platform.sealer.seal('old', { node: uuid, name: 'redfish_password' });
    await front.platform.table.write([secretsWrite(uuid, known, { redfish_password: old })]);
    expect((await patch([set('/driver_info/redfish_username', 'admin')])).status).toBe(200);
    expect(await opened('redfish_password')).toBe('old');
    expect((await patch([set('/driver_info/redfish_address', 'https://b')])).status).toBe(400);
    await patch([set('/driver_info/redfish_password', 'new')]);
    await force({ driver_info: { redfish_address: 'https://b', redfish_password: '******' } });
    expect(await opened('redfish_password')).toBe(undefined);
  });

  it('are not asked for by what decides nothing of who gets them', async () => {
    expect((await patch([set('/driver_info/redfish_auth_type', 'basic')])).status).toBe(200);
    await patch([set('/driver_info/snmp_password', 'three')]);
    await patch([set('/driver_info/redfish_address', 'https://b'), set('/driver_info/redfish_password', 'two')]);
    expect(await opened('snmp_password')).toBe('three');
  });

  it.each(['driver_info', 'instance_info'])(
    'in a URL of %s are not shown, and stay when their mask comes back',
    async (field) => {
      const url = 'https://isouser:hunter2@images.test/a.iso';
      const at = `/${field}/${field === 'driver_info' ? 'deploy_iso' : 'image_source'}`;
      const key = at.split('/')[2]!;
      const kept = async () => {
        const node = (await readRecord(front.platform.table, kinds.node, uuid)) as unknown as Record<string, object>;
        return (node[field] as Record<string, unknown>)[key];
      };
      const { body } = await patch([set(at, url)]);
      const shown = body[field] as Record<string, unknown>;
      expect(shown[key]).toBe('https://******@images.test/a.iso');
      expect((await patch([replace(`/${field}`, { ...shown, other: 1 })])).status).toBe(200);
      expect(await kept()).toBe(url);
      const elsewhere = await patch([set(at, 'https://******@evil.test/a.iso')]);
      expect([elsewhere.status, elsewhere.error]).toEqual([400, expect.stringContaining('******')]);
      expect(JSON.stringify([await show(), front.platform.log.lines])).not.toContain('hunter2');
    },
  );

  it('below other names stay, change and go like those at the top', async () => {
    await patch([set('/driver_info/vendor', { url: 'u', sub: { api_key: 'one' } })]);
    await patch([replace('/driver_info/vendor', { url: 'v', sub: { api_key: '******' } })]);
    expect(await opened('/vendor/sub/api_key')).toBe('one');
    await patch([replace('/driver_info/vendor/sub/api_key', 'two')]);
    expect(await opened('/vendor/sub/api_key')).toBe('two');
    expect((await show()).driver_info).toMatchObject({ vendor: { url: 'v', sub: { api_key: '******' } } });
    expect((await patch([set('/driver_info/vendor/pwd', '******')])).status).toBe(400);
    await patch([remove('/driver_info/vendor')]);
    expect(Object.keys(await sealed())).toEqual(['redfish_password']);
  });

  it('that an older version has stored as they came are sealed with the next change', async () => {
    const access = { redfish_address: 'https://a', redfish_password: '******' };
    await force({ driver_info: { ...access, api_key: 'clear-1', vendor: { pwd: 'clear-2' } } });
    const { driver_info: info } = await show();
    expect(info).toEqual({ ...access, api_key: '******', vendor: { pwd: '******' } });
    expect((await patch([replace('/driver_info', { ...info, redfish_username: 'c' })])).status).toBe(200);
    expect([await opened('redfish_password'), await opened('api_key'), await opened('/vendor/pwd')]).toEqual([
      'one',
      'clear-1',
      'clear-2',
    ]);
    expect(JSON.stringify(front.platform.table.items())).not.toContain('clear-');
  });

  it('are gone when their key is gone', async () => {
    await patch([remove('/driver_info/redfish_password')]);
    expect(await sealed()).toEqual({});
    await patch([set('/driver_info/redfish_password', 'three'), remove('/driver_info')]);
    expect(await sealed()).toEqual({});
  });

  it('leave the token of the agent alone', async () => {
    const before = await readSecrets(front.platform.table, uuid);
    await front.platform.table.write([secretsWrite(uuid, before, { ...before.values, agent_secret_token: 'sealed' })]);
    await patch([remove('/driver_info/redfish_password')]);
    expect(await sealed()).toEqual({ agent_secret_token: 'sealed' });
  });

  it('survive other clients that set other ones at the same time', async () => {
    const names = Array.from({ length: 5 }, (_, n) => `bmc${n}_password`);
    const answers = await Promise.all(names.map(async (name) => patch([set(`/driver_info/${name}`, name)])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const name of names) expect(await opened(name)).toBe(name);
  });

  it('are not asked for again by a mask that stands for nothing', async () => {
    expect((await patch([set('/driver_info/other_password', '******')])).status).toBe(400);
  });

  it('of the steps in progress are not shown', async () => {
    const step = { interface: 'deploy', step: 'x', args: { users: [{ name: 'a', sys_pswd: 'p' }], bmc_password: 'q' } };
    await force({ clean_step: step, deploy_step: step, service_step: step });
    const shown = { ...step, args: { users: [{ name: 'a', sys_pswd: '******' }], bmc_password: '******' } };
    expect(await show()).toMatchObject({ clean_step: shown, deploy_step: shown, service_step: shown });
  });

  it('of instance_info keep their value when the mask comes back', async () => {
    await patch([set('/instance_info', { image_url: 'http://u?sig', root_gb: 1 })]);
    await patch([replace('/instance_info', { image_url: '******', root_gb: 2 })]);
    const stored = front.platform.table.items().find(({ sk }) => sk === 'instance_info');
    expect(stored?.['values']).toEqual({ image_url: 'http://u?sig', root_gb: 2 });
  });
});
