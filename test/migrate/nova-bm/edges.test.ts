/** What history is silent about, as nova-bm-migration.md 3.1 decides it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { readTemplates } from '../../../migrate/nova-bm/driver-info.ts';
import type { NodeOptions } from '../../../migrate/nova-bm/node.ts';
import { driverOf, powerManagerIn } from '../../../migrate/nova-bm/power-manager.ts';
import { tables } from '../../../migrate/nova-bm/tables.ts';
import { sourceOfDatabase } from '../../../migrate/sources/sqlite.ts';
import { fixture, planOf, type Planned } from './planned.ts';

type Values = Readonly<Record<string, string | number | null>>;

const schema = fixture('nova_bm_juno.sqlite.sql')
  .split('\n')
  .filter((line) => !line.startsWith('INSERT'))
  .join('\n');

const uuidOf = (id: number) => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
const instance = '99999999-9999-4999-8999-99999999999a';

const whole = (id: number, more: Values): Values => ({
  id,
  deleted: 0,
  uuid: uuidOf(id),
  pm_address: `192.0.2.${id}`,
  pm_user: 'admin',
  pm_password: 'secret',
  ...more,
});

/** Nodes and interfaces with these values; they are numbered from 1. A node has an address of its own. */
const plan = async (
  nodes: readonly Values[],
  interfaces: readonly Values[] = [],
  options: Partial<NodeOptions> = {},
): Promise<Planned> => {
  const db = new DatabaseSync(':memory:');
  db.exec(schema);
  const insert = (table: string, row: Values) =>
    db
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Array(Object.keys(row).length).fill('?').join()})`,
      )
      .run(...Object.values(row));
  nodes.forEach((row, at) => insert('bm_nodes', whole(at + 1, row)));
  interfaces.forEach((row, at) => insert('bm_interfaces', { id: at + 1, deleted: 0, bm_node_id: 1, ...row }));
  return planOf(sourceOfDatabase('a test', db, tables), options);
};

const rejections = ({ rejected }: Planned) => rejected.map(({ id, reason }) => [id, reason]);
const warnings = (planned: Planned) =>
  planned.warnings.filter(({ warning }) => warning !== 'no-ports').map(({ id, warning }) => [id, warning]);
const one = async (row: Values, options: Partial<NodeOptions> = {}) => (await plan([row], [], options)).nodes[0]!;

describe('addresses of interfaces', () => {
  it.each([' 52:54:00:AA:00:01 ', '52-54-00-aa-00-01', '52.54.00.aa.00.01', '5254.00aa.0001', '525400AA0001'])(
    'may be written as "%s"',
    async (address) => {
      expect((await plan([{}], [{ address }])).ports).toMatchObject([{ address: '52:54:00:aa:00:01' }]);
    },
  );

  it.each(['52:54:00-aa:00:01', '52:54:00:aa:00', '52:54:00:aa:00:01:02', '5:4:0:a:0:1', 'x', '', null])(
    'may not be "%s"',
    async (address) => {
      expect(rejections(await plan([{}], [{ address }]))).toEqual([[1, 'invalid-mac']]);
    },
  );

  it('may be zero, broadcast or multicast', async () => {
    const addresses = ['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:01'];
    const { ports } = await plan(
      [{}],
      addresses.map((address) => ({ address })),
    );
    expect(ports.map(({ address }) => address)).toEqual(addresses);
  });

  it('are held by the first interface that is imported only', async () => {
    const planned = await plan(
      [{ deleted: 1 }, {}],
      [
        { address: '525400aa0001', bm_node_id: 1 },
        { address: '52:54:00:aa:00:01', bm_node_id: 2, deleted: 1 },
        { address: '52:54:00:AA:00:01', bm_node_id: 2 },
        { address: '52-54-00-aa-00-01', bm_node_id: 2 },
      ],
    );
    expect(rejections(planned)).toEqual([
      [1, 'parent-not-imported'],
      [4, 'duplicate-mac'],
    ]);
    expect(planned.ports).toHaveLength(1);
  });
});

describe('OpenFlow', () => {
  it.each([
    [{ datapath_id: '0', port_no: 1 }, {}],
    [{ datapath_id: '0000000000000000', port_no: 1 }, {}],
    [{ datapath_id: '', port_no: 1 }, {}],
    [
      { datapath_id: ' A1', port_no: 0 },
      { switch_id: ' A1', port_id: '0' },
    ],
    [{ datapath_id: 'a1', port_no: null }, {}],
  ])('%j is %j', async (given, local_link_connection) => {
    const { ports } = await plan([{}], [{ address: '525400aa0001', ...given }]);
    expect(ports).toMatchObject([{ local_link_connection }]);
    expect(ports[0]!['local_link_connection']).toEqual(local_link_connection);
  });
});

describe('empty texts', () => {
  it('are NULL where they can mean nothing', async () => {
    const planned = await plan([
      { uuid: '' },
      { pm_address: '  ' },
      { pm_user: '', pm_password: '', instance_uuid: '', task_state: 'active' },
      { pm_password: '' },
    ]);
    expect(planned.rejected.map(({ id, detail }) => [id, detail])).toEqual([
      [1, 'uuid is NULL'],
      [2, 'pm_address is NULL'],
    ]);
    expect(planned.warnings.find(({ id }) => id === 3)!['detail']).toBe('pm_user and pm_password are NULL');
    expect(planned.warnings.find(({ id }) => id === 4)!['detail']).toBe('pm_password is NULL');
    expect(planned.nodes[0]).toMatchObject({ instance_uuid: null, provision_state: 'available' });
  });

  it('and blanks are kept in what is no address', async () => {
    expect(await one({ pm_address: ' 192.0.2.1 ', pm_user: ' admin ', pm_password: ' p ' })).toMatchObject({
      driver_info: { ipmi_address: '192.0.2.1', ipmi_username: ' admin ', ipmi_password: ' p ' },
    });
  });
});

describe('UUIDs', () => {
  const upper = 'AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA';

  it('are kept in lower case, and two that differ in case only are one', async () => {
    const planned = await plan([{ uuid: upper }, { uuid: upper.toLowerCase() }]);
    expect(planned.nodes.map(({ uuid }) => uuid)).toEqual([upper.toLowerCase()]);
    expect(rejections(planned)).toEqual([[2, 'duplicate-uuid']]);
  });

  it('of soft-deleted rows hold nothing', async () => {
    const planned = await plan([
      { uuid: upper, deleted: 1, instance_uuid: instance },
      { uuid: upper.toLowerCase(), instance_uuid: instance, task_state: 'error' },
    ]);
    expect(planned.rejected).toEqual([]);
  });

  it('have one form', async () => {
    const planned = await plan([
      { uuid: upper.replaceAll('-', '') },
      { uuid: `{${upper}}` },
      { instance_uuid: 'instance-1', task_state: 'active' },
    ]);
    expect(rejections(planned)).toEqual([
      [1, 'invalid-uuid'],
      [2, 'invalid-uuid'],
      [3, 'invalid-instance-uuid'],
    ]);
  });
});

describe('an instance on several nodes', () => {
  it('is that of the single active one', async () => {
    const states = ['error', 'active', 'deploy complete'];
    const planned = await plan(states.map((task_state) => ({ instance_uuid: instance, task_state })));
    expect(planned.nodes.map(({ extra }) => extra)).toMatchObject([{ nova_bm: { id: 2 } }]);
    expect(planned.rejected.map(({ detail }) => detail)).toEqual([
      `instance ${instance} is also on bm_nodes id 2, 3`,
      `instance ${instance} is also on bm_nodes id 1, 2`,
    ]);
  });

  it('is that of none, if two or none are active', async () => {
    for (const states of [
      ['active', 'active'],
      ['deploy complete', 'error'],
    ]) {
      const upper = [instance, instance.toUpperCase()];
      const planned = await plan(states.map((task_state, at) => ({ instance_uuid: upper[at]!, task_state })));
      expect(rejections(planned)).toEqual([
        [1, 'duplicate-instance-uuid'],
        [2, 'duplicate-instance-uuid'],
      ]);
    }
  });
});

describe('task_state', () => {
  it.each([
    [null, 'available', null],
    ['deleted', 'available', null],
    ['active', 'available', null],
    ['initializing', 'available', null],
    ['whatever', 'available', null],
    ['error', 'available', 'nova baremetal task_state was: error'],
    ['deploy failed', 'available', 'nova baremetal task_state was: deploy failed'],
  ])('%s without an instance is %s', async (task_state, provision_state, last_error) => {
    expect(await one({ task_state })).toMatchObject({ provision_state, last_error, power_state: 'power off' });
  });

  it.each([
    ['active', 'active', 'power on'],
    ['deploy complete', 'active', 'power on'],
    ['error', 'error', 'power off'],
    ['deploy failed', 'deploy failed', 'power off'],
  ])('%s with an instance is %s', async (task_state, provision_state, power_state) => {
    expect(await one({ task_state, instance_uuid: instance })).toMatchObject({ provision_state, power_state });
  });

  it.each([null, 'deleted', 'initializing', 'whatever', 'constructor'])(
    '%s with an instance is rejected',
    async (task_state) => {
      expect(rejections(await plan([{ task_state, instance_uuid: instance }]))).toEqual([[1, 'unknown-task-state']]);
    },
  );

  it.each(['building', 'deploying', 'prepared'])('%s is rejected, with an instance or without', async (task_state) => {
    const planned = await plan([{ task_state }, { task_state, instance_uuid: instance }]);
    expect(rejections(planned)).toEqual([
      [1, 'in-progress-deployment'],
      [2, 'in-progress-deployment'],
    ]);
  });
});

describe('values', () => {
  it('of sizes are left out if unknown, and copied whatever they are', async () => {
    const sizes = { cpus: null, memory_mb: -1, local_gb: 4_000_000_000 };
    expect((await one(sizes))['properties']).toEqual({ cpu_arch: 'x86_64', memory_mb: -1, local_gb: 4_000_000_000 });
  });

  it('of an instance are whole gigabytes, and nothing if there is none of it', async () => {
    const row = { instance_uuid: instance, task_state: 'active', instance_name: null };
    expect((await one({ ...row, root_mb: 1025, swap_mb: 0, ephemeral_mb: 1 }))['instance_info']).toEqual({
      root_gb: '2',
      ephemeral_gb: '1',
    });
    expect((await one({ root_mb: 1024, ephemeral_mb: 10240 }))['instance_info']).toEqual({});
  });

  it('of times lose fractions of zero, and have six digits else', async () => {
    expect(await one({ created_at: '2014-06-01 08:00:01.000000', updated_at: '2014-06-01 08:00:01.5' })).toMatchObject({
      created_at: '2014-06-01T08:00:01+00:00',
      updated_at: '2014-06-01T08:00:01.500000+00:00',
    });
    expect(await one({ created_at: '0000-00-00 00:00:00' })).toMatchObject({ created_at: null });
  });

  it('that are none of their column end it, and are not told', async () => {
    await expect(plan([{ cpus: 'c4nary' }])).rejects.toThrow('Row id 1 of bm_nodes: what cpus holds is no number.');
  });
});

describe('what several nodes have', () => {
  it('console ports are kept by the first row that is imported, on each host', async () => {
    const planned = await plan([
      { terminal_port: 8001, service_host: 'a', pm_address: null },
      { terminal_port: 8001, service_host: 'a' },
      { terminal_port: 8001, service_host: 'a' },
      { terminal_port: 8001 },
      { terminal_port: 8001 },
      { terminal_port: 99_999 },
    ]);
    expect(warnings(planned)).toEqual([
      [3, 'shared-terminal-port'],
      [5, 'shared-terminal-port'],
    ]);
    const kept = planned.nodes.map(({ driver_info }) => (driver_info as Values)['ipmi_terminal_port']);
    expect(kept).toEqual([8001, undefined, 8001, undefined, 99_999]);
  });

  it('power managers are told', async () => {
    const planned = await plan([{ pm_address: '192.0.2.7' }, { pm_address: ' 192.0.2.7' }]);
    expect(planned.nodes).toHaveLength(2);
    expect(warnings(planned)).toEqual([[2, 'shared-power-address']]);
  });
});

describe('interfaces without a home', () => {
  it('are rejected, and those of soft-deleted nodes too', async () => {
    const address = '525400aa0001';
    const planned = await plan([{ deleted: 1 }], [{ address }, { bm_node_id: null }, { bm_node_id: 7 }]);
    expect(rejections(planned)).toEqual([
      [1, 'parent-not-imported'],
      [2, 'orphan-interface'],
      [3, 'orphan-interface'],
    ]);
    expect(planned.summary).toMatchObject({ interfaces_read: 3, interfaces_rejected: 3, interfaces_skipped: 0 });
  });
});

describe('the driver', () => {
  const config = (line: string) =>
    `[DEFAULT]\npower_manager = x\n[baremetal]\n# power_manager = y\n${line}\n[other]\npower_manager=z`;

  it('is that of the power manager in nova.conf', () => {
    expect(powerManagerIn(config('power_manager = nova.virt.baremetal.ipmi.IPMI  '))).toBe(
      'nova.virt.baremetal.ipmi.IPMI',
    );
    expect(driverOf(undefined, powerManagerIn(config('')))).toBe('ipmi');
  });

  it('has to be named for a power manager without an equal', () => {
    const virtual = powerManagerIn(
      config('power_manager=nova.virt.baremetal.virtual_power_driver.VirtualPowerManager'),
    );
    expect(() => driverOf(undefined, virtual)).toThrow('VirtualPowerManager has no equal here');
    expect(driverOf('redfish', virtual)).toBe('redfish');
    expect(() => driverOf('pxe_ssh', virtual)).toThrow('--driver is ipmi or redfish, not "pxe_ssh"');
  });

  it('says what its addresses are called', async () => {
    expect(await one({ terminal_port: 1 }, { driver: 'redfish' })).toMatchObject({
      driver: 'redfish',
      driver_info: { redfish_address: '192.0.2.1', redfish_username: 'admin', redfish_password: 'secret' },
    });
  });
});

