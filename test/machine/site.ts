/** A whole installation with machines that do not exist, in processes of their own, and what an operator does with it. */
import { expect } from 'vitest';

import {
  freePort,
  type Process,
  type Reply,
  request,
  sleep,
  start,
  startSimulator,
  temporaryFolder,
  until,
} from './system.ts';

export type Machine = {
  readonly name: string;
  readonly profile: string;
  readonly address: string;
  readonly system_id: string;
  readonly username: string;
  readonly password: string;
  readonly mac: string;
  readonly certificate: string;
};

export type Images = {
  readonly deploy_iso: string;
  /** Its agent looks for no medium. */
  readonly plain_iso: string;
  readonly live_iso: string;
  readonly demo_raw: { readonly url: string; readonly sha256: string };
};

/** What the control plane of the simulator shows of a machine, as far as tests look at it. */
export type Evidence = {
  readonly power: 'on' | 'off';
  readonly phase: string;
  readonly device: string | null;
  readonly boot: { readonly target: string; readonly enabled: string };
  readonly media: Readonly<Record<string, { readonly image: string; readonly inserted: boolean } | null>>;
  readonly disk: {
    readonly image: { readonly sha256: string } | null;
    readonly configdrive: { readonly files: Readonly<Record<string, { readonly text?: string }>> } | null;
    readonly residue: boolean;
  };
  readonly power_timeline: readonly { readonly to: string }[];
  readonly resets: readonly { readonly type: string; readonly status: number }[];
  readonly boots: readonly { readonly device: string | null; readonly result: string | null }[];
  readonly sessions: number;
  readonly auth_failures: number;
  readonly violations: readonly unknown[];
  readonly faults: readonly { readonly name: string; readonly count: number | null }[];
};

export type Node = {
  readonly uuid: string;
  readonly provision_state: string;
  readonly target_provision_state: string | null;
  readonly power_state: string | null;
  readonly last_error: string | null;
  readonly reservation: string | null;
  readonly maintenance: boolean;
  readonly fault: string | null;
  readonly instance_info: object;
  readonly driver_internal_info: Readonly<Record<string, unknown>>;
};

/** Who works with the machines of a simulator through an Ingot that is anywhere. */
export type Operator = {
  readonly machines: readonly Machine[];
  readonly images: Images;
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  evidence(machine: Machine): Promise<Evidence>;
  /** Lets something go wrong with the machine. */
  fault(machine: Machine, fault: object): Promise<void>;
  mend(machine: Machine): Promise<void>;
  /** Somebody switches the machine on or off by hand. */
  press(machine: Machine, power: 'on' | 'off'): Promise<void>;
  /** Requests that reached the machine's BMC or came from its agent. */
  requests(
    machine: Machine,
  ): Promise<readonly { readonly side: string; readonly method: string; readonly path: string }[]>;
  /** Creates the machine's node, named like it; `info` replaces keys of driver_info, `more` fields of the node. */
  enrol(machine: Machine, info?: object, more?: object): Promise<void>;
  node(machine: Machine): Promise<Node>;
  /** PUT states/provision, which has to be accepted. */
  provision(machine: Machine, target: string, more?: object): Promise<void>;
  patch(machine: Machine, values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits for the state; any state that work ends in, if it is another one, is a failure at once. */
  reaches(machine: Machine, state: string, seconds?: number): Promise<Node>;
};

export type Site = Operator & {
  readonly url: string;
  readonly folder: string;
  /** Kills Ingot (SIGKILL), and starts it again after so many milliseconds. The machines go on. */
  crash(pause_ms: number): Promise<void>;
  /** Kills Ingot, and starts it again with other settings besides; waits until it answers. */
  restart(settings: Readonly<Record<string, string>>): Promise<void>;
  output(): string;
  stop(): Promise<void>;
};

const ends = ['enroll', 'manageable', 'available', 'active', 'error', 'deploy failed', 'clean failed'];

type Wanted = {
  readonly machines: number;
  readonly profiles: string;
  readonly env: Record<string, string>;
  /** Of the simulator's chance. */
  readonly seed?: number;
};

const answered = async (asked: Promise<Reply>, status: number): Promise<Record<string, unknown>> => {
  const reply = await asked;
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([status, expect.any(String)]);
  return reply.body;
};

/** Machines of a simulator, and the way to them. */
export type Reach = {
  /** Where the simulator tells of its machines. */
  readonly control: string;
  readonly call: Operator['call'];
  readonly machines: readonly Machine[];
  readonly images: Images;
};

/** An operator of these machines, whose Ingot answers `call`. */
export const createOperator = ({ control, call, machines, images }: Reach): Operator => {
  const ask = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const answer = await fetch(control + path, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const node = async ({ name }: Machine) => (await answered(call('GET', `/v1/nodes/${name}`), 200)) as Node;
  const patch: Operator['patch'] = async ({ name }, values) => {
    const changes = Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));
    await answered(call('PATCH', `/v1/nodes/${name}`, changes), 200);
  };
  const reaches: Operator['reaches'] = async (machine, state, seconds = 550) => {
    const begun = await node(machine);
    const arrived = await until(
      `${machine.name} to become ${state}`,
      async () => {
        const now = await node(machine);
        const isOver = ends.includes(now.provision_state) && now.provision_state !== begun.provision_state;
        return (now.provision_state === state || isOver) && now;
      },
      seconds,
    );
    expect([arrived.provision_state, arrived.last_error]).toEqual([state, arrived.last_error]);
    return arrived;
  };

  return {
    machines,
    images,
    call,
    evidence: async ({ name }) => ask(`/machines/${name}`),
    fault: async ({ name }, fault) =>
      void (await ask(`/machines/${name}/faults`, { method: 'POST', body: JSON.stringify(fault) })),
    mend: async ({ name }) => void (await ask(`/machines/${name}/faults`, { method: 'DELETE' })),
    press: async ({ name }, power) =>
      void (await ask(`/machines/${name}/power`, { method: 'PUT', body: JSON.stringify({ power }) })),
    requests: async ({ name }) =>
      (await ask<{ log: { side: string; method: string; path: string }[] }>(`/log?node=${name}`)).log,
    enrol: async (machine, info = {}, more = {}) => {
      const created = await answered(
        call('POST', '/v1/nodes', {
          name: machine.name,
          driver: 'redfish',
          driver_info: {
            redfish_address: machine.address,
            redfish_system_id: machine.system_id,
            redfish_username: machine.username,
            redfish_password: machine.password,
            redfish_verify_ca: machine.certificate,
            deploy_iso: images.deploy_iso,
            ...info,
          },
          instance_info: {
            image_source: images.demo_raw.url,
            image_os_hash_algo: 'sha256',
            image_os_hash_value: images.demo_raw.sha256,
          },
          ...more,
        }),
        201,
      );
      await answered(call('POST', '/v1/ports', { node_uuid: created['uuid'], address: machine.mac }), 201);
    },
    node,
    patch,
    provision: async ({ name }, target, more = {}) =>
      void (await answered(call('PUT', `/v1/nodes/${name}/states/provision`, { target, ...more }), 202)),
    reaches,
  };
};

