/**
 * Pages of 1,000 out of 1,000, 10,000 and 100,000 nodes, from the function to the table file, without HTTP:
 * `node bench/lists.ts [seconds each]`. The pages are taken from the middle of the fleet, by marker.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../functions/baremetal-api/app.ts';
import { Config } from '../functions/baremetal-api/config.ts';
import { defaults } from '../layers/domain/fields.ts';
import { node as nodeFields } from '../layers/domain/node.ts';
import { createNode, type StoredNode } from '../layers/store/nodes.ts';
import type { Ports } from '../layers/store/ports.ts';
import { openTable } from '../local/table/table.ts';
import { createWriter } from '../local/table/writer.ts';
import { createFakeClock } from '../test/fakes/clock.ts';
import { createFakeIds, fakeUuid } from '../test/fakes/ids.ts';

const seconds = Number(process.argv[2] ?? 2);
const fleets = [1000, 10_000, 100_000];
const limit = 1000;

const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const path = join(folder, 'table.db');
const clock = createFakeClock();
const ids = createFakeIds();
const writer = createWriter(path, clock);
const table = openTable({ path, writer, clock });
const ports = { table, clock, ids } as unknown as Ports;
const handle = create(ports, Config.parse({}));

/** One node in ten is active, so that the filter keeps a part of every stretch of the list. */
const nodeOf = (index: number): StoredNode =>
  ({
    ...defaults(nodeFields),
    uuid: ids.uuid(),
    position: ids.ulid(),
    name: `bench-${index}`,
    driver: 'fake-hardware',
    provision_state: index % 10 === 0 ? 'active' : 'available',
    properties: { cpus: 8, memory_mb: 65_536, local_gb: 480 },
    created_at: '2026-01-01T00:00:00+00:00',
    revision: 1,
    generation: 0,
    run: null,
    run_workflow: null,
    agent_token_sha256: null,
  }) as unknown as StoredNode;

const fill = async (from: number, to: number): Promise<void> => {
  for (let at = from; at < to; at += limit) {
    await Promise.all(Array.from({ length: limit }, async (_, index) => createNode(ports, nodeOf(at + index))));
  }
};

const ask = async (path: string, query: Record<string, string>): Promise<number> => {
  const event = {
    httpMethod: 'GET',
    path,
    headers: { 'X-OpenStack-Ironic-API-Version': '1.115', Host: 'bench' },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    requestContext: { path, authorizer: { roles: 'admin', scope: 'system' } },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body } = await handle(event, { request_id: 'bench', remaining_ms: () => 1000 });
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${body}`);
  return (JSON.parse(body) as { nodes: unknown[] }).nodes.length;
};

/** Times in milliseconds; `least` is what it costs when no other process is in the way. */
type Times = { readonly least: number; readonly median: number };

/** Asks for `seconds`. Throws if the page is not full. */
const measure = async (path: string, query: Record<string, string>, full = limit): Promise<Times> => {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const start = performance.now();
    const count = await ask(path, query);
    times.push(performance.now() - start);
    if (count !== full) throw new Error(`${path} showed ${count} nodes in the place of ${full}.`);
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
  const [first, middle] = [{ limit: String(limit) }, fakeUuid(Math.floor((fleet - limit) / 2) + 1)];
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
  };
}
await writer.close();
table.close();
rmSync(folder, { recursive: true });

console.log(JSON.stringify({ bench: 'lists', node: process.version, page: limit, ms: figures }));
