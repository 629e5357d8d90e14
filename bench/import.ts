/**
 * A nova_bm moved into an empty Ingot, and a second time: `node bench/import.ts [nodes] [URL]`. Without a URL from a dump as
 * mysqldump writes it, which is made first; with one from that server (INGOT_SOURCE_PASSWORD), which has the rows already.
 * Half of the nodes have an instance, each has two ports.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { tables } from '../migrate/nova-bm/tables.ts';
import { residentMb, startSystem } from './system.ts';

const nodes = Number(process.argv[2] ?? 10_000);
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

const rows = (table: string, columns: readonly string[], count: number, row: (id: number) => string): string => {
  const made = Array.from({ length: count }, (_, at) => row(at + 1)).join(',');
  return `CREATE TABLE \`${table}\` (${columns.map((name) => `\`${name}\` text`).join(',')});\nINSERT INTO \`${table}\` VALUES ${made};\n`;
};

const dumpOf = (): string => {
  const { bm_nodes, bm_interfaces } = tables;
  const order =
    'id deleted uuid cpus memory_mb local_gb pm_address pm_user pm_password terminal_port service_host'.split(' ');
  const used = 'instance_uuid instance_name task_state root_mb swap_mb ephemeral_mb created_at updated_at'.split(' ');
  if (order.length + used.length !== Object.keys(bm_nodes.columns).length) throw new Error('The rows lack a column.');
  const path = join(folder, 'dump.sql');
  const text = [
    'SET NAMES utf8mb4;\n',
    rows('bm_interfaces', Object.keys(bm_interfaces.columns), 2 * nodes, interfaceRow),
    rows('bm_nodes', [...order, ...used], nodes, nodeRow),
    "CREATE TABLE migrate_version (repository_id text, version int);\nINSERT INTO migrate_version VALUES ('nova_bm',10);\n",
  ];
  writeFileSync(path, text.join(''));
  return path;
};

const source = process.argv[3] ?? dumpOf();
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
      from: process.argv[3]?.split(':')[0] ?? 'dump',
      figures,
    }),
  );
} finally {
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}
