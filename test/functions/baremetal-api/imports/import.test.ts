/** POST /v1/imports: records of another installation, as they are. */
import { beforeEach, describe, expect, it } from 'vitest';

import { importKinds } from '../../../../functions/baremetal-api/imports/rows.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import { readSecrets } from '../../../../layers/store/node-secrets.ts';
import { openStored } from '../../../fakes/credentials.ts';
import { createFront, type Options } from '../front.ts';

type Values = Record<string, unknown>;

const id = (kind: number, one: number) =>
  `${kind}${kind}${kind}${kind}${kind}${kind}${kind}${kind}-0000-4000-8000-00000000000${one}`;
const times = { created_at: '2014-06-01T08:00:01+00:00', updated_at: '2014-09-10T11:22:33+00:00' };
const node = id(1, 1);
const instance = id(9, 1);

/** One of each kind, which belong together. */
const samples: Readonly<Record<string, Values>> = {
  chassis: { uuid: id(2, 1), description: 'Row 4', extra: { rack: 7 }, ...times },
  deploy_template: {
    uuid: id(3, 1),
    name: 'CUSTOM_RAID',
    steps: [{ interface: 'raid', step: 'create_configuration', args: {}, priority: 95 }],
    ...times,
  },
  runbook: {
    uuid: id(4, 1),
    name: 'firmware',
    steps: [{ interface: 'bios', step: 'factory_reset', args: {}, order: 1 }],
    traits: ['CUSTOM_OLD'],
    owner: 'red',
    ...times,
  },
  inspection_rule: {
    uuid: id(5, 1),
    actions: [{ op: 'set-attribute', args: { path: '/extra/a', value: 'b' } }],
    ...times,
  },
  node: {
    uuid: node,
    name: 'web-1',
    driver: 'redfish',
    driver_info: { redfish_address: 'https://10.0.0.1', redfish_username: 'admin', redfish_password: 'canary-1' },
    properties: { cpus: 8, memory_mb: 16384 },
    instance_uuid: instance,
    instance_info: { display_name: 'web-01', root_gb: '40' },
    provision_state: 'active',
    power_state: 'power on',
    provision_updated_at: '2014-09-10T11:22:33+00:00',
    chassis_uuid: id(2, 1),
    allocation_uuid: instance,
    traits: ['HW_CPU_X86_VMX', 'CUSTOM_GOLD'],
    owner: 'red',
    lessee: 'blue',
    protected: true,
    ...times,
  },
  portgroup: { uuid: id(6, 1), node_uuid: node, address: '52:54:00:AA:00:10', name: 'bond0', ...times },
  port: {
    uuid: id(7, 1),
    node_uuid: node,
    portgroup_uuid: id(6, 1),
    address: '52:54:00:AA:00:01',
    internal_info: { tenant_vif_port_id: id(9, 7) },
    ...times,
  },
  volume_connector: { uuid: id(8, 1), node_uuid: node, type: 'iqn', connector_id: 'iqn.2017-07.org:1', ...times },
  volume_target: {
    uuid: id(8, 2),
    node_uuid: node,
    volume_type: 'iscsi',
    boot_index: 0,
    volume_id: 'v-1',
    ...times,
  },
  allocation: {
    uuid: instance,
    name: 'web',
    node_uuid: node,
    state: 'active',
    resource_class: 'gold',
    candidate_nodes: [node],
    owner: 'red',
    ...times,
  },
};
const all = Object.entries(samples).map(([kind, record]) => ({ kind, record }));

let front: ReturnType<typeof createFront>;
const send = async (records: readonly object[], options: Options = {}) =>
  front.request('POST /v1/imports', { body: { records }, ...options });
const outcomes = async (...records: readonly object[]): Promise<Values[]> => {
  const { status, body, error } = await send(records);
  expect([status, error]).toEqual([200, '']);
  return body.results;
};
const aNode = (more: Values = {}) => ({ kind: 'node', record: { ...samples['node'], chassis_uuid: null, ...more } });
const show = async (path: string) => (await front.request(`GET /v1/${path}`)).body;

beforeEach(() => {
  front = createFront();
});

