/**
 * A nova_bm moved into an empty Ingot, and a second time: `node bench/import.ts [nodes] [--source live|URL]`. Without a source
 * from a dump as mysqldump writes it, which is made first; `live`: from a MariaDB that is started for it; a URL: from that
 * server (INGOT_SOURCE_PASSWORD), which has the rows already.
 * Half of the nodes have an instance, each has two ports.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { tables } from '../migrate/nova-bm/tables.ts';
import { reader, startMariaDb } from '../test/databases/servers.ts';
import { residentMb, startSystem } from './system.ts';

const { values, positionals } = parseArgs({ options: { source: { type: 'string' } }, allowPositionals: true });
const nodes = Number(positionals[0] ?? 10_000);
const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const uuid = (kind: number, id: number) => `${hex(kind, 8)}-0000-4000-8000-${hex(id, 12)}`;
const time = "'2014-06-01 08:00:01'";

const nodeRow = (id: number) => {
  const isUsed = id % 2 === 0;
  const used = isUsed ? `'${uuid(2, id)}','server-${id}','active',40960,1,0` : 'NULL,NULL,NULL,NULL,NULL,NULL';
  return `(${id},0,'${uuid(1, id)}',8,16384,500,'10.${id >> 16}.${(id >> 8) & 255}.${id & 255}','admin','secret-${id}',NULL,'host-${id % 10}',${used},${time},NULL)`;
};
const interfaceRow = (id: number) => {
  const mac = hex(0x5254_0000_0000 + id, 12)
    .match(/../g)!
    .join(':');
  return `(${id},0,${(id + 1) >> 1},'${mac}',NULL,NULL,NULL,${time},NULL)`;
};

const types = { number: 'int', flag: 'tinyint(1)', time: 'datetime', text: 'varchar(255)' } as const;

/** `order`: of the values in a row. */
const rows = (
  table: 'bm_nodes' | 'bm_interfaces',
  order: readonly string[],
  count: number,
  row: (id: number) => string,
): string => {
  const columns: Readonly<Record<string, keyof typeof types>> = tables[table].columns;
  if (order.length !== Object.keys(columns).length) throw new Error(`The rows of ${table} lack a column.`);
  const written = order.map((name) => `\`${name}\` ${types[columns[name]!]}${name === 'id' ? ' PRIMARY KEY' : ''}`);
  const made = Array.from({ length: count }, (_, at) => row(at + 1)).join(',');
  return `CREATE TABLE \`${table}\` (${written.join(',')});\nINSERT INTO \`${table}\` VALUES ${made};\n`;
};

const statements = (): string => {
  const order =
    'id deleted uuid cpus memory_mb local_gb pm_address pm_user pm_password terminal_port service_host'.split(' ');
  const used = 'instance_uuid instance_name task_state root_mb swap_mb ephemeral_mb created_at updated_at'.split(' ');
  return [
    'SET NAMES utf8mb4;\n',
    rows('bm_interfaces', Object.keys(tables.bm_interfaces.columns), 2 * nodes, interfaceRow),
    rows('bm_nodes', [...order, ...used], nodes, nodeRow),
    "CREATE TABLE migrate_version (repository_id varchar(250) PRIMARY KEY, version int);\nINSERT INTO migrate_version VALUES ('nova_bm',10);\n",
  ].join('');
};

const dumped = (): string => {
  const path = join(folder, 'dump.sql');
  writeFileSync(path, statements());
  return path;
};

/** A server that holds the rows. */
const served = async () => {
  const server = await startMariaDb();
  await server.create('nova_bm', 'character set utf8mb4');
  await server.exec('nova_bm', statements());
  await server.grant('nova_bm');
  process.env['INGOT_SOURCE_PASSWORD'] = reader.password;
  return server;
};

const database = values.source === 'live' ? await served() : undefined;
const source = database ? `mysql://${reader.user}@127.0.0.1:${database.port}/nova_bm` : (values.source ?? dumped());
const report = join(folder, 'report.json');

/** Seconds, the largest resident memory in MB, and what was counted. */
const move = async (...args: string[]) => {
  const start = performance.now();
  const all = ['import', 'nova-bm', '--source', source, '--arch', 'x86_64', '--driver', 'redfish', '--report', report];
  const child = spawn(process.execPath, [join(root, 'cli/ingot.js'), ...all, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let memory_mb = 0;
  const look = setInterval(() => {
    // One that has just ended has none.
    memory_mb = Math.max(memory_mb, residentMb(child.pid!) || 0);
  }, 50);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`The import ended with ${signal ?? code}.`);
  const { summary } = JSON.parse(readFileSync(report, 'utf8')) as { summary: Record<string, number> };
  const { nodes_imported, nodes_skipped, ports_imported } = summary;
  return {
    seconds: Number(((performance.now() - start) / 1000).toFixed(1)),
    memory_mb,
    nodes_imported,
    nodes_skipped,
    ports_imported,
  };
};

const system = await startSystem(0);
try {
  const write = ['--source-is-stopped', '--endpoint', system.base];
  const figures = { look: await move('--dry-run'), first: await move(...write), second: await move(...write) };
  console.log(
    JSON.stringify({
      bench: 'import',
      node: process.version,
      nodes,
      from: values.source?.split(':')[0] ?? 'dump',
      load: loadavg().map((one) => Number(one.toFixed(1))),
      figures,
    }),
  );
} finally {
  await system.stop();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
