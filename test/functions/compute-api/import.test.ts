/** POST /imports: servers that run already, on nodes that have them. */
import { beforeEach, describe, expect, it } from 'vitest';

import { createMachines } from './machines.ts';
import { ann, bob, root, tenant } from './front.ts';

type Values = Record<string, unknown>;

const id = '00000001-1257-4a00-9000-000000000001';
const mac = '52:54:00:aa:00:01';
const addresses = {
  private: [
    { addr: '192.168.1.1', version: 4, 'OS-EXT-IPS:type': 'fixed', 'OS-EXT-IPS-MAC:mac_addr': mac },
    { addr: '203.0.113.44', version: 4, 'OS-EXT-IPS:type': 'floating', 'OS-EXT-IPS-MAC:mac_addr': mac },
  ],
};
const flavor = {
  id: '11',
  name: 'bm.large',
  vcpus: 8,
  ram: 16384,
  disk: 40,
  ephemeral: 0,
  swap: 0,
  extra_specs: { cpu_arch: 'x86_64' },
};

let machines: ReturnType<typeof createMachines>;
let node: string;
let record: Values;

beforeEach(async () => {
  machines = createMachines();
  const stored = await machines.store({ instance_uuid: id, provision_state: 'active', power_state: 'power off' });
  node = stored.uuid;
  record = {
    id,
    name: 'web-01',
    tenant_id: 'red',
    user_id: 'ann',
    created: '2014-09-10T11:19:01Z',
    image: '66e81ebe-9d4f-45ae-b79b-b3d9dc989b21',
    flavor,
    node_uuid: node,
    addresses,
    metadata: { role: 'web' },
    key_name: 'old',
    description: null,
  };
});

const send = async (servers: readonly Values[], more: object = {}, subject: Record<string, string> = root) =>
  machines.request('POST /v2.1/imports', { subject, body: { servers, ...more } });
const imported = async (...servers: Values[]): Promise<Values[]> => {
  const { status, body, text } = await send(servers);
  expect([status, text]).toEqual([200, text]);
  return body.results;
};
const show = async (subject: Record<string, string> = ann) => machines.request(`GET /v2.1/servers/${id}`, { subject });
const quota = async () =>
  (await machines.ask('GET /v2.1/os-quota-sets/red/detail')).body.quota_set as Record<string, { in_use: number }>;

describe('a server that is moved in', () => {
  it('is shown to its tenants as it was, in the state that its node says', async () => {
    expect(await imported(record)).toEqual([{ id, outcome: 'created' }]);
    const { body } = await show();
    expect(body.server).toMatchObject({
      id,
      name: 'web-01',
      status: 'SHUTOFF',
      tenant_id: 'red',
      user_id: 'ann',
      created: '2014-09-10T11:19:01Z',
      flavor: { original_name: 'bm.large', vcpus: 8, ram: 16384, disk: 40, extra_specs: { cpu_arch: 'x86_64' } },
      image: { id: '66e81ebe-9d4f-45ae-b79b-b3d9dc989b21' },
      addresses,
      metadata: { role: 'web' },
      key_name: 'old',
      'OS-EXT-SRV-ATTR:hostname': 'web-01',
      description: null,
      locked: false,
    });
    const seen = (await machines.ask(`GET /v2.1/servers/${id}`)).body.server;
    expect(seen['OS-EXT-SRV-ATTR:hypervisor_hostname']).toBe(node);
    expect((await show(bob)).status).toBe(404);
    expect((await machines.request('GET /v2.1/servers?ip=192.168.1.1')).body.servers).toHaveLength(1);
    const { body: ips } = await machines.request(`GET /v2.1/servers/${id}/ips/private`);
    expect(ips.private).toEqual([
      { addr: '192.168.1.1', version: 4 },
      { addr: '203.0.113.44', version: 4 },
    ]);
    const { body: history } = await machines.request(`GET /v2.1/servers/${id}/os-instance-actions`);
    expect(history.instanceActions).toMatchObject([{ action: 'import' }]);
  });

  it.each([
    ['active', 'power on', 'ACTIVE'],
    ['error', 'power on', 'ERROR'],
    ['deploy failed', null, 'ERROR'],
    ['rescue', 'power on', 'RESCUE'],
  ])('on a node that is %s and %s is %s', async (provision_state, power_state, status) => {
    machines = createMachines();
    const { uuid } = await machines.store({ instance_uuid: id, provision_state, power_state } as never);
    await imported({ ...record, node_uuid: uuid });
    expect((await show()).body.server.status).toBe(status);
  });

  it('counts for its project, which may be past its limits by that', async () => {
    await machines.ask('PUT /v2.1/os-quota-sets/red', { body: { quota_set: { instances: 0 } } });
    await imported(record);
    expect((await quota())['instances']).toMatchObject({ limit: 0, in_use: 1 });
    expect((await quota())['cores']!.in_use).toBe(8);
  });

  it('may be deleted, locked against it or not, by its tenant', async () => {
    await imported({ ...record, locked: true });
    expect((await show()).body.server.locked).toBe(true);
    const remove = async () => (await machines.request(`DELETE /v2.1/servers/${id}`)).status;
    expect(await remove()).toBe(409);
    await machines.request(`POST /v2.1/servers/${id}/action`, { body: { unlock: null } });
    expect(await remove()).toBe(204);
    expect(machines.platform.workflows.started.map(({ workflow }) => workflow)).toEqual(['server-delete']);
  });

  describe.each(['pending', 'running', 'failed'] as const)('whose takeover is %s', (state) => {
    beforeEach(async () => {
      machines = createMachines();
      const takeover = { state, since: '2026-01-01T00:00:00+00:00' };
      const noted = { driver_internal_info: { takeover }, power_state: 'power on' } as const;
      const stored = await machines.store({ instance_uuid: id, provision_state: 'active', ...noted });
      await imported({ ...record, node_uuid: stored.uuid });
    });

    it.each([
      ['delete', 'DELETE', ''],
      ['stop', 'POST', { 'os-stop': null }],
      ['reboot', 'POST', { reboot: { type: 'HARD' } }],
      ['rescue', 'POST', { rescue: null }],
    ] as const)(
      'is told at once that it cannot be asked for %s yet, and stays as it is',
      async (word, method, body) => {
        const before = (await show()).text;
        const line = `${method} /v2.1/servers/${id}${method === 'POST' ? '/action' : ''}`;
        const answer = await machines.request(line, body === '' ? {} : { body });
        expect([answer.status, answer.body.conflictingRequest.message]).toEqual([
          409,
          `Cannot '${word}' instance ${id} while it is being moved here: nothing is done to its machine yet. Try again later.`,
        ]);
        expect((await show()).text).toBe(before);
        expect(machines.platform.workflows.started).toEqual([]);
      },
    );

    it('can be locked, which does nothing to its machine', async () => {
      const { status } = await machines.request(`POST /v2.1/servers/${id}/action`, { body: { lock: null } });
      expect(status).toBe(202);
    });
  });

  it('has no interfaces: its ports are in the network that it came with', async () => {
    await imported(record);
    const { body } = await machines.request(`GET /v2.1/servers/${id}/os-interface`);
    expect(body.interfaceAttachments).toEqual([]);
  });
});