/** Starts simulator and Ingot. Whoever starts a site stops it. */
export const startSite = async ({ env, ...wanted }: Wanted): Promise<Site> => {
  const { path: folder, remove } = temporaryFolder();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const simulating = startSimulator({ ...wanted, api_url: base, folder });
  const startIngot = (settings: Readonly<Record<string, string>> = {}): Process =>
    start('local/main.js', ['--no-demo', '--machines', '0', '--port', `${port}`, '--state-dir', `${folder}/ingot`], {
      INGOT_AUTH_STRATEGY: 'noauth',
      INGOT_BMC_NETWORKS: '127.0.0.0/8',
      INGOT_AGENT_NETWORKS: '127.0.0.0/8',
      INGOT_AGENT_ENDPOINT: base,
      INGOT_POLL_INTERVAL_MS: '50',
      ...env,
      ...settings,
    });
  let ingot = startIngot();
  const call = async (method: string, path: string, body?: unknown) => request(base, method, path, body);
  const { simulator, ...found } = await simulating;
  const answers = async () => ingot.ready('Ingot', async () => (await call('GET', '/v1')).status === 200);
  await answers();

  return {
    ...createOperator({ call, ...found }),
    url: base,
    folder: `${folder}/ingot`,
    crash: async (pause_ms) => {
      await ingot.kill('SIGKILL');
      await sleep(pause_ms);
      ingot = startIngot();
    },
    restart: async (settings) => {
      await ingot.kill('SIGKILL');
      ingot = startIngot(settings);
      await answers();
    },
    output: () => [simulator, ingot].map(({ output }) => output()).join('\n'),
    stop: async () => {
      for (const process of [ingot, simulator]) await process.kill('SIGTERM');
      remove();
    },
  };
};

/** A machine that somebody else has: it is on, and Ingot knows nothing of it any more. */
export const leaveOn = async (site: Site, machine: Machine): Promise<void> => {
  await site.enrol(machine);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.call('PUT', `/v1/nodes/${machine.name}/states/power`, { target: 'power on' });
  await until(`${machine.name} to be on`, async () => (await site.node(machine)).power_state === 'power on');
  await until(`${machine.name} to rest`, async () => (await site.node(machine)).reservation === null);
  expect((await site.call('DELETE', `/v1/nodes/${machine.name}`)).status).toBe(204);
};
