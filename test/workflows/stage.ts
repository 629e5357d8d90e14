/**
 * Whole workflows in one process: the real ASL files in the real interpreter, the real phases and ramdisk API, on the
 * memory table and with a fake BMC proxy. Only time and machines are made up.
 */
import { setImmediate } from 'node:timers/promises';

import type { APIGatewayProxyEvent } from 'aws-lambda';

import * as bootImage from '../../functions/boot-image/app.ts';
import * as ramdiskApi from '../../functions/ramdisk-api/app.ts';
import { Config as RamdiskConfig } from '../../functions/ramdisk-api/config.ts';
import * as sync from '../../functions/sync/app.ts';
import * as workflow from '../../functions/workflow/app.ts';
import { Config as WorkflowConfig } from '../../functions/workflow/config.ts';
import { settings, workflows as rows } from '../../infra/manifest.ts';
import type { ProvisionEvent } from '../../layers/domain/baremetal/transitions.ts';
import { managementRequestWrite, type ManagementRequest } from '../../layers/store/management-requests.ts';
import { powerRequestWrite } from '../../layers/store/power-requests.ts';
import { begin, lock } from '../../layers/store/reservation.ts';
import type { Item } from '../../layers/platform/table.ts';
import type { Workflows } from '../../layers/platform/workflows.ts';
import { loadDefinition, type Definition } from '../../local/states/definition.ts';
import { openJournal } from '../../local/states/journal.ts';
import { createStates, type States } from '../../local/states/states.ts';
import type { WorkflowName } from '../../workflows/index.ts';
import { readDefinition } from '../../workflows/run/asl.ts';
import type { Report } from '../../workflows/run/sync.ts';
import { createMemoryFunctions } from '../../layers/platform/memory/functions.ts';
import { createMemoryObjects } from '../../layers/platform/memory/objects.ts';
import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import { noNetworks } from '../../layers/bmc/networks.ts';
import { createServers } from '../functions/boot-image/servers.ts';
import { createFakeProxy } from '../fakes/proxy.ts';
import { environmentWith } from '../fakes/settings.ts';
import { createLife, type Death, type Life } from './mortal.ts';
import { createVirtualTime } from './virtual-time.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord, createRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';

const substitutions = {
  ...Object.fromEntries(Object.values(rows).map(({ runner }) => [runner.replaceAll('-', '_'), runner])),
  ...Object.fromEntries(Object.entries(settings).map(([name, { default: value }]) => [name, value])),
};

const load = async (name: string): Promise<Definition> =>
  loadDefinition(name, `${name}.asl.json`, readDefinition(name), substitutions);

/** Loaded once: the interpreter compiles every expression. */
const definitions = await Promise.all(Object.keys(rows).map(load));

type Process = {
  readonly life: Life;
  readonly states: States;
  ramdisk(event: object): Promise<{ statusCode: number; body: string }>;
};

export type Stage = Awaited<ReturnType<typeof createStage>>;