describe('the same record again', () => {
  it('changes nothing', async () => {
    await imported(record, record);
    const before = (await show()).text;
    expect(await imported(record)).toEqual([{ id, outcome: 'unchanged' }]);
    expect((await show()).text).toBe(before);
    expect((await quota())['instances']!.in_use).toBe(1);
  });

  it('is a conflict if it says something else, and what is here stays', async () => {
    await imported(record);
    expect(await imported({ ...record, name: 'web-02', addresses: {} })).toEqual([
      {
        id,
        outcome: 'conflict',
        fields: ['name', 'moved_addresses'],
        reason: expect.stringContaining('it stays as it is') as string,
      },
    ]);
    expect((await show()).body.server.name).toBe('web-01');
  });
});

it('a dry run tells the same and writes nothing', async () => {
  const dry = async (one: Values) => (await send([one], { dry_run: true })).body.results[0].outcome as string;
  expect(await dry(record)).toBe('created');
  expect(await dry({ ...record, node_uuid: id })).toBe('refused');
  expect((await show()).status).toBe(404);
  await imported(record);
  expect([await dry(record), await dry({ ...record, name: 'x' })]).toEqual(['unchanged', 'conflict']);
});

describe('a record is refused, and the others are written:', () => {
  it.each<[why: string, more: Values]>([
    ['is not here: move it in first', { node_uuid: '99999999-9999-4999-8999-999999999999' }],
    [`has ${id}, and not 00000009`, { id: '00000009-1257-4a00-9000-000000000001' }],
    ['Missing mandatory parameter: name', { name: undefined }],
    ['Invalid value for id: must be a UUID', { id: 'x' }],
    ['Unexpected arguments: vm_state', { vm_state: 'active' }],
    ['Unexpected arguments: generation', { generation: 7 }],
    ['Invalid value for flavor.vcpus', { flavor: { ...flavor, vcpus: 'x' } }],
    ['Missing mandatory parameter: flavor.ram', { flavor: { ...flavor, ram: undefined } }],
    ['Invalid value for created', { created: 'yesterday' }],
    [
      'Invalid value for addresses.private.0.addr',
      { addresses: { private: [{ ...addresses.private[0], addr: 'x' }] } },
    ],
  ])('%s', async (why, more) => {
    const [bad, good] = await imported({ ...record, ...more }, record);
    expect(bad).toMatchObject({ outcome: 'refused', reason: expect.stringContaining(why) as string });
    expect(good).toEqual({ id, outcome: 'created' });
  });
});

describe('the operation', () => {
  it('is for administrators', async () => {
    for (const subject of [ann, tenant('root', 'red', 'reader')]) {
      const { status, text } = await send([record], {}, subject);
      expect([status, text]).toEqual([403, expect.stringContaining('os_compute_api:imports:create')]);
    }
    expect((await show()).status).toBe(404);
  });

  it('takes up to 100 at a time', async () => {
    const { status, text } = await send(Array.from({ length: 101 }, () => record));
    expect([status, text]).toEqual([400, expect.stringContaining('must be at most 100')]);
  });

  it('is repeated as a whole if the Bare Metal API does not answer', async () => {
    machines.platform.apis.served.baremetal = async () => ({ statusCode: 503, headers: {}, body: '{}' });
    expect((await send([record])).status).toBe(503);
    expect((await show()).status).toBe(404);
  });
});
