/**
 * Servers: how long 100 take to ACTIVE on fake hardware, and the same nodes deployed directly; lists of 1,000 and one of
 * them; what AWS would bill for one: state transitions and invocations. `npx node bench/servers.ts [servers] [seconds]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCloud } from '../local/cloud.ts';
import { load } from './load.ts';
import { allReach, call, startSystem } from './system.ts';
import { enrolFakes, makeOffer, settleServers } from './tenancy.ts';

const count = Number(process.argv[2] ?? 100);
const seconds = Number(process.argv[3] ?? 3);
const listed = 1000;

/** All nodes at once. Answers how long it took until all are there, in seconds. */
const move = async (base: string, uuids: readonly string[], target: string, state: string, more: object = {}) => {
  const since = performance.now();
  await Promise.all(uuids.map((uuid) => call(base, 'PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more })));
  return allReach(base, uuids.length, state, since);
};

/** Available, and known to be on: others get no servers, and no deploy of fake hardware switches them on. */
const prepare = async (base: string, uuids: readonly string[]) => {
  await move(base, uuids, 'manage', 'manageable');
  await move(base, uuids, 'provide', 'available');
  await Promise.all(uuids.map((uuid) => call(base, 'PUT', `/v1/nodes/${uuid}/states/power`, { target: 'power on' })));
  const isOn = async (uuid: string) => (await call(base, 'GET', `/v1/nodes/${uuid}`))['power_state'] === 'power on';
  for (const uuid of uuids) while (!(await isOn(uuid)));
};

/** Each by a request of its own, all at once. */
const create = async (base: string, server: object, servers: number) => {
  const since = performance.now();
  const post = async () => call(base, 'POST', '/compute/v2.1/servers', { server });
  await Promise.all(Array.from({ length: servers }, post));
  const all = await settleServers(base, servers);
  return { all, took: Number(((performance.now() - since) / 1000).toFixed(2)) };
};

/** Most of them get no machine, about which a list does not ask. */
const createMany = async (base: string, server: object, servers: number) => {
  for (let made = 0; made < servers; made += 100) {
    await call(base, 'POST', '/compute/v2.1/servers', { server: { ...server, min_count: 100, max_count: 100 } });
  }
  return settleServers(base, servers, true);
};

const remove = async (base: string, servers: readonly { readonly id: string }[]) => {
  const since = performance.now();
  await Promise.all(servers.map(async ({ id }) => call(base, 'DELETE', `/compute/v2.1/servers/${id}`)));
  await settleServers(base, 0);
  return Number(((performance.now() - since) / 1000).toFixed(2));
};

/** What one server takes of Step Functions and Lambda, its machine's deploy and cleaning included. */
const billed = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
  const cloud = await startCloud({ stateDir: folder, port: 0, variables: { INGOT_AUTH_STRATEGY: 'noauth' } });
  const transitions: Record<string, number> = {};
  cloud.onWorkflowEvent(({ is, workflow }) => {
    if (is === 'entered' || is === 'retried') transitions[workflow] = (transitions[workflow] ?? 0) + 1;
  });
  const uuids = await enrolFakes(cloud.url, 1);
  await prepare(cloud.url, uuids);
  const offer = await makeOffer(cloud.url);
  const during = async (work: () => Promise<unknown>) => {
    for (const name of Object.keys(transitions)) delete transitions[name];
    const before = cloud.invocations();
    await work();
    const invocations = Object.entries(cloud.invocations())
      .map(([name, after]) => [name, after - (before[name] ?? 0)] as const)
      .filter(([name, more]) => more > 0 && !name.endsWith('sync') && name !== 'compute-api');
    return { transitions: { ...transitions }, invocations: Object.fromEntries(invocations) };
  };
  const created = await during(async () => create(cloud.url, offer, 1));
  const deleted = await during(async () => {
    await remove(cloud.url, await settleServers(cloud.url, 1));
    await allReach(cloud.url, 1, 'available', 0);
  });
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
  return { created, deleted };
};

const one = await billed();
const system = await startSystem(0);
const { base } = system;
const uuids = await enrolFakes(base, count);
await prepare(base, uuids);
const direct = await move(base, uuids, 'active', 'active', { configdrive: { user_data: 'bench' } });
await move(base, uuids, 'deleted', 'available');

const offer = await makeOffer(base);
const { all, took } = await create(base, offer, count);
const removed = await remove(base, all);

const many = await createMany(base, offer, listed);
const get = async (path: string, concurrency: number) =>
  load(base, concurrency, seconds, () => ({ method: 'GET', path: `/compute/v2.1${path}` }));
const reads = {
  list_1000: await get('/servers/detail?limit=1000', 1),
  summary_1000: await get('/servers?limit=1000', 1),
  show_c1: await get(`/servers/${many[0]!.id}`, 1),
  show_c16: await get(`/servers/${many[0]!.id}`, 16),
};
await system.stop();

const times = { direct_seconds: direct, servers_seconds: took, factor: Number((took / direct).toFixed(2)), removed };
console.log(JSON.stringify({ bench: 'servers', servers: count, ...times, reads, one }));