describe('what an operator says of all nodes', () => {
  const info = readTemplates(
    ['redfish_address=https://{pm_address}:8443/{id}', 'redfish_system_id=/redfish/v1/Systems/{uuid}', 'x=a=b'],
    'redfish',
  );

  it('is theirs, with what their rows have', async () => {
    const options = {
      driver: 'redfish',
      driver_info: info,
      network_interface: 'flat',
      resource_class: 'gold',
    } as const;
    const { nodes } = await plan([{ pm_password: 'secret' }], [], options);
    expect(nodes).toMatchObject([
      {
        driver_info: {
          redfish_address: 'https://192.0.2.1:8443/1',
          redfish_system_id: `/redfish/v1/Systems/${nodes[0]!['uuid'] as string}`,
          redfish_password: 'secret',
          x: 'a=b',
        },
        network_interface: 'flat',
        resource_class: 'gold',
      },
    ]);
  });

  it.each([
    ['redfish_address', '--driver-info is NAME=VALUE'],
    ['redfish_address=', '--driver-info is NAME=VALUE'],
    ['redfish_password=c4nary', 'each node has the pm_password of its row'],
    ['redfish_address={pm_password}', 'has {pm_password} in it; a row has {pm_address}, {uuid}, {id}'],
    ['redfish_verify_ca=@/missing/ca.pem', 'The file /missing/ca.pem can not be read'],
  ])('is refused as %s', (given, reason) => {
    expect(() => readTemplates([given], 'redfish')).toThrow(reason);
    expect(() => readTemplates([given], 'redfish')).not.toThrow('c4nary');
  });

  it('may be in a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
    writeFileSync(join(folder, 'ca.pem'), 'a certificate\n');
    const driver_info = readTemplates([`redfish_verify_ca=@${folder}/ca.pem`], 'redfish');
    rmSync(folder, { recursive: true });
    expect(await one({}, { driver: 'redfish', driver_info })).toMatchObject({
      driver_info: { redfish_verify_ca: 'a certificate\n' },
    });
  });
});
