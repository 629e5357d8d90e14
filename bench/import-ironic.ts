/**
 * A real Ironic moved into an empty Ingot, looked at before and moved a second time: `npx node bench/import-ironic.ts [nodes]`,
 * once `npm run test:ironic` has installed it; `--once`: moved, and no more. Its API and conductor are one process over a
 * MariaDB. Half of the nodes have an instance with a configdrive, each has two ports, three entries of history and an
 * inventory. They are rows that are put into the database, made of a node and a port that the API made, so that each
 * release has what it wants. Processor seconds tell who was at work when a busy machine makes seconds say little.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { createConnection, type RowDataPacket } from 'mysql2/promise';

import { reader, startMariaDb } from '../test/databases/servers.ts';
import { createIronic } from '../test/ironic/ironic.ts';
import { call, residentMb, startSystem } from './system.ts';

const { values, positionals } = parseArgs({ options: { once: { type: 'boolean' } }, allowPositionals: true });
const nodes = Number(positionals[0] ?? 10_000);
const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const own = { user: 'ironic', password: 'secret-of-the-database' } as const;

const server = await startMariaDb();
await server.create('ironic');
const who = `${own.user}@'127.0.0.1'`;
await server.exec('ironic', `create user ${who} identified by '${own.password}'; grant all on ironic.* to ${who}`);
const ironic = await createIronic(
  folder,
  `mysql+pymysql://${own.user}:${own.password}@127.0.0.1:${server.port}/ironic`,
);
await server.grant('ironic');
await ironic.start();

/** SQL of columns that differ from row to row; `n` is the number of the row. */
type Columns = Readonly<Record<string, string>>;

const uuid = (kind: number) => `concat('${String(kind).padStart(8, '0')}-0000-4000-8000-', lpad(hex(n), 12, '0'))`;
const isUsed = (value: string, otherwise = 'null') => `if(n % 2 = 0, ${value}, ${otherwise})`;
const json = (value: object): string => `'${JSON.stringify(value)}'`;

const nodeColumns: Columns = {
  id: 'n + 1000',
  uuid: uuid(1),
  name: `concat('node-', n)`,
  driver_info: `replace(${json({
    redfish_address: 'https://10.0.0.N',
    redfish_system_id: '/redfish/v1/Systems/1',
    redfish_username: 'admin',
    redfish_password: 'secret-N',
    redfish_verify_ca: false,
  })}, 'N', n)`,
  provision_state: isUsed(`'active'`, `'available'`),
  power_state: isUsed(`'power on'`, `'power off'`),
  instance_uuid: isUsed(uuid(2)),
  // Else the conductor takes over one instance after the other, with its lock, while it is read.
  conductor_affinity: isUsed('(select id from conductors limit 1)'),
  instance_info: isUsed(
    json({
      display_name: 'web',
      image_source: 'http://images/debian',
      root_gb: 20,
      configdrive: gzipSync(randomBytes(1500)).toString('base64'),
    }),
    `'{}'`,
  ),
};
const portColumns: Columns = {
  id: 'n + 1000',
  uuid: uuid(3),
  address: `lower(concat('52:54:', insert(insert(insert(lpad(hex(n), 8, '0'), 7, 0, ':'), 5, 0, ':'), 3, 0, ':')))`,
  node_id: '1000 + (n + 1) div 2',
};
const history = `insert into node_history (version, created_at, uuid, conductor, event_type, severity, event, node_id, user)
 select '1.0', date_add('2026-01-01', interval n minute), ${uuid(4)}, 'conductor', 'provisioning', 'INFO',
 'The node was moved to the next state by somebody.', 1000 + (n + 2) div 3, 'admin' from (select seq as n from seq_1_to_${3 * nodes}) s`;
const found = {
  interfaces: [1, 2, 3, 4].map((n) => ({
    name: `eno${n}`,
    mac_address: `52:54:00:00:00:0${n}`,
    product: '0x1572',
    vendor: '0x8086',
    speed_mbps: 10_000,
  })),
  disks: [1, 2, 3, 4, 5, 6].map((n) => ({
    name: `/dev/sd${n}`,
    size: 480_103_981_056,
    model: 'SAMSUNG',
    wwn: `0x5002538e4${n}`,
    rotational: false,
  })),
  cpu: {
    count: 64,
    architecture: 'x86_64',
    model_name: 'AMD EPYC',
    flags: Array.from({ length: 100 }, (_, at) => `flag${at}`),
  },
  memory: { physical_mb: 524_288 },
};
const inventories = `insert into node_inventory (version, created_at, inventory_data, plugin_data, node_id)
 select '1.0', '2026-01-01', ${json(found)}, '{}', n + 1000 from (select seq as n from seq_1_to_${nodes}) s`;

