/**
 * Servers from their front door to their machines, in one process: the Compute API, the runs of servers, the Bare Metal
 * API and the runs of machines, each on its own table in memory, with the real ASL files in the real interpreter, and the
 * events of nodes between them. Only time and machines are made up.
 */
import { setImmediate } from 'node:timers/promises';

import { create as createBaremetal } from '../../../functions/baremetal-api/app.ts';
import { Config as BaremetalConfig } from '../../../functions/baremetal-api/config.ts';
import { create as createEvents } from '../../../functions/events/app.ts';
import { create as createImages } from '../../../functions/image-api/app.ts';
import { Config as ImageConfig } from '../../../functions/image-api/config.ts';
import * as serverSync from '../../../functions/server-sync/app.ts';
import * as serverWorkflow from '../../../functions/server-workflow/app.ts';
import { Config as ServerConfig } from '../../../functions/server-workflow/config.ts';
import * as sync from '../../../functions/sync/app.ts';
import * as workflow from '../../../functions/workflow/app.ts';
import { Config as WorkflowConfig } from '../../../functions/workflow/config.ts';
import { type FunctionName, settings, subscriptions, workflows as rows } from '../../../infra/manifest.ts';
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import type { ApiRequest } from '../../../layers/platform/apis.ts';
import type { PublishedEvent } from '../../../layers/platform/events.ts';
import { createMemoryApis } from '../../../layers/platform/memory/apis.ts';
import { createMemoryEvents } from '../../../layers/platform/memory/events.ts';
import { createMemoryFunctions } from '../../../layers/platform/memory/functions.ts';
import { createMemoryObjects } from '../../../layers/platform/memory/objects.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { createMemoryTable } from '../../../layers/platform/memory/table.ts';
import type { Workflows } from '../../../layers/platform/workflows.ts';
import { readStanding } from '../../../layers/store/compute-quotas.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { networkKinds } from '../../../layers/store/kinds/networks.ts';
import { type StoredImage, tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { createPort, type NewPort } from '../../../layers/store/network-ports.ts';
import { createNetwork } from '../../../layers/store/networks.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { uuidsIn } from '../../../layers/store/records/list.ts';
import { createSubnet } from '../../../layers/store/subnets.ts';
import { cardsOf, vifsOf } from '../../../layers/store/vifs.ts';
import { toEventBridge } from '../../../local/events/consumer.ts';
import { loadDefinition, type Definition } from '../../../local/states/definition.ts';
import { openJournal } from '../../../local/states/journal.ts';
import { createStates, type States } from '../../../local/states/states.ts';
import type { WorkflowName } from '../../../workflows/index.ts';
import { readDefinition } from '../../../workflows/run/asl.ts';
import { follow } from '../../fakes/feed.ts';
import { askingOf } from '../../fakes/http.ts';
import { createFakeProxy } from '../../fakes/proxy.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { createFront, type Options, root } from '../../functions/compute-api/front.ts';
import { createFront as createNetworkFront } from '../../functions/network-api/front.ts';
import { createLife, type Death, type Life } from '../mortal.ts';
import { createVirtualTime } from '../virtual-time.ts';

const runnerNames = ['workflow', 'server-workflow'] as const satisfies FunctionName[];

const substitutions = {
  ...Object.fromEntries(runnerNames.map((name) => [name.replaceAll('-', '_'), name])),
  ...Object.fromEntries(Object.entries(settings).map(([name, { default: value }]) => [name, value])),
};

const load = async (name: string): Promise<Definition> =>
  loadDefinition(name, `${name}.asl.json`, readDefinition(name), substitutions);

const definitions = await Promise.all(Object.keys(rows).map(load));

const invocation = { request_id: 'r', remaining_ms: () => 120_000 };

const flavor = {
  flavor: { id: 'small', name: 'bm.small', ram: 4096, vcpus: 2, disk: 40 },
  specs: { 'resources:CUSTOM_BM_SMALL': '1' },
};

/** Of nobody. */
const publicKey = `ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 7),
]).toString('base64')} k`;

type Process = {
  readonly life: Life;
  readonly states: States;
  readonly take: (event: object) => Promise<object>;
  readonly request: ReturnType<typeof createFront>['request'];
  readonly network: ReturnType<typeof createNetworkFront>['request'];
};

export type StageOptions = {
  readonly env?: Record<string, string>;
  /** When the first process dies, counted in effects of the tenants' side. */
  readonly death?: Death;
};

type Phase = { readonly workflow: string; readonly phase: string; readonly server?: string; readonly node?: string };

/** What a test does in between: before a phase runs, before the Bare Metal API answers a server's run. It may throw. */
type Meddling = {
  phase?: ((phase: Phase) => unknown) | undefined;
  call?: ((wanted: ApiRequest) => unknown) | undefined;
  /** After it did, before the run hears of it. */
  answered?: ((wanted: ApiRequest) => unknown) | undefined;
  /** Before a run of this workflow is started. */
  start?: ((workflow: string) => unknown) | undefined;
};

export type Stage = Awaited<ReturnType<typeof createStage>>;

/** Two worlds, one time. */
const createWorlds = () => {
  const time = createVirtualTime();
  const platform = createMemoryPlatform();
  const shared = { ...platform, clock: time };
  return {
    time,
    machines: { ...shared, table: createMemoryTable(time), objects: createMemoryObjects(time) },
    tenants: { ...shared, table: createMemoryTable(time) },
  };
};

export const createStage = async ({ env = {}, death }: StageOptions = {}) => {
  const { time, machines, tenants } = createWorlds();
  const proxy = createFakeProxy();
  const journal = openJournal(':memory:');
  // A sleep takes no time here, so whoever waits for a lock would wait for ever: that a node is locked is told at once.
  const told = environmentWith({ INGOT_AGENT_ENDPOINT: 'http://metal.test', INGOT_NODE_LOCKED_WAIT: '0', ...env });
  const changes = follow(machines.table);
  const events = createMemoryEvents();
  const publish = createEvents({ events, log: machines.log });
  const travelled: object[] = [];
  const meddling: Meddling = {};

  const boot = (plan?: Death): Process => {
    const life = createLife(plan);
    const states: { current?: States } = {};
    const forward = Object.fromEntries(
      ['start', 'succeed', 'stop', 'describe'].map((method) => [
        method,
        async (...args: unknown[]) => {
          if (method === 'start') await meddling.start?.(args[0] as string);
          return (states.current![method as 'start'] as (...all: unknown[]) => Promise<unknown>)(...args);
        },
      ]),
    ) as unknown as Workflows;
    const machineSide = {
      ...machines,
      table: life.shield(machines.table),
      objects: life.shield(machines.objects),
      workflows: life.shield(forward),
      functions: life.shield(createMemoryFunctions({ 'bmc-proxy': proxy.handler })),
    };
    const apis = createMemoryApis({
      baremetal: createBaremetal(machineSide, BaremetalConfig.parse(told)),
      image: createImages(tenants, ImageConfig.parse(told)),
    });
    const asked = {
      ...apis,
      baremetal: async (wanted: ApiRequest) => {
        await meddling.call?.(wanted);
        const reply = await apis.baremetal(wanted);
        await meddling.answered?.(wanted);
        return reply;
      },
    };
    const tenantSide = {
      ...tenants,
      table: life.wrap(tenants.table),
      workflows: life.wrap(forward),
      opener: life.shield(tenants.opener),
      apis: life.wrap({ baremetal: asked.baremetal, image: asked.image }),
    };
    const handlers = {
      workflow: workflow.create({ ...machineSide, apis }, WorkflowConfig.parse(told)),
      'server-workflow': serverWorkflow.create(tenantSide, ServerConfig.parse(told)),
    };
    const host = Object.fromEntries(
      runnerNames.map((name) => [
        name,
        async (payload: unknown) => {
          await meddling.phase?.(payload as Phase);
          const answer = await handlers[name](payload, invocation);
          travelled.push({ payload, answer });
          return answer;
        },
      ]),
    );
    states.current = createStates({
      journal: { ...journal, ...life.wrap({ commit: journal.commit }) },
      definitions,
      functions: life.shield(createMemoryFunctions(host)),
      timers: { now: time.now, at: (when, call) => time.at(when, life.timer(call)) },
      chance: { number: () => 1, uuid: machines.ids.uuid, token: machines.ids.uuid },
    });
    // What a client asks for is not what may die here.
    const front = { ...tenants, workflows: life.shield(forward), apis: life.shield(asked) };
    const { request } = createFront(env, front as never);
    const network = createNetworkFront(front as never);
    return {
      life,
      states: states.current,
      request,
      network: network.request,
      take: async (event) => handlers['server-workflow'](event, invocation),
    };
  };

  let process = boot(death);
  const orDeath = async <T>(work: Promise<T>): Promise<T | 'dead'> => Promise.race([work, process.life.death]);

  const wanted = (type: string) => subscriptions.some(({ types }) => types.some((one) => one === type));

  /** What was published and not taken, and all that was. */
  const due: PublishedEvent[] = [];
  const past: PublishedEvent[] = [];

  let losing = false;

  /** Publishes what became of nodes, and hands it over, each until it was taken. Answers whether there was anything. */
  const pump = async (): Promise<boolean> => {
    await publish({ Records: changes.splice(0) });
    const told = events.published.splice(0).filter(({ type }) => wanted(type));
    past.push(...told);
    if (!losing) due.push(...told);
    const before = due.length;
    while (due.length > 0 && !process.life.dead()) {
      const taken = await orDeath(process.take(toEventBridge(due[0]!, machines.ids)).catch(() => 'later' as const));
      if (taken === 'dead' || taken === 'later') return taken === 'later' && due.length < before;
      due.shift();
    }
    return before > 0;
  };

  /** Runs until nothing is left to do within so many seconds of virtual time, or the process dies. */
  const settle = async (seconds = 0): Promise<void> => {
    const until = time.now() + seconds * 1000;
    do {
      do if ((await orDeath(process.states.idle())) === 'dead') return;
      while (await pump());
    } while (time.skip((until - time.now()) / 1000));
  };

  const readNode = async (uuid: string) => (await readRecord(machines.table, kinds.node, uuid))!;
  const readServer = async (uuid: string) => readRecord(tenants.table, computeKinds.server, uuid);

  /** A machine that a server of flavor `small` fits, with network cards. */
  const addNode = async (values: Partial<StoredNode> = {}, cards = 2): Promise<string> => {
    const uuid = machines.ids.uuid();
    const node = newNode({
      uuid,
      driver: 'fake-hardware',
      network_interface: 'flat',
      provision_state: 'available',
      power_state: 'power on',
      resource_class: 'bm.small',
      properties: { cpus: 4, memory_mb: 8192, local_gb: 100, cpu_arch: 'x86_64' },
      created_at: '2026-01-01T00:00:00.000+00:00',
      position: machines.ids.ulid(),
      ...values,
    });
    await createRecord(machines, kinds.node, node);
    for (let at = 0; at < cards; at += 1) {
      const address = `52:54:00:${[machines.ids.ulid().length, at, Number.parseInt(uuid.slice(-4), 16) % 256]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(':')}`;
      await createRecord(
        machines,
        kinds.port,
        newRecord(machines, kinds.port, { node_uuid: uuid, address, pxe_enabled: true }),
      );
    }
    return uuid;
  };

  const addImage = async (values: Partial<StoredImage> = {}): Promise<string> => {
    const record = newRecord(tenants, tenantKinds.image, {
      name: 'debian',
      status: 'active',
      visibility: 'public',
      owner: 'admin',
      disk_format: 'qcow2',
      container_format: 'bare',
      ...values,
    });
    await createRecord(tenants, tenantKinds.image, record);
    return record.uuid;
  };

  const addNetwork = async (project_id = 'red'): Promise<string> => {
    const allocation_pools = [{ start: '10.0.0.2', end: '10.0.0.254' }];
    const { uuid } = await createNetwork(tenants, { project_id, name: 'private' });
    await createSubnet(tenants, { project_id, network_id: uuid, ip_version: 4, cidr: '10.0.0.0/24', allocation_pools });
    return uuid;
  };

  /** A port that the project has made itself. */
  const addPort = async (network_id: string, values: Partial<NewPort> = {}): Promise<string> =>
    (await createPort(tenants, { project_id: 'red', network_id, ...values })).uuid;

  const request = async (line: string, options: Options = {}) => {
    const answer = await orDeath(process.request(line, options));
    if (answer === 'dead') throw new Error('The process is dead.');
    return answer;
  };

  await request('POST /v2.1/flavors', { subject: root, body: { flavor: flavor.flavor } });
  await request('POST /v2.1/flavors/small/os-extra_specs', { subject: root, body: { extra_specs: flavor.specs } });
  const image = await addImage();

  /** The UUID of a new server, whose run was started. */
  const boots = async (server: object = {}, options: Options = {}): Promise<string> => {
    const given = { name: 's1', imageRef: image, flavorRef: 'small', networks: 'none', ...server };
    const answer = await request('POST /v2.1/servers', { ...options, body: { server: given } });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body.server.id as string;
  };

  /** Changes that somebody else makes. */
  const changeNode = async (uuid: string, set: Partial<StoredNode>) =>
    changeRecord(machines, kinds.node, uuid, () => ({ set }));

  /** The Bare Metal API, as an operator calls it. */
  const operator = async (line: string, body?: object) => {
    const workflows = process.life.shield(process.states);
    const ask = askingOf(createBaremetal({ ...machines, workflows }, BaremetalConfig.parse(told)), '');
    return ask(line, {
      subject: root,
      headers: { 'OpenStack-API-Version': 'baremetal latest' },
      ...(body && { body }),
    });
  };

  return {
    time,
    machines,
    tenants,
    proxy,
    image,
    addNode,
    addImage,
    addNetwork,
    addPort,
    publicKey,
    loseEvents: (lose: boolean) => {
      losing = lose;
    },
    boots,
    request,
    /** The Network API, as tenants and administrators call it. */
    network: async (...asked: Parameters<Process['network']>) => process.network(...asked),
    operator,
    changeNode,
    settle,
    pump,
    /** Hands over all events of a type that there have been, once more. */
    replay: async (type: string) => {
      due.push(...past.filter((event) => event.type === type));
      await settle();
    },
    /** The events of a type that there have been, as EventBridge hands them over. */
    past: (type: string) =>
      past
        .filter((event) => event.type === type)
        .map((event) => toEventBridge(event, machines.ids) as { readonly detail: object }),
    /** Calls the function of servers' runs itself. */
    call: async (event: unknown) => process.take(event as object),
    readNode,
    readServer,
    /** Servers that a run has. */
    busy: async () => uuidsIn(tenants.table, computeKinds.server, [{ index: 'busy', value: '' }]),
    /** What counts against the quota of the project. */
    used: async (project = 'red') => {
      const { instances, cores, ram } = (await readStanding(tenants.table, `project:${project}`)).used;
      return { instances: instances ?? 0, cores: cores ?? 0, ram: ram ?? 0 };
    },
    /** For who is in the middle of something: others go on until they rest, as far as they do without time. */
    others: async () => {
      for (let round = 0; round < 40; round += 1) {
        await setImmediate();
        await pump();
      }
    },
    /** What the server shows to its tenant. */
    show: async (uuid: string, options: Options = {}) =>
      (await request(`GET /v2.1/servers/${uuid}`, options)).body?.server,
    change: async (uuid: string, set: Partial<StoredServer>) =>
      changeRecord(tenants, computeKinds.server, uuid, () => ({ set })),
    nodes: async () =>
      Promise.all((await uuidsIn(machines.table, kinds.node, [{ index: 'list', value: '' }])).map(readNode)),
    ports: async () => {
      const uuids = await uuidsIn(tenants.table, networkKinds.network_port, [{ index: 'list', value: '' }]);
      const found = await Promise.all(
        uuids.map(async (uuid) => readRecord(tenants.table, networkKinds.network_port, uuid)),
      );
      return found.flatMap((port) => port ?? []);
    },
    cards: async (node: string) => cardsOf(machines.table, node),
    vifs: async (node: string) => vifsOf(machines.table, node),
    /** What went through Step Functions: payloads of the phases, and their answers. */
    travelled,
    meddling,
    dead: () => process.life.dead(),
    effects: () => process.life.effects(),
    /** Starts another process on what the dead one left. */
    restart: async () => {
      await setImmediate();
      process = boot();
    },
    sync: async () => {
      const platform = { workflows: process.states as unknown as Workflows };
      await sync.create({ ...machines, ...platform })({});
      return serverSync.create({ ...tenants, ...platform })({});
    },
    stop: async (name: WorkflowName, run: string) => process.states.stop(name, run, 'Operator', 'Stopped by hand.'),
    entered: async (name: WorkflowName, run: string): Promise<string[]> =>
      (await process.states.history(name, run))
        .filter(({ type }) => type.endsWith('StateEntered'))
        .map(({ state }) => state!),
  };
};
