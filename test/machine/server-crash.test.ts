/**
 * Ingot is killed with SIGKILL at seeded random moments while servers are created and deleted, and started again. The
 * machine is in a process of its own and goes on, as a real one would.
 */
import { randomBytes, createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSeededChance } from '../../layers/platform/memory/chance.ts';
import { type Machine, type Site, startSite } from './site.ts';
import { persist, sleep, until } from './system.ts';
import { createTenancy } from './tenancy.ts';

const seed = Number(process.env['INGOT_CRASH_SEED'] ?? 20_261_121);
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 2);
/** In each create, and in each delete. */
const kills = { create: 4, delete: 3 };

const { number: random } = createSeededChance(seed);
let site: Site;
let killed = 0;

/** Kills at random moments, waits a little, starts again. */
const crashes = async (times: number) => {
  for (let count = 0; count < times; count += 1) {
    await sleep(random() * 1500);
    killed += 1;
    await site.crash(random() * 200);
  }
};

type Shown = Readonly<Record<string, unknown>>;
const show = async ({ name }: Machine): Promise<Shown> => (await persist(site.url, 'GET', `/v1/nodes/${name}`)).body;
const becomes = async (machine: Machine, state: string): Promise<Shown> =>
  until(
    `${machine.name} to become ${state}`,
    async () => {
      const now = await show(machine);
      return now['provision_state'] === state && now;
    },
    400,
  );

/** The node of a machine, ready for servers. */
const enrol = async (machine: Machine) => {
  await site.enrol(
    machine,
    {},
    {
      resource_class: 'bm.small',
      network_interface: 'flat',
      properties: { cpus: 4, memory_mb: 8192, local_gb: 100, cpu_arch: 'x86_64' },
      instance_info: {},
    },
  );
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
};

beforeAll(async () => {
  // An event that died with its process is looked for soon.
  site = await startSite({ machines: 1, profiles: 'plain', seed, env: { INGOT_SERVER_LOOK_AGAIN: '60' } });
});

afterAll(async () => site?.stop());

const count = rounds * (kills.create + kills.delete);

describe(`Ingot killed ${count} times (INGOT_CRASH_SEED=${seed})`, () => {
  it('finishes every server that it has accepted, on one machine, and leaves nothing of those that go', async () => {
    const machine = site.machines[0]!;
    await enrol(machine);
    const tenancy = createTenancy(site.url, persist);
    const bytes = randomBytes(100_000);
    const [flavorRef, imageRef] = [await tenancy.makeFlavor(), await tenancy.makeImage(bytes)];
    const networks = [{ uuid: await tenancy.makeNetwork('10.0.0.0/24') }];

    for (let round = 1; round <= rounds; round += 1) {
      const user_data = Buffer.from(`round ${round}`).toString('base64');
      const before = (await site.evidence(machine)).power_timeline.length;
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
      const told = await show(machine);
      expect([told['instance_uuid'], told['provision_state']]).toEqual([id, 'active']);
      const { disk, power_timeline: timeline, violations } = await site.evidence(machine);
      expect(violations).toEqual([]);
      expect(disk.image?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(disk.configdrive?.files['openstack/latest/user_data']?.text).toBe(`round ${round}`);
      expect(disk.configdrive?.files['openstack/latest/network_data.json']?.text).toContain(address);
      // Once for the agent, once for the guest.
      expect(timeline.slice(before).filter(({ to }) => to === 'On')).toHaveLength(2);

      expect((await tenancy.remove(id)).status).toBe(204);
      await crashes(kills.delete);
      await until('the server to be gone', async () => (await tenancy.show(id)) === undefined, 500);
      expect(await becomes(machine, 'available')).toMatchObject({
        instance_uuid: null,
        instance_info: {},
        last_error: null,
      });
      expect(await tenancy.ports()).toEqual([]);
      const { disk: left } = await site.evidence(machine);
      expect([left.image, left.configdrive]).toEqual([null, null]);
    }
    expect(killed).toBe(count);
  }, 1_500_000);
});
