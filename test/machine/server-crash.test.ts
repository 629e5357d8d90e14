/**
 * Ingot is killed with SIGKILL at seeded random moments while servers are created and deleted, and started again. The
 * machine is in a process of its own and goes on, as a real one would.
 */
import { randomBytes, createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSeededChance } from '../../layers/platform/memory/chance.ts';
import type { Evidence, Images, Machine } from './site.ts';
import { freePort, persist, type Process, request, sleep, start, temporaryFolder, until } from './system.ts';
import { createTenancy } from './tenancy.ts';

const seed = Number(process.env['INGOT_CRASH_SEED'] ?? 20_261_121);
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 2);
/** In each create, and in each delete. */
const kills = { create: 4, delete: 3 };

const { number: random } = createSeededChance(seed);
const folder = temporaryFolder();
let simulator: Process;
let ingot: Process;
let base: string;
let control: string;
let killed = 0;

const startIngot = () => {
  const options = ['--no-demo', '--machines', '0', '--port', new URL(base).port, '--state-dir', `${folder.path}/ingot`];
  ingot = start('local/main.js', options, {
    INGOT_AUTH_STRATEGY: 'noauth',
    INGOT_BMC_NETWORKS: '127.0.0.0/8',
    INGOT_AGENT_NETWORKS: '127.0.0.0/8',
    INGOT_AGENT_ENDPOINT: base,
    INGOT_POLL_INTERVAL_MS: '50',
    // An event that died with its process is looked for soon.
    INGOT_SERVER_LOOK_AGAIN: '60',
  });
};

/** Kills at a random moment, waits a little, starts again. */
const crash = async () => {
  await sleep(random() * 1500);
  await ingot.kill('SIGKILL');
  killed += 1;
  await sleep(random() * 200);
  startIngot();
};

const crashes = async (times: number) => {
  for (let count = 0; count < times; count += 1) await crash();
};

const inventory = async (): Promise<{ machines: Machine[]; images: Images }> =>
  (await fetch(`${control}/machines`)).json() as Promise<never>;
const evidence = async ({ name }: Machine): Promise<Evidence> =>
  (await fetch(`${control}/machines/${name}`)).json() as Promise<never>;

type Shown = Readonly<Record<string, unknown>>;
const show = async (node: string): Promise<Shown> => (await persist(base, 'GET', `/v1/nodes/${node}`)).body;
const becomes = async (node: string, state: string): Promise<Shown> =>
  until(
    `${node} to become ${state}`,
    async () => {
      const now = await show(node);
      return now['provision_state'] === state && now;
    },
    400,
  );

/** The node of a machine, ready for servers. */
const enrol = async (machine: Machine, { deploy_iso }: Images): Promise<string> => {
  const { status, body } = await persist(base, 'POST', '/v1/nodes', {
    driver: 'redfish',
    resource_class: 'bm.small',
    network_interface: 'flat',
    properties: { cpus: 4, memory_mb: 8192, local_gb: 100, cpu_arch: 'x86_64' },
    driver_info: {
      redfish_address: machine.address,
      redfish_system_id: machine.system_id,
      redfish_username: machine.username,
      redfish_password: machine.password,
      redfish_verify_ca: machine.certificate,
      deploy_iso,
    },
  });
  expect([status, JSON.stringify(body)]).toEqual([201, expect.any(String)]);
  const node = body['uuid'] as string;
  expect((await persist(base, 'POST', '/v1/ports', { node_uuid: node, address: machine.mac })).status).toBe(201);
  await persist(base, 'PUT', `/v1/nodes/${node}/states/provision`, { target: 'manage' });
  await becomes(node, 'manageable');
  await persist(base, 'PUT', `/v1/nodes/${node}/states/provision`, { target: 'provide' });
  await becomes(node, 'available');
  return node;
};

beforeAll(async () => {
  base = `http://127.0.0.1:${await freePort()}`;
  const controlPort = await freePort();
  control = `http://127.0.0.1:${controlPort}`;
  const options = { machines: 1, port: 0, 'control-port': controlPort, seed, scale: 0.02, 'api-url': base };
  simulator = start('simulator/main.ts', [
    `--state-dir=${folder.path}/simulator`,
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]);
  await simulator.ready('the simulator', inventory);
  startIngot();
  await ingot.ready('Ingot', async () => (await request(base, 'GET', '/v1')).status === 200);
});

afterAll(async () => {
  await ingot?.kill('SIGTERM');
  await simulator?.kill('SIGTERM');
  folder.remove();
});

const count = rounds * (kills.create + kills.delete);

describe(`Ingot killed ${count} times (INGOT_CRASH_SEED=${seed})`, () => {
  it('finishes every server that it has accepted, on one machine, and leaves nothing of those that go', async () => {
    const { machines, images } = await inventory();
    const machine = machines[0]!;
    const node = await enrol(machine, images);
    const tenancy = createTenancy(base, persist);
    const bytes = randomBytes(100_000);
    const [flavorRef, imageRef] = [await tenancy.makeFlavor(), await tenancy.makeImage(bytes)];
    const networks = [{ uuid: await tenancy.makeNetwork('10.0.0.0/24') }];

    for (let round = 1; round <= rounds; round += 1) {
      const user_data = Buffer.from(`round ${round}`).toString('base64');
      const before = (await evidence(machine)).power_timeline.length;
      const accepted = await tenancy.create({
        name: 's',
        flavorRef,
        imageRef,
        networks,
        user_data,
        config_drive: true,
      });
      expect([accepted.status, JSON.stringify(accepted.body)]).toEqual([202, expect.any(String)]);
      const { id } = accepted.body['server'] as { id: string };
      await crashes(kills.create);
      const server = await until(
        'the server to be built',
        async () => {
          const now = await tenancy.show(id);
          return now?.status !== 'BUILD' && now;
        },
        500,
      );
      expect([server.status, server.fault?.message]).toEqual(['ACTIVE', undefined]);
      const [port, ...others] = await tenancy.ports();
      expect(others).toEqual([]);
      const address = port!.fixed_ips[0]!.ip_address;
      expect(server.addresses['private']).toMatchObject([{ addr: address }]);
      const told = await show(node);
      expect([told['instance_uuid'], told['provision_state']]).toEqual([id, 'active']);
      const { disk, power_timeline: timeline, violations } = await evidence(machine);
      expect(violations).toEqual([]);
      expect(disk.image?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(disk.configdrive?.files['openstack/latest/user_data']?.text).toBe(`round ${round}`);
      expect(disk.configdrive?.files['openstack/latest/network_data.json']?.text).toContain(address);
      // Once for the agent, once for the guest.
      expect(timeline.slice(before).filter(({ to }) => to === 'On')).toHaveLength(2);

      expect((await tenancy.remove(id)).status).toBe(204);
      await crashes(kills.delete);
      await until('the server to be gone', async () => (await tenancy.show(id)) === undefined, 500);
      expect(await becomes(node, 'available')).toMatchObject({
        instance_uuid: null,
        instance_info: {},
        last_error: null,
      });
      expect(await tenancy.ports()).toEqual([]);
      const { disk: left } = await evidence(machine);
      expect([left.image, left.configdrive]).toEqual([null, null]);
    }
    expect(killed).toBe(count);
  }, 1_500_000);
});