/** `env` are settings of the functions; `death`: when the first process dies. */
export const createStage = async ({ node, env = {}, death }: { node: StoredNode; env?: object; death?: Death }) => {
  const time = createVirtualTime();
  const world = { ...createMemoryPlatform(), objects: createMemoryObjects(time), clock: time };
  const proxy = createFakeProxy();
  const servers = createServers({});
  const journal = openJournal(':memory:');
  const told = environmentWith({ INGOT_AGENT_ENDPOINT: 'http://metal.test', ...env });
  const config = WorkflowConfig.parse(told);
  const travelled: object[] = [];
  await createRecord(world, kinds.node, node);

  const invocation = { request_id: 'r', remaining_ms: () => 120_000 };
  const builder = bootImage.create({ ...world, open: servers.open }, { networks: noNetworks });

  const boot = (plan?: Death): Process => {
    const life = createLife(plan);
    const functions = life.wrap(
      createMemoryFunctions({
        'bmc-proxy': proxy.handler,
        'boot-image': async (wanted) => builder(wanted, invocation),
      }),
    );
    const states: { current?: States } = {};
    const forward = Object.fromEntries(
      ['start', 'succeed', 'stop', 'describe'].map((method) => [
        method,
        async (...args: unknown[]) =>
          (states.current![method as 'start'] as (...all: unknown[]) => Promise<unknown>)(...args),
      ]),
    ) as unknown as Workflows;
    const platform = {
      ...world,
      table: life.wrap(world.table),
      objects: life.wrap(world.objects),
      workflows: life.wrap(forward),
      functions,
    };
    const phase = workflow.create(platform, config);
    const host = life.wrap(
      createMemoryFunctions({
        workflow: async (payload: unknown) => {
          const answer = await phase(payload, invocation);
          travelled.push({ payload, answer });
          return answer;
        },
      }),
    );
    states.current = createStates({
      journal: { ...journal, ...life.wrap({ commit: journal.commit }) },
      definitions,
      functions: host,
      timers: { now: time.now, at: (when, call) => time.at(when, life.timer(call)) },
      chance: { number: () => 1, uuid: world.ids.uuid, token: world.ids.uuid },
    });
    const ramdisk = ramdiskApi.create(platform, RamdiskConfig.parse(told));
    return {
      life,
      states: states.current,
      ramdisk: async (event) => ramdisk(event as APIGatewayProxyEvent, invocation),
    };
  };

  let process = boot(death);
  const read = async (uuid = node.uuid) => (await readRecord(world.table, kinds.node, uuid))!;
  const orDeath = async <T>(work: Promise<T>): Promise<T | 'dead'> => Promise.race([work, process.life.death]);

  /** Runs until nothing is left to do within so many seconds of virtual time, or the process dies. */
  const settle = async (seconds = 0): Promise<void> => {
    const until = time.now() + seconds * 1000;
    do {
      if ((await orDeath(process.states.idle())) === 'dead') return;
    } while (time.skip((until - time.now()) / 1000));
  };

  /** A request that gives the node to a run, which is then started. */
  const take = async (name: WorkflowName, decide: (stored: StoredNode) => Partial<StoredNode>): Promise<string> => {
    const message = `Asked for ${name}.`;
    const { after } = await changeRecord(world, kinds.node, node.uuid, (stored) => ({
      set: decide(stored),
      told: () => ({ kind: 'request', severity: 'INFO', event_type: 'provisioning', message }),
    }));
    await orDeath(process.states.start(name, after.run!, { node: node.uuid }));
    return after.run!;
  };

  /** What PUT states/provision does. */
  const provision = async (name: WorkflowName, event: ProvisionEvent): Promise<string> =>
    take(name, (stored) => begin(stored, world.ids.ulid(), name, event));

  /** What PUT states/power does. */
  const power = async (target: string, timeout: number | null = null): Promise<string> => {
    const request = { node: node.uuid, target, timeout };
    const becomes = target.endsWith('off') ? ('power off' as const) : ('power on' as const);
    const { after } = await changeRecord(world, kinds.node, node.uuid, (stored) => {
      const held = lock(stored, world.ids.ulid());
      return { set: { ...held, target_power_state: becomes }, also: [powerRequestWrite(held.reservation, request)] };
    });
    await orDeath(process.states.start('power', after.reservation!, request));
    return after.reservation!;
  };

  /** What PUT states/boot_mode and its like do. */
  const manage = async (request: ManagementRequest): Promise<string> => {
    const { after } = await changeRecord(world, kinds.node, node.uuid, (stored) => {
      const held = lock(stored, world.ids.ulid());
      return { set: held, also: [managementRequestWrite(node.uuid, held.reservation, request)] };
    });
    await orDeath(process.states.start('management', after.reservation!, { node: node.uuid, action: request.action }));
    return after.reservation!;
  };

  /** `version`: null for none, as agents send their inventory. */
  const http = async (line: string, body?: object, version: string | null = '1.68') => {
    const [httpMethod, target] = line.split(' ') as [string, string];
    const url = new URL(target, 'http://metal.test');
    const reply = await orDeath(
      process.ramdisk({
        httpMethod,
        path: url.pathname,
        headers: {
          'Content-Type': 'application/json',
          ...(version !== null && { 'X-OpenStack-Ironic-API-Version': version }),
        },
        multiValueQueryStringParameters: Object.fromEntries([...url.searchParams].map(([k, v]) => [k, [v]])),
        requestContext: { path: url.pathname, identity: { sourceIp: '10.0.0.9' } },
        body: body ? JSON.stringify(body) : null,
      }),
    );
    return reply === 'dead' ? { status: 0, body: undefined } : { status: reply.statusCode, body: reply.body };
  };

  return {
    time,
    proxy,
    world,
    machine: proxy.machine(node.uuid),
    read,
    settle,
    take,
    provision,
    power,
    manage,
    http,
    /** Starts another process on what the dead one left. What that was writing to the disk gets there first. */
    restart: async () => {
      await setImmediate();
      process = boot();
    },
    /** Where boot images are built of, and how often each was asked for. */
    servers,
    /** For an API that starts runs here. */
    workflows: (): Workflows => process.states,
    /** What an operator changes by hand. */
    change: async (set: Partial<StoredNode>) => changeRecord(world, kinds.node, node.uuid, () => ({ set })),
    /** What went through Step Functions: payloads of the phases, and their answers. */
    travelled,
    dead: () => process.life.dead(),
    effects: () => process.life.effects(),
    sync: async (event: unknown = {}) =>
      orDeath(sync.create({ ...world, workflows: process.states })(event)) as Promise<Report>,
    describe: async (name: WorkflowName, run: string) => process.states.describe(name, run),
    stop: async (name: WorkflowName, run: string) => process.states.stop(name, run, 'Superseded', 'a test'),
    /** The states that the execution went through, in order; a state that is tried again is entered once. */
    entered: async (name: WorkflowName, run: string): Promise<string[]> =>
      (await process.states.history(name, run))
        .filter(({ type }) => type.endsWith('StateEntered'))
        .map(({ state }) => state!),
    /** The node's events as lines, in order. */
    history: async (): Promise<string[]> =>
      (await world.table.query({ partition: `node#${node.uuid}`, begins: 'event#' })).map(
        (event: Item) => `${String(event['kind'])}: ${String(event['message'])}`,
      ),
  };
};
