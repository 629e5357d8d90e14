/**
 * Pages of 1,000 out of 1,000, 10,000 and 100,000 nodes, from the function to the table file, without HTTP:
 * `node bench/lists.ts [seconds each]`. Pages by marker are taken from the middle of the fleet. What a project has
 * and what its class, shard and group have is the same in every fleet.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../functions/baremetal-api/app.ts';
import { Config } from '../functions/baremetal-api/config.ts';
import { newNode } from '../layers/domain/baremetal/new-node.ts';
import { systemChance } from '../layers/platform/chance.ts';
import type { Platform } from '../layers/platform/platform.ts';
import { newRecord } from '../layers/store/kinds/form.ts';
import { openTable } from '../local/table/table.ts';
import { createWriter } from '../local/table/writer.ts';
import { createVirtualClock } from '../layers/platform/memory/clock.ts';
import { countedUuid, createCountedIds } from '../layers/platform/memory/ids.ts';
import { resolveSettings, variablesOf } from '../infra/settings.ts';
import { kinds } from '../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../layers/store/nodes.ts';
import { createRecord } from '../layers/store/records/change.ts';

const seconds = Number(process.argv[2] ?? 2);
const fleets = [1000, 10_000, 100_000];
const limit = 1000;

const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const path = join(folder, 'table.db');
const clock = createVirtualClock();
const ids = createCountedIds();
const writer = createWriter(path, clock);
const table = openTable({ path, writer, clock });
const platform = { table, clock, chance: systemChance, ids } as unknown as Platform;
const handle = create(platform, Config.parse(variablesOf(resolveSettings(() => undefined))));

/** Nodes of the one project that has some, all among the first. */
const owned = 100;

/**
 * One node in ten is active, so that the filter keeps a part of every stretch of the list; the project, its class,
 * its shard and its group have as many nodes in every fleet.
 */
const nodeOf = (index: number): StoredNode =>
  newNode({
    uuid: ids.uuid(),
    position: ids.ulid(),
    name: `bench-${index}`,
    driver: 'fake-hardware',
    provision_state: index % 10 === 0 ? 'active' : 'available',
    ...(index < owned && { owner: 'tenant', resource_class: 'big', conductor_group: 'east', shard: 's1' }),
    properties: { cpus: 8, memory_mb: 65_536, local_gb: 480 },
    created_at: '2026-01-01T00:00:00+00:00',
  });

const addressOf = (index: number): string =>
  `52:54:${[24, 16, 8, 0].map((bits) => ((index >>> bits) & 255).toString(16).padStart(2, '0')).join(':')}`;

/** A node, and a port for one in ten. */
const enrol = async (index: number): Promise<void> => {
  const node = nodeOf(index);
  await createRecord(platform, kinds.node, node);
  if (index % 10 > 0) return;
  const port = { uuid: randomUUID(), node_uuid: node.uuid, address: addressOf(index) };
  await createRecord(platform, kinds.port, newRecord(platform, kinds.port, port));
};

const fill = async (from: number, to: number): Promise<void> => {
  for (let at = from; at < to; at += limit) {
    await Promise.all(Array.from({ length: limit }, async (_, index) => enrol(at + index)));
  }
};

const everything = { roles: 'admin', scope: 'system' };
const tenant = { roles: 'member', scope: 'project', project: 'tenant' };

const ask = async (path: string, query: Record<string, string>, authorizer: object): Promise<number> => {
  const event = {
    httpMethod: 'GET',
    path,
    headers: { 'X-OpenStack-Ironic-API-Version': '1.115', Host: 'bench' },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    requestContext: { path, authorizer },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body } = await handle(event, { request_id: 'bench', remaining_ms: () => 1000 });
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${body}`);
  const { nodes, ports } = JSON.parse(body) as { nodes?: unknown[]; ports?: unknown[] };
  return (nodes ?? ports)!.length;
};

/** Times in milliseconds; `least` is what it costs when no other process is in the way. */
type Times = { readonly least: number; readonly median: number };

/** Asks for `seconds`. Throws if the page is not full. */
const measure = async (
  path: string,
  query: Record<string, string>,
  full = limit,
  subject: object = everything,
): Promise<Times> => {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const start = performance.now();
    const count = await ask(path, query, subject);
    times.push(performance.now() - start);
    if (count !== full) throw new Error(`${path} showed ${count} items in the place of ${full}.`);
  }
  times.sort((a, b) => a - b);
  const at = (index: number) => Number(times[index]!.toFixed(2));
  return { least: at(0), median: at(Math.floor(times.length / 2)) };
};

const fields = 'uuid,name,provision_state';
const figures: Record<string, Record<string, Times>> = {};
let filled = 0;
for (const fleet of fleets) {
  await fill(filled, fleet);
  filled = fleet;
  const [first, middle] = [{ limit: String(limit) }, countedUuid(Math.floor((fleet - limit) / 2) + 1)];
  const page = fleet === limit ? first : { ...first, marker: middle };
  figures[fleet] = {
    three_fields: await measure('/v1/nodes', { ...page, fields }),
    detail: await measure('/v1/nodes/detail', page),
    active_only: await measure(
      '/v1/nodes',
      { ...first, fields, provision_state: 'active' },
      Math.min(limit, fleet / 10),
    ),
    available_only: await measure(
      '/v1/nodes',
      { ...first, fields, provision_state: 'available' },
      Math.min(limit, fleet * 0.9),
    ),
    by_class: await measure('/v1/nodes', { ...first, fields, resource_class: 'big' }, owned),
    by_shard: await measure('/v1/nodes', { ...first, fields, shard: 's1' }, owned),
    by_group: await measure('/v1/nodes', { ...first, fields, conductor_group: 'east' }, owned),
    by_owner: await measure('/v1/nodes', { ...first, fields, owner: 'tenant' }, owned),
    of_project: await measure('/v1/nodes', { ...first, fields }, owned, tenant),
    ports_of_project: await measure('/v1/ports', first, owned / 10, tenant),
    port_by_address: await measure('/v1/ports', { address: addressOf(fleet - 10) }, 1),
    ports_first: await measure('/v1/ports', { limit: '100' }, 100),
  };
}
await writer.close();
table.close();
rmSync(folder, { recursive: true });

console.log(JSON.stringify({ bench: 'lists', node: process.version, page: limit, ms: figures }));