describe('a batch', () => {
  it('may have every kind that there is', () => {
    expect(importKinds.toSorted()).toEqual(Object.keys(kinds).toSorted());
  });

  it('writes one of each kind, whatever their order, with uuids, states and times kept', async () => {
    expect(all.map(({ kind }) => kind).toSorted()).toEqual([...importKinds].toSorted());
    const results = await outcomes(...all.toReversed());
    expect(results.map(({ kind, outcome, reason }) => [kind, outcome, reason])).toEqual(
      all.toReversed().map(({ kind }) => [kind, 'created', undefined]),
    );
    expect(await show(`nodes/${node}`)).toMatchObject({
      ...samples['node'],
      driver_info: { redfish_address: 'https://10.0.0.1', redfish_username: 'admin', redfish_password: '******' },
      traits: ['CUSTOM_GOLD', 'HW_CPU_X86_VMX'],
      power_interface: 'redfish',
      reservation: null,
      driver_internal_info: { takeover: { state: 'pending', since: '2026-01-01T00:00:00.000+00:00' } },
    });
    expect(await show(`ports/${id(7, 1)}`)).toMatchObject({
      ...samples['port'],
      address: '52:54:00:aa:00:01',
    });
    expect(await show(`allocations/${instance}`)).toMatchObject(samples['allocation']!);
    expect(await show(`runbooks/${id(4, 1)}`)).toMatchObject(samples['runbook']!);
    expect((await show('nodes')).nodes).toHaveLength(1);
  });

  it('changes nothing when it comes again, and says so', async () => {
    await outcomes(...all);
    const before = await show(`nodes/${node}`);
    const again = await outcomes(...all);
    expect(again.map(({ outcome }) => outcome)).toEqual(all.map(() => 'unchanged'));
    expect(await show(`nodes/${node}`)).toEqual(before);
  });

  it('says unchanged of what was written by its own first half, and of a record that it has twice', async () => {
    await outcomes(...all.slice(0, 5));
    expect((await outcomes(...all, all[0]!)).map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 5 }, () => 'unchanged'),
      ...Array.from({ length: 5 }, () => 'created'),
      'unchanged',
    ]);
  });

  it('never writes over what is there: it names the fields that differ', async () => {
    await outcomes(...all);
    const changed = aNode({
      chassis_uuid: id(2, 1),
      description: 'other',
      driver_info: { redfish_address: 'https://10.0.0.2', redfish_username: 'admin', redfish_password: 'canary-1' },
      instance_info: {},
    });
    const before = await show(`nodes/${node}`);
    expect(await outcomes(changed)).toEqual([
      {
        kind: 'node',
        uuid: node,
        outcome: 'conflict',
        fields: ['driver_info', 'instance_info', 'description'].toSorted((a, b) => order(a) - order(b)),
        reason: expect.stringContaining('it stays as it is') as string,
      },
    ]);
    expect(await show(`nodes/${node}`)).toEqual(before);
  });

  it('goes by what a machine says of itself as little as by when it was touched last', async () => {
    await outcomes(aNode());
    await front.force(node, { power_state: 'power off', health: 'OK' });
    expect(await outcomes(aNode())).toMatchObject([{ outcome: 'unchanged' }]);
  });

  it('names the field whose value another record has', async () => {
    await outcomes(aNode());
    const other = aNode({ uuid: id(1, 2), allocation_uuid: null });
    expect(await outcomes(other)).toEqual([
      {
        kind: 'node',
        uuid: id(1, 2),
        outcome: 'conflict',
        fields: ['name', 'instance_uuid'],
        reason: expect.stringContaining('choose another') as string,
      },
    ]);
    expect((await show('nodes')).nodes).toHaveLength(1);
  });
});