/** Empty for a file that is not there any more: processes end between two looks. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const populate = async (): Promise<void> => {
  const node = await call<{ uuid: string }>(ironic.url, 'POST', '/v1/nodes', {
    name: 'sample',
    driver: 'redfish',
    properties: { cpus: 8, memory_mb: 16_384, local_gb: 100, cpu_arch: 'x86_64', capabilities: 'boot_mode:uefi' },
    resource_class: 'baremetal',
    boot_interface: 'redfish-virtual-media',
    network_interface: 'noop',
    driver_info: { redfish_address: 'https://10.0.0.1', redfish_username: 'admin', redfish_password: 'secret' },
  });
  const port = await call<{ uuid: string }>(ironic.url, 'POST', '/v1/ports', {
    node_uuid: node.uuid,
    address: '52:54:ff:00:00:01',
    local_link_connection: { switch_id: '00:00:5e:00:53:01', port_id: 'Eth1/1', switch_info: 'leaf-1' },
  });
  const connection = await createConnection({ host: '127.0.0.1', port: server.port, ...own, database: 'ironic' });
  const fill = async (table: string, sample: string, count: number, columns: Columns) => {
    const [rows] = await connection.query<RowDataPacket[]>(`select * from ${table} where uuid = ?`, [sample]);
    const names = Object.keys(rows[0]!);
    const values = names.map((name) => columns[name] ?? `t.${name}`);
    await connection.query(
      `insert into ${table} (\`${names.join('`,`')}\`) select ${values.join(', ')} from ${table} t, (select seq as n from seq_1_to_${count}) s where t.uuid = ?`,
      [sample],
    );
  };
  await fill('nodes', node.uuid, nodes, nodeColumns);
  await fill('ports', port.uuid, 2 * nodes, portColumns);
  for (const sql of [history, inventories]) await connection.query(sql);
  await connection.query('delete from ports where uuid = ?', [port.uuid]);
  await connection.query('delete from nodes where uuid = ?', [node.uuid]);
  await connection.end();
};

/** Those that any of its threads has started. */
const childrenOf = (pid: number): number[] => {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const told = threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)).join(' ');
  return told.trim().split(/ +/).filter(Boolean).map(Number);
};

/** Processor seconds of a process and all that it started (Linux); none of one that is gone. */
const cpuOf = (pid: number): number => {
  const ticks = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const own = ticks.reduce((sum, one) => sum + one, 0) / 100;
  return childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), own);
};

await populate();
const system = await startSystem(0);
const report = join(folder, 'report.json');
const source = ['--source', ironic.url, '--database', `mysql://${reader.user}@127.0.0.1:${server.port}/ironic`];

/** Seconds, the largest resident memories in MB, and processor seconds. */
const move = async (...args: string[]) => {
  const start = performance.now();
  const before = { ironic: cpuOf(ironic.pid()!), ingot: cpuOf(system.pids['ingot']!) };
  const all = ['import', 'ironic', ...source, '--endpoint', system.base, '--report', report, ...args];
  const child = spawn(process.execPath, [join(root, 'cli/ingot.js'), ...all], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, INGOT_DATABASE_PASSWORD: reader.password },
  });
  let told = '';
  child.stdout.on('data', (text: Buffer) => (told = (told + text.toString()).slice(-4000)));
  const most = { tool_mb: 0, ingot_mb: 0, cpu: 0 };
  const look = setInterval(() => {
    most.ingot_mb = Math.max(most.ingot_mb, residentMb(system.pids['ingot']!));
    // One that has just ended has none.
    if (child.exitCode !== null || !existsSync(`/proc/${child.pid!}/status`)) return;
    most.tool_mb = Math.max(most.tool_mb, residentMb(child.pid!) || 0);
    most.cpu = Math.max(most.cpu, cpuOf(child.pid!));
  }, 200);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`The import ended with ${signal ?? code}: ${told}`);
  const seconds = (performance.now() - start) / 1000;
  const { summary } = JSON.parse(readFileSync(report, 'utf8')) as {
    summary: Record<string, Record<'imported' | 'identical', number>>;
  };
  const counts = Object.entries(summary).map(([kind, { imported, identical }]) => [kind, { imported, identical }]);
  return {
    seconds: Number(seconds.toFixed(1)),
    nodes_a_second: Number((nodes / seconds).toFixed(1)),
    memory_mb: { tool: most.tool_mb, ingot: most.ingot_mb },
    processor_seconds: {
      tool: Math.round(most.cpu),
      ironic: Math.round(cpuOf(ironic.pid()!) - before.ironic),
      ingot: Math.round(cpuOf(system.pids['ingot']!) - before.ingot),
    },
    ...(Object.fromEntries(counts) as object),
  };
};

try {
  const figures = values.once
    ? { first: await move() }
    : { look: await move('--dry-run'), first: await move(), second: await move() };
  const load = loadavg().map((one) => Number(one.toFixed(1)));
  console.log(JSON.stringify({ bench: 'import-ironic', node: process.version, nodes, load, figures }));
} finally {
  await system.stop();
  await ironic.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
