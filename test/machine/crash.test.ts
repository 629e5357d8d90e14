/**
 * Ingot is killed with SIGKILL at seeded random moments of deploys and undeploys and started again. The machines are
 * in a process of their own and go on, as real ones would.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSeededChance } from '../../layers/platform/memory/chance.ts';
import { freePort, persist, type Process, request, sleep, start, temporaryFolder, until } from './system.ts';

const seed = Number(process.env['INGOT_CRASH_SEED'] ?? 20_261_121);
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 5);
/** Three on the way to the first deploy, then three in each deploy and two in each undeploy. */
const kills = 3 + rounds * 5;

type Machine = { name: string; address: string; system_id: string; username: string; password: string; mac: string };
type Images = { deploy_iso: string; demo_raw: { url: string; sha256: string } };
type Evidence = {
  power_timeline: { at: number; from: string; to: string }[];
  violations: unknown[];
  disk: { image: { sha256: string } | null; configdrive: { files: Record<string, { text?: string }> } | null };
};

const { number: random } = createSeededChance(seed);
const folder = temporaryFolder();
let simulator: Process;
let ingot: Process;
let base: string;
let control: string;
let ingotPort: number;
let killed = 0;

const startIngot = () => {
  ingot = start(
    'local/main.js',
    ['--no-demo', '--machines', '0', '--port', `${ingotPort}`, '--state-dir', `${folder.path}/ingot`],
    {
      INGOT_AUTH_STRATEGY: 'noauth',
      INGOT_BMC_NETWORKS: '127.0.0.0/8',
      INGOT_AGENT_NETWORKS: '127.0.0.0/8',
      INGOT_AGENT_ENDPOINT: base,
      INGOT_POLL_INTERVAL_MS: '50',
    },
  );
};

/** Kills at a random moment, waits a little, starts again. */
const crash = async () => {
  await sleep(random() * 900);
  await ingot.kill('SIGKILL');
  killed += 1;
  await sleep(random() * 200);
  startIngot();
};

const evidence = async (machine: Machine): Promise<Evidence> =>
  (await fetch(`${control}/machines/${machine.name}`)).json() as Promise<Evidence>;
const inventory = async (): Promise<{ machines: (Machine & { certificate: string })[]; images: Images }> =>
  (await fetch(`${control}/machines`)).json() as Promise<never>;

const state = async (node: string) => {
  const { status, body } = await request(base, 'GET', `/v1/nodes/${node}`);
  if (status !== 200) throw new Error(`GET node: ${status} ${JSON.stringify(body)}`);
  return body as { provision_state: string; last_error: string | null; instance_info: object };
};

/** What a person would look at when a node does not arrive. */
const story = async (node: string): Promise<string> => {
  const { body } = await request(base, 'GET', `/v1/nodes/${node}/history?detail=true&sort_dir=desc&limit=12`);
  return JSON.stringify({ node: await state(node), history: body['history'] }, null, 1);
};

/**
 * How long a node may take to arrive after the last kill, in seconds. A kill between noting a reset in the ledger and
 * sending it looks like a reset that the BMC has not carried out yet; it is sent again after a lag of a minute.
 */
const patience = 400;

/** Crashes while the node moves to `goal`, a few times; then lets it arrive. */
const crashUntil = async (node: string, goal: string, times: number) => {
  for (let count = 0; count < times; count += 1) await crash();
  const isOver = (at: string) => at === goal || at === 'error' || at.endsWith('failed');
  const look = async () => {
    const now = await state(node);
    return isOver(now.provision_state) && now;
  };
  const arrived = await until(`${node} to become ${goal}`, look, patience).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await story(node)}`, { cause: error });
  });
  expect([arrived.provision_state, arrived.last_error, ingot.output()]).toEqual([goal, null, expect.anything()]);
  return arrived;
};

const ons = ({ power_timeline: timeline }: Evidence, since: number) =>
  timeline.filter(({ to }) => to === 'On').length - since;

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

describe(`Ingot killed ${kills} times (INGOT_CRASH_SEED=${seed})`, () => {
  it('finishes every deploy, cycles no machine twice for one phase, and loses nothing it acknowledged', async () => {
    const { machines, images } = await inventory();
    const machine = machines[0]!;
    const created = await persist(base, 'POST', '/v1/nodes', {
      name: 'crash',
      driver: 'redfish',
      driver_info: {
        redfish_address: machine.address,
        redfish_system_id: machine.system_id,
        redfish_username: machine.username,
        redfish_password: machine.password,
        redfish_verify_ca: machine.certificate,
        deploy_iso: images.deploy_iso,
      },
    });
    expect(created.status).toBe(201);
    const node = created.body['uuid'] as string;
    expect((await persist(base, 'POST', '/v1/ports', { node_uuid: node, address: machine.mac })).status).toBe(201);
    const provision = async (target: string, more: object = {}) => {
      const reply = await persist(base, 'PUT', `/v1/nodes/${node}/states/provision`, { target, ...more });
      expect([reply.status, JSON.stringify(reply.body)]).toEqual([202, '{}']);
    };
    await provision('manage');
    await crashUntil(node, 'manageable', 1);
    await provision('provide');
    await crashUntil(node, 'available', 2);

    for (let round = 1; round <= rounds; round += 1) {
      const patch = [
        ['image_source', images.demo_raw.url],
        ['image_os_hash_algo', 'sha256'],
        ['image_os_hash_value', images.demo_raw.sha256],
      ].map(([name, value]) => ({ op: 'add', path: `/instance_info/${name}`, value }));
      expect((await persist(base, 'PATCH', `/v1/nodes/${node}`, patch)).status).toBe(200);
      const note = `round ${round}`;
      await persist(base, 'PATCH', `/v1/nodes/${node}`, [{ op: 'add', path: '/extra/acknowledged', value: note }]);

      const before = ons(await evidence(machine), 0);
      await provision('active', { configdrive: { user_data: note } });
      const active = await crashUntil(node, 'active', 3);
      expect((active as unknown as { extra: object }).extra).toEqual({ acknowledged: note });
      const deployed = await evidence(machine);
      // Once to boot the agent, once to boot the instance.
      expect(ons(deployed, before)).toBe(2);
      expect(deployed.disk.image?.sha256).toBe(images.demo_raw.sha256);
      expect(deployed.disk.configdrive?.files['openstack/latest/user_data']?.text).toBe(note);

      await provision('deleted');
      await crashUntil(node, 'available', 2);
      const cleaned = await evidence(machine);
      // Once more, for cleaning.
      expect(ons(cleaned, before)).toBe(3);
      expect([cleaned.disk.image, cleaned.disk.configdrive, cleaned.violations]).toEqual([null, null, []]);
      expect((await state(node)).instance_info).toEqual({});
    }
    expect(killed).toBe(kills);
  });
});
