/**
 * Tenants who want more servers than there are machines, all at once, over HTTP: each machine gets one, everybody else a
 * clear answer, and nothing leaks. Nodes are of fake hardware, so that nothing waits.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { freePort, type Process, request, start, temporaryFolder, until } from './system.ts';
import { createTenancy } from './tenancy.ts';

const machines = 100;
const wanted = 200;
const folder = temporaryFolder();
let url: string;
let ingot: Process;

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  const args = ['--no-demo', '--machines', '0', '--port', new URL(url).port, '--state-dir', folder.path];
  ingot = start('local/main.js', args, { INGOT_AUTH_STRATEGY: 'noauth', INGOT_POLL_INTERVAL_MS: '50' });
  await ingot.ready('Ingot', async () => (await request(url, 'GET', '/v1')).status === 200);
});
afterAll(async () => {
  await ingot?.kill('SIGTERM');
  folder.remove();
});

const nodes = async () => {
  const { body } = await request(url, 'GET', '/v1/nodes/detail?limit=1000');
  return body['nodes'] as { uuid: string; provision_state: string; instance_uuid: string | null }[];
};

const enrol = async (at: number): Promise<void> => {
  const { status, body } = await request(url, 'POST', '/v1/nodes', {
    driver: 'fake-hardware',
    network_interface: 'flat',
    resource_class: 'bm.small',
    properties: { cpus: 4, memory_mb: 8192, local_gb: 100 },
    automated_clean: false,
  });
  expect([status, JSON.stringify(body)]).toEqual([201, expect.any(String)]);
  const node_uuid = body['uuid'] as string;
  const address = `52:54:00:00:${[at >> 8, at & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
  expect((await request(url, 'POST', '/v1/ports', { node_uuid, address })).status).toBe(201);
  const put = async (what: string, target: string, field: string, state: string) => {
    await request(url, 'PUT', `/v1/nodes/${node_uuid}/states/${what}`, { target });
    const isThere = async () => (await request(url, 'GET', `/v1/nodes/${node_uuid}`)).body[field] === state;
    await until(`${field} to be ${state}`, isThere);
  };
  await put('provision', 'manage', 'provision_state', 'manageable');
  await put('provision', 'provide', 'provision_state', 'available');
  // Nobody gets a machine of which nobody knows whether it is on; and no deploy of fake hardware switches it on.
  await put('power', 'power on', 'power_state', 'power on');
};

it(`${wanted} creates on ${machines} machines are ${machines} servers and as many clear answers`, async () => {
  await Promise.all(Array.from({ length: machines }, async (_, at) => enrol(at)));
  const tenancy = createTenancy(url);
  const [flavorRef, imageRef] = [await tenancy.makeFlavor(), await tenancy.makeImage(Buffer.from('a disk'))];
  const networks = [{ uuid: await tenancy.makeNetwork('10.0.0.0/23') }];
  // The project of who is asked for no password.
  await tenancy.setQuota('admin', { instances: wanted });
  const replies = await Promise.all(
    Array.from({ length: wanted }, async (_, at) => tenancy.create({ name: `s${at}`, flavorRef, imageRef, networks })),
  );
  expect(replies.filter(({ status }) => status !== 202)).toEqual([]);

  const settled = await until(
    'all servers to be something',
    async () => {
      const servers = await tenancy.list();
      return servers.length === wanted && servers.every(({ status }) => status !== 'BUILD') && servers;
    },
    500,
  );
  const faults = settled.filter(({ status }) => status === 'ERROR').map(({ fault }) => fault?.message);
  expect(settled.filter(({ status }) => status === 'ACTIVE')).toHaveLength(machines);
  expect(faults).toEqual(
    Array.from({ length: wanted - machines }, () => expect.stringMatching(/^No valid host was found\./)),
  );
  const active = settled.filter(({ status }) => status === 'ACTIVE').map(({ id }) => id);
  expect((await nodes()).map(({ instance_uuid: uuid }) => String(uuid)).toSorted()).toEqual(active.toSorted());
  const addresses = settled.flatMap(({ addresses: all }) =>
    Object.values(all)
      .flat()
      .map(({ addr }) => addr),
  );
  expect([addresses.length, new Set(addresses).size]).toEqual([machines, machines]);
  expect(await tenancy.ports()).toHaveLength(machines);

  const removed = await Promise.all(settled.map(async ({ id }) => tenancy.remove(id)));
  expect(removed.filter(({ status }) => status !== 204)).toEqual([]);
  await until('nothing to be left', async () => (await tenancy.list()).length === 0, 500);
  await until('every machine to be available', async () =>
    (await nodes()).every(({ provision_state: state, instance_uuid: uuid }) => state === 'available' && uuid === null),
  );
  expect(await tenancy.ports()).toEqual([]);
}, 1_500_000);
