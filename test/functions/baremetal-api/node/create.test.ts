/** POST /v1/nodes (ironic-api.md 2.4), and what it stores. */
import { describe, expect, it } from 'vitest';

import { readSecrets } from '../../../../layers/store/node-secrets.ts';
import { withoutNote } from '../../../layers/store/due-entries.ts';
import { openStored } from '../../../fakes/credentials.ts';
import { createFront } from '../front.ts';

const uuid = '11111111-1111-4111-8111-111111111111';
const create = async (front: ReturnType<typeof createFront>, body: object, version = 'latest') =>
  front.request('POST /v1/nodes', { version, body: { driver: 'fake-hardware', ...body } });

describe('creating a node', () => {
  it('needs a driver and nothing else; the rest has defaults', async () => {
    const front = createFront();
    const { status, body, headers } = await front.request('POST /v1/nodes', { body: { driver: 'fake-hardware' } });
    expect(status).toBe(201);
    expect(headers['Location']).toBe(`http://metal.test/v1/nodes/${body.uuid}`);
    expect(body).toMatchObject({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provision_state: 'enroll',
      target_provision_state: null,
      power_state: null,
      maintenance: false,
      conductor_group: '',
      deploy_interface: 'fake',
      network_interface: 'noop',
      extra: {},
      traits: [],
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
    });
    expect((await front.request('POST /v1/nodes', { body: {} })).error).toBe('Missing mandatory parameter: driver.');
  });

  it('shows the node as it is then shown by UUID and by name', async () => {
    const front = createFront();
    const made = await create(front, { name: 'n1', uuid: uuid.toUpperCase(), properties: { cpus: 4 }, owner: 'me' });
    expect(made.body).toMatchObject({ uuid, name: 'n1', properties: { cpus: 4 }, owner: 'me' });
    for (const ident of [uuid, uuid.toUpperCase(), 'n1']) {
      expect((await front.request(`GET /v1/nodes/${ident}`)).body).toEqual(made.body);
    }
    const { body } = await front.request('GET /v1/nodes/n1?fields=driver,conductor');
    expect(body).toEqual({ driver: 'fake-hardware', conductor: 'ingot', links: made.body.links });
  });

  it('takes words for booleans and normalises what has a normal form', async () => {
    const { body } = await create(createFront(), { maintenance: 'yes', retired: 'Off', conductor_group: 'EAST' });
    expect(body).toMatchObject({ maintenance: true, retired: false, conductor_group: 'east' });
  });

  it.each([
    [{ bogus: 1 }, 'Unexpected arguments: bogus.'],
    [{ provision_state: 'active' }, 'provision_state'],
    [{ power_state: 'power on' }, 'power_state'],
    [{ protected: true }, 'protected'],
    [{ reservation: 'me' }, 'reservation'],
    [{ driver: 'ipmi' }, 'driver "ipmi"'],
    [{ driver: 7 }, 'driver'],
    [{ deploy_interface: 'nope' }, 'deploy_interface'],
    [{ uuid: 'x' }, 'uuid'],
    [{ name: 'a b' }, 'name'],
    [{ name: uuid }, 'UUID'],
    [{ name: 'detail' }, 'reserved'],
    [{ name: '' }, 'name'],
    [{ resource_class: 'x'.repeat(81) }, 'resource_class'],
    [{ description: 'x'.repeat(4097) }, 'description'],
    [{ extra: [] }, 'extra'],
    [{ properties: 'x' }, 'properties'],
    [{ maintenance: 'maybe' }, 'maintenance'],
    [{ retired_reason: 'old' }, 'retired'],
    [{ properties: { capabilities: 'a:b,boot_mode:cga' } }, 'boot_mode cga'],
    [{ network_data: { links: [] } }, 'networks, services'],
    [{ chassis_uuid: uuid }, `Chassis ${uuid}`],
    [{ parent_node: 'nobody' }, 'parent_node'],
    [{ instance_info: { configdrive: 'H4sI' } }, 'configdrive'],
    [{ driver_info: { redfish_password: 7 } }, 'driver_info.redfish_password'],
    [{ driver_info: { redfish_password: '******' } }, 'driver_info.redfish_password'],
    [{ driver_info: { agent_secret_token: 'x' } }, 'agent_secret_token'],
  ])('refuses %j with 400 and says why', async (body, why) => {
    const front = createFront();
    const { status, error } = await create(front, body);
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
    expect(withoutNote(front.platform.table.items())).toEqual([]);
  });

  it.each([
    [{ uuid }, { uuid }],
    [{ name: 'same' }, { name: 'same' }],
    [{ instance_uuid: uuid }, { instance_uuid: uuid.toUpperCase() }],
  ])('answers 409 when %j is taken', async (first, second) => {
    const front = createFront();
    expect((await create(front, first)).status).toBe(201);
    const { status, error } = await create(front, second);
    expect([status, error]).toEqual([409, expect.stringContaining('already exists')]);
    expect((await front.request('GET /v1/nodes')).body.nodes).toHaveLength(1);
  });

  it('has one winner among many that want one name', async () => {
    const front = createFront();
    const answers = await Promise.all(Array.from({ length: 50 }, async () => create(front, { name: 'one' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  });

  it('knows names from 1.5 and free names from 1.10', async () => {
    const front = createFront();
    expect((await create(front, { name: 'host-1' }, '1.4')).status).toBe(406);
    expect((await create(front, { name: 'not_a_host' }, '1.9')).status).toBe(400);
    expect((await create(front, { name: 'host-1' }, '1.9')).status).toBe(201);
    expect((await create(front, { name: 'not_a_host' }, '1.10')).status).toBe(201);
    expect((await front.request('GET /v1/nodes/host-1', { version: '1.4' })).status).toBe(404);
  });

  it('starts available below 1.11, shown as null below 1.2', async () => {
    const front = createFront();
    expect((await create(front, {}, '1.11')).body.provision_state).toBe('enroll');
    const { body } = await create(front, {}, '1.10');
    expect(body.provision_state).toBe('available');
    expect((await front.request(`GET /v1/nodes/${body.uuid}`, { version: '1.1' })).body.provision_state).toBeNull();
  });

  it('accepts the name of a parent and keeps its UUID', async () => {
    const front = createFront();
    const parent = await front.enrol({ name: 'chassis' });
    expect((await create(front, { parent_node: 'chassis' })).body.parent_node).toBe(parent.uuid);
  });
});

describe('credentials', () => {
  const secret = 'hunter2-very-secret';
  const redfish = { driver: 'redfish', driver_info: { redfish_address: 'https://bmc', redfish_password: secret } };

  it('are sealed for this node and name, and nothing else in the table holds them', async () => {
    const front = createFront();
    const { body } = await create(front, redfish);
    expect(body.driver_info).toEqual({ redfish_address: 'https://bmc', redfish_password: '******' });
    expect(JSON.stringify(front.platform.table.items())).not.toContain(secret);
    expect(await openStored(front.platform, body.uuid as string, 'redfish_password')).toBe(secret);
  });

  it('are recognised by their names too, whatever the driver', async () => {
    const front = createFront();
    const { body } = await create(front, {
      driver_info: { ipmi_password: secret, snmp_auth_key: secret, empty_token: '' },
    });
    expect(body.driver_info).toEqual({ ipmi_password: '******', snmp_auth_key: '******', empty_token: '******' });
    expect(JSON.stringify(front.platform.table.items())).not.toContain(secret);
  });

  it('are sealed wherever they stand, each for its place, and whatever they are', async () => {
    const front = createFront();
    const { body } = await create(front, {
      driver_info: {
        vendor: { address: 'a', sub: { api_key: secret } },
        vault_password: ['x', { y: secret }],
        'a/b': { pass: `${secret}2` },
        x_token: false,
      },
    });
    expect(body.driver_info).toEqual({
      vendor: { address: 'a', sub: { api_key: '******' } },
      vault_password: '******',
      'a/b': { pass: '******' },
      x_token: '******',
    });
    expect(JSON.stringify(front.platform.table.items())).not.toContain(secret);
    const { values } = await readSecrets(front.platform.table, body.uuid);
    const opened = Object.entries(values).map(async ([name, sealed]) => [
      name,
      await front.platform.opener.open(sealed, { node: body.uuid as string, name }),
    ]);
    expect(Object.fromEntries((await Promise.all(opened)) as [string, string][])).toEqual({
      '/vendor/sub/api_key': secret,
      vault_password: JSON.stringify(['x', { y: secret }]),
      '/a~1b/pass': `${secret}2`,
      x_token: 'false',
    });
  });

  it('are refused in lists, where nobody could tell which of them a mask stands for', async () => {
    const front = createFront();
    const { status, error } = await create(front, { driver_info: { bmcs: [{ name: 'a', password: secret }] } });
    expect([status, error]).toEqual([
      400,
      expect.stringContaining('driver_info.bmcs: "password" can not be kept in a list'),
    ]);
    expect(error).not.toContain(secret);
  });
});

it('answers 4xx, not 500, to a record that is too large to be stored', async () => {
  const front = createFront();
  const { status, error } = await create(front, { extra: { x: 'y'.repeat(900_000) } });
  expect([status, error]).toEqual([413, expect.stringMatching(/./)]);
  expect(withoutNote(front.platform.table.items())).toEqual([]);
});
