/**
 * What it costs to find the node for a server among 1,000 and 100,000 nodes: requests, items read behind entries,
 * entries, milliseconds; in memory, through the function, without HTTP. `node bench/schedule.ts [fleets]`
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../functions/baremetal-api/app.ts';
import { Config } from '../functions/baremetal-api/config.ts';
import { resolveSettings, variablesOf } from '../infra/settings.ts';
import { newNode } from '../layers/domain/baremetal/new-node.ts';
import { createMemoryPlatform } from '../layers/platform/memory/platform.ts';
import type { Candidate } from '../layers/schedule/candidate.ts';
import { findCandidates, type CandidateQuery } from '../layers/schedule/search.ts';
import { wishOf, type Request } from '../layers/schedule/wish.ts';
import { kinds } from '../layers/store/kinds/kinds.ts';
import { createRecord } from '../layers/store/records/change.ts';

const fleets = (process.argv[2] ?? '1000,100000').split(',').map(Number);
const rounds = 20;

const platform = createMemoryPlatform();
const { table } = platform;
const handle = create(platform, Config.parse(variablesOf(resolveSettings(() => undefined))));
const read = { requests: 0, items: 0, entries: 0 };
const { getMany, query } = table;
table.getMany = async (keys, options) => {
  read.items += keys.length;
  return getMany(keys, options);
};
table.query = async (options) => {
  const found = await query(options);
  read.entries += found.length;
  return found;
};

const isActive = (index: number) => index % 2 === 0;

/** Half of the fleet is in use. Of the class `rare` and in the group `west` are 50 free nodes in every fleet. */
const enrol = async (index: number): Promise<void> => {
  const node = newNode({
    uuid: platform.ids.uuid(),
    position: platform.ids.ulid(),
    driver: 'fake-hardware',
    provision_state: isActive(index) ? 'active' : 'available',
    power_state: 'power off',
    ...(isActive(index) && { instance_uuid: platform.ids.uuid() }),
    resource_class: index < 100 ? 'rare' : 'common',
    conductor_group: index < 100 ? 'west' : 'east',
    properties: { cpus: 8, memory_mb: 65_536, local_gb: 480, cpu_arch: 'x86_64', capabilities: 'boot_mode:uefi' },
    created_at: '2026-01-01T00:00:00+00:00',
  });
  await createRecord(platform, kinds.node, node);
};

const fields =
  'uuid,resource_class,traits,properties,conductor_group,maintenance,power_state,provision_state,instance_uuid,reservation';

const list = async ({ free, descending, ...filters }: CandidateQuery): Promise<Candidate[]> => {
  read.requests += 1;
  const asked = {
    fields,
    sort_dir: descending ? 'desc' : 'asc',
    ...(free && { provision_state: 'available', associated: 'false', maintenance: 'false' }),
    ...filters,
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const event = {
    httpMethod: 'GET',
    path: '/v1/nodes',
    headers: { 'X-OpenStack-Ironic-API-Version': '1.115', Host: 'bench' },
    multiValueQueryStringParameters: Object.fromEntries(given.map(([name, value]) => [name, [String(value)]])),
    requestContext: { path: '/v1/nodes', authorizer: { roles: 'admin', scope: 'system' } },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body } = await handle(event, { request_id: 'bench', remaining_ms: () => 1000 });
  if (statusCode !== 200) throw new Error(`The list was answered ${statusCode}: ${body}`);
  return (JSON.parse(body) as { nodes: Candidate[] }).nodes;
};

const flavor = { vcpus: 8, ram: 65_536, disk: 480, ephemeral: 0, swap: 0 };
const wishes: Readonly<Record<string, Request>> = {
  common_class: { flavor: { ...flavor, extra_specs: { 'resources:CUSTOM_COMMON': '1' } } },
  rare_class: { flavor: { ...flavor, extra_specs: { 'resources:CUSTOM_RARE': '1' } } },
  class_in_zone: { flavor: { ...flavor, extra_specs: { 'resources:CUSTOM_RARE': '1' } }, zone: 'west' },
  exact_size: { flavor: { ...flavor, extra_specs: {} } },
  size_in_zone: { flavor: { ...flavor, extra_specs: {} }, zone: 'west' },
  no_such_class: { flavor: { ...flavor, extra_specs: { 'resources:CUSTOM_NONE': '1' } } },
  none_that_fits: { flavor: { ...flavor, ram: 1, extra_specs: {} }, zone: 'west' },
};

const measure = async (request: Request) => {
  const wish = wishOf(request, { exact_match_filters: true });
  Object.assign(read, { requests: 0, items: 0, entries: 0 });
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    found = (await findCandidates({ list, chance: platform.chance }, wish, 'spread')).candidates.length;
    times.push(performance.now() - start);
  }
  const each = Object.fromEntries(Object.entries(read).map(([name, count]) => [name, count / rounds]));
  return { found, ...each, ms: Number(times.toSorted((a, b) => a - b)[rounds / 2]!.toFixed(1)) };
};

const figures: Record<string, Record<string, object>> = {};
let filled = 0;
for (const fleet of fleets) {
  for (; filled < fleet; filled += 1) await enrol(filled);
  const rows = (figures[fleet] = {} as Record<string, object>);
  for (const [name, request] of Object.entries(wishes)) rows[name] = await measure(request);
}
console.log(JSON.stringify({ bench: 'schedule', node: process.version, figures }));
