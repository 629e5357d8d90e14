/**
 * What is told of a deploy while Ingot is killed with SIGKILL at seeded moments of it: every change of the node, in its
 * order, and at worst something twice. The machine is in a process of its own.
 */
import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { EventDetail, EventType } from '../../layers/domain/events.ts';
import { createSeededChance } from '../../layers/platform/memory/chance.ts';
import { freePort, persist, type Process, request, sleep, start, temporaryFolder, until } from './system.ts';

const seed = Number(process.env['INGOT_CRASH_SEED'] ?? 20_261_122);
const kills = 6;

type Machine = Record<'name' | 'address' | 'system_id' | 'username' | 'password' | 'mac' | 'certificate', string>;
type Inventory = {
  readonly machines: readonly Machine[];
  readonly images: {
    readonly deploy_iso: string;
    readonly demo_raw: { readonly url: string; readonly sha256: string };
  };
};

const { number: random } = createSeededChance(seed);
const folder = temporaryFolder();
const file = `${folder.path}/events.jsonl`;
let simulator: Process;
let ingot: Process;
let ingotPort: number;
let base: string;
let control: string;

const startIngot = () => {
  const options = { machines: '0', port: `${ingotPort}`, 'state-dir': `${folder.path}/ingot`, events: file };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  ingot = start('local/main.js', ['--no-demo', ...args], {
    INGOT_AUTH_STRATEGY: 'noauth',
    INGOT_BMC_NETWORKS: '127.0.0.0/8',
    INGOT_AGENT_NETWORKS: '127.0.0.0/8',
    INGOT_AGENT_ENDPOINT: base,
    INGOT_POLL_INTERVAL_MS: '50',
  });
};

const crash = async () => {
  await sleep(random() * 1500);
  await ingot.kill('SIGKILL');
  startIngot();
};

const inventory = async (): Promise<Inventory> => (await fetch(`${control}/machines`)).json() as Promise<Inventory>;

/** What the file has, without the lines in which Ingot died. */
const told = (): EventDetail[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [(JSON.parse(line) as { detail: EventDetail }).detail];
      } catch {
        return [];
      }
    });

/** Each as it was told first. */
const story = (): EventDetail[] =>
  [
    ...new Map(
      told()
        .toReversed()
        .map((event) => [event.id, event]),
    ).values(),
  ].toReversed();

const ofType = (type: EventType) => story().filter((event) => event.type === type);

beforeAll(async () => {
  ingotPort = await freePort();
  base = `http://127.0.0.1:${ingotPort}`;
  const controlPort = await freePort();
  control = `http://127.0.0.1:${controlPort}`;
  const options = { machines: 1, port: 0, 'control-port': controlPort, seed, scale: 0.02, 'api-url': base };
  simulator = start('simulator/main.ts', [
    `--state-dir=${folder.path}/simulator`,
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]);
  await simulator.ready('the simulator', inventory);
  startIngot();
});

afterAll(async () => {
  await ingot?.kill('SIGTERM');
  await simulator?.kill('SIGTERM');
  folder.remove();
});

it(`tells of each step of a deploy through ${kills} deaths (INGOT_CRASH_SEED=${seed})`, async () => {
  const { machines, images } = await inventory();
  const machine = machines[0]!;
  const created = await persist(base, 'POST', '/v1/nodes', {
    driver: 'redfish',
    driver_info: {
      redfish_address: machine.address,
      redfish_system_id: machine.system_id,
      redfish_username: machine.username,
      redfish_password: machine.password,
      redfish_verify_ca: machine.certificate,
      deploy_iso: images.deploy_iso,
    },
    instance_info: {
      image_source: images.demo_raw.url,
      image_os_hash_algo: 'sha256',
      image_os_hash_value: images.demo_raw.sha256,
    },
  });
  const node = created.body['uuid'] as string;
  await persist(base, 'POST', '/v1/ports', { node_uuid: node, address: machine.mac });
  const reach = async (target: string, state: string, times: number) => {
    await persist(base, 'PUT', `/v1/nodes/${node}/states/provision`, { target });
    for (let count = 0; count < times; count += 1) await crash();
    await until(`the node to become ${state}`, async () => {
      const { body } = await request(base, 'GET', `/v1/nodes/${node}`);
      return body['provision_state'] === state && body['target_provision_state'] === null;
    });
  };
  await reach('manage', 'manageable', 1);
  await reach('provide', 'available', 1);
  await reach('active', 'active', kills - 2);
  const { body: now } = await request(base, 'GET', `/v1/nodes/${node}`);
  await until('the last event', async () => {
    const last = ofType('node.provision_state').at(-1);
    return last?.after?.['provision_state'] === 'active';
  });

  const sequences = story().map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted());
  expect(ofType('node.create')).toHaveLength(1);
  // Nothing is missing between two events when the one begins where the other ended.
  for (const type of ['node.provision_state', 'node.power_state'] as const) {
    const events = ofType(type);
    expect(events.slice(1).map(({ before }) => before)).toEqual(events.slice(0, -1).map(({ after }) => after));
  }
  const states = ofType('node.provision_state').map(({ after }) => after!['provision_state']);
  const deploy = states.slice(states.indexOf('available') + 1).filter((state) => state !== 'wait call-back');
  expect(new Set(deploy.slice(0, -1))).toEqual(new Set(['deploying']));
  expect(ofType('node.power_state').at(-1)!.after).toEqual({
    power_state: now['power_state'],
    target_power_state: now['target_power_state'],
  });
  expect(JSON.stringify(told())).not.toContain(machine.password);
});