describe('a dry run', () => {
  const foreseen = async (...records: readonly object[]): Promise<Values[]> => {
    const { status, body, error } = await front.request('POST /v1/imports', { body: { records, dry_run: true } });
    expect([status, error]).toEqual([200, '']);
    return body.results;
  };
  const words = (results: Values[]) => results.map(({ outcome, fields }) => [outcome, fields]);

  it('tells what would be created, and creates nothing: what belongs to a node comes with it', async () => {
    expect(words(await foreseen(...all))).toEqual(all.map(() => ['created', undefined]));
    expect((await show('nodes')).nodes).toEqual([]);
    expect((await readSecrets(front.platform.table, node)).values).toEqual({});
    expect((await outcomes(...all)).map(({ outcome }) => outcome)).toEqual(all.map(() => 'created'));
  });

  it('tells what is here, what is here otherwise, and whose values another has', async () => {
    await outcomes(...all);
    const before = await show(`nodes/${node}`);
    expect(words(await foreseen(...all))).toEqual(all.map(() => ['unchanged', undefined]));
    const { port } = samples;
    const others = [
      aNode({ chassis_uuid: id(2, 1), description: 'other' }),
      aNode({ uuid: id(1, 2), name: 'web-2', allocation_uuid: null }),
      { kind: 'port', record: { ...port, uuid: id(7, 2), node_uuid: id(1, 2), portgroup_uuid: null } },
      aNode({ uuid: id(1, 3), provision_state: 'deploying' }),
    ];
    expect(words(await foreseen(...others))).toEqual([
      ['conflict', ['description']],
      ['conflict', ['instance_uuid']],
      ['conflict', ['address']],
      ['refused', undefined],
    ]);
    expect(await show(`nodes/${node}`)).toEqual(before);
    expect((await show('nodes')).nodes).toHaveLength(1);
  });
});

const order = (name: string): number => Object.keys(aNode({ description: '' }).record).indexOf(name);

describe('a record is refused with the reason, and the others are written:', () => {
  it.each<[why: string, kind: string, more: Values]>([
    ['provision_state deploying is that of work in progress', 'node', { provision_state: 'deploying' }],
    ['provision_state clean hold is that of work', 'node', { provision_state: 'clean hold' }],
    ['Missing mandatory parameter: provision_state', 'node', { provision_state: null }],
    ['Missing mandatory parameter: uuid', 'node', { uuid: null }],
    ['target_provision_state must be null', 'node', { target_provision_state: 'available' }],
    ['reservation is of the service', 'node', { reservation: 'conductor-1' }],
    ['driver_internal_info is of the service', 'node', { driver_internal_info: { agent_url: 'http://x' } }],
    ['console_enabled is of the service', 'node', { console_enabled: true }],
    ['Unexpected arguments: generation, pk', 'node', { generation: 7, pk: 'x' }],
    ['Unexpected arguments: conductor', 'node', { conductor: 'a' }],
    ['No conductor supports driver "snmp"', 'node', { driver: 'snmp' }],
    ['does not support boot_interface "ipxe"', 'node', { boot_interface: 'ipxe' }],
    ['"gold" is not a trait', 'node', { traits: ['gold'] }],
    ['Cannot use the name "detail"', 'node', { name: 'detail' }],
    ['what it encodes', 'node', { instance_info: { configdrive: 'AAAA' } }],
    ['neither a URL nor base64', 'node', { instance_info: { configdrive: '******' } }],
    ['no value is stored that it stands for', 'node', { driver_info: { redfish_password: '******' } }],
    ['The chassis could not be found', 'node', { chassis_uuid: id(2, 9) }],
    ['could not be found', 'port', { node_uuid: id(1, 9), portgroup_uuid: null }],
    ['must be a MAC address', 'port', { address: 'zz', portgroup_uuid: null }],
    ['have to name each other', 'allocation', {}],
    ['state must be active or error', 'allocation', { state: 'allocating' }],
    ['There cannot be an owner for a public runbook', 'runbook', { public: true }],
  ])('%s', async (why, kind, more) => {
    const bad = { kind, record: { ...samples[kind], ...(kind === 'node' && { chassis_uuid: null }), ...more } };
    const [first, second] = await outcomes(bad, { kind: 'chassis', record: samples['chassis']! });
    expect(first).toMatchObject({ kind, outcome: 'refused', reason: expect.stringContaining(why) as string });
    expect(second).toMatchObject({ outcome: 'created' });
    expect((await show('nodes')).nodes).toEqual([]);
  });

  it('a port of a group that its node does not have', async () => {
    const [, port] = await outcomes(aNode(), { kind: 'port', record: samples['port']! });
    expect(port).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('not be found on node') as string,
    });
  });

  it('an item of the table that would be too large', async () => {
    const [one] = await outcomes(aNode({ extra: { text: 'x'.repeat(400 * 1024) } }));
    expect(one).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('at most 409600') as string });
  });
});

describe('the operation', () => {
  it('is for administrators of the system', async () => {
    for (const subject of [
      { user: 'u', project: '', roles: 'member', scope: 'system' },
      { user: 'u', project: '', roles: 'service', scope: 'system' },
      { user: 'u', project: 'red', roles: 'admin', scope: 'project' },
    ]) {
      const { status, error } = await send(all, { subject });
      expect([status, error]).toEqual([403, expect.stringContaining('baremetal:import:create')]);
    }
    expect((await show('nodes')).nodes).toEqual([]);
  });

  it('takes every field at every microversion: what a version does not know must not be lost', async () => {
    const { status, body } = await send([aNode({ instance_name: 'web', retired: true })], { version: '1.1' });
    expect([status, body.results[0].outcome]).toEqual([200, 'created']);
  });

  it.each<[why: string, body: unknown]>([
    ['records', {}],
    ['at least one record', { records: [] }],
    ['at most 500', { records: Array.from({ length: 501 }, () => all[0]) }],
    ['records.0.kind', { records: [{ kind: 'conductor', record: {} }] }],
    ['Unexpected arguments: force', { records: all, force: true }],
  ])('refuses a batch for its %s', async (why, body) => {
    const { status, error } = await front.request('POST /v1/imports', { body });
    expect([status, error]).toEqual([400, expect.stringContaining(why)]);
  });

  it('takes up to 5 MiB, which Lambda gets through', async () => {
    const { status } = await send([aNode({ extra: { text: 'x'.repeat(5 * 1024 * 1024) } })]);
    expect(status).toBe(413);
  });

  it('is no word of Ironic, whose clients look at /v1', async () => {
    expect(await show('')).not.toHaveProperty('imports');
  });

  it('leaves POST /v1/nodes as it was: a state is refused there', async () => {
    for (const more of [{ provision_state: 'active' }, { power_state: 'power on' }]) {
      const { status } = await front.request('POST /v1/nodes', { body: { driver: 'redfish', ...more } });
      expect(status).toBe(400);
    }
  });
});

describe('credentials', () => {
  it('are sealed, and stand nowhere else', async () => {
    await outcomes(...all);
    const { platform } = front;
    expect(await openStored(platform, node, 'redfish_password')).toBe('canary-1');
    const history = await show(`nodes/${node}/history`);
    const stored = await platform.table.get({ pk: `node#${node}`, sk: kinds.node.name });
    expect(JSON.stringify([history, stored, await show(`nodes/${node}`)])).not.toContain('canary');
  });

  it('are told by no refusal and no conflict', async () => {
    await outcomes(aNode());
    const info = { redfish_password: 'canary-2', redfish_address: 'https://10.9.9.9' };
    const { body } = await send([
      aNode({ driver_info: info }),
      aNode({ uuid: id(1, 2), driver_info: info }),
      aNode({ uuid: id(1, 3), driver_info: { ...info, redfish_password: { canary: 'canary-3' } } }),
      aNode({ uuid: id(1, 4), driver_info: { ...info, agent_secret_token: 'canary-4' } }),
    ]);
    expect(body.results.map(({ outcome }: Values) => outcome)).toEqual(['conflict', 'conflict', 'refused', 'refused']);
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(JSON.stringify(front.platform.log)).not.toContain('canary');
  });
});

describe('which nodes have to be taken over', () => {
  it.each<[state: string, instance: string | null, pending: boolean]>([
    ['active', instance, true],
    ['active', null, true],
    ['rescue', instance, true],
    ['deploy failed', instance, true],
    ['error', instance, true],
    ['available', instance, true],
    ['available', null, false],
    ['manageable', null, false],
    ['clean failed', null, false],
  ])('%s with instance %s: %s', async (provision_state, instance_uuid, pending) => {
    await outcomes(aNode({ provision_state, instance_uuid, allocation_uuid: null, protected: false }));
    const { driver_internal_info } = await show(`nodes/${node}`);
    expect(driver_internal_info).toEqual(
      pending ? { takeover: { state: 'pending', since: '2026-01-01T00:00:00.000+00:00' } } : {},
    );
  });
});
