/**
 * The whole system on one machine: what AWS is to the functions, in threads around one state directory. `main.ts`,
 * tests and benchmarks start it with the same call.
 */
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';

import { keyNameOf, type Part, partOf, type TableName, tableOf } from '../infra/grants.ts';
import {
  apis,
  feed,
  type FunctionName,
  type FunctionRow,
  functions,
  keeperNames,
  schedules as scheduleRows,
  subscriptions,
  workflows,
} from '../infra/manifest.ts';
import { Fault } from '../layers/domain/fault.ts';
import { systemClock } from '../layers/platform/clock.ts';
import { createIds } from '../layers/platform/ids.ts';
import type { Functions } from '../layers/platform/platform.ts';
import type { Settings } from '../infra/settings.ts';
import { upgradeTable } from '../layers/store/upgrade.ts';
import type { WorkflowName } from '../workflows/index.ts';
import { readDefinition } from '../workflows/run/asl.ts';
import { writeClouds } from './clouds-file.ts';
import {
  calledApisIn,
  environmentOf,
  readSettings,
  trustedProxies,
  type Variables,
  withAgentEndpoint,
} from './environment.ts';
import type { Sink } from './events/consumer.ts';
import { createSink } from './events/sink.ts';
import { createEvents, type EventsRunner } from './events/start.ts';
import { createHost, type FunctionHost } from './functions/host.ts';
import { serveInvoke } from './functions/invoke.ts';
import type { Wiring } from './functions/message.ts';
import { servedApis } from './gateway/api.ts';
import { createAuthorizer } from './gateway/authorizer.ts';
import { createGuard } from './gateway/noauth.ts';
import { type Gateway, openGateway } from './gateway/server.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { createObjectsMount } from './objects/serve.ts';
import { createSchedule } from './schedule.ts';
import { makeServiceUser } from './service-user.ts';
import { type SimulatorOptions, type SimulatorProcess, startSimulator } from './simulator-process.ts';
import { connect } from './rpc.ts';
import { openStateDir, type StateDir } from './state-dir.ts';
import type { StateEvent } from './states/history.ts';
import { startStates, type StatesThread } from './states/start.ts';
import type { Feed } from './table/feed.ts';
import { startTable, type TableThread } from './table/start.ts';
import { openTable } from './table/table.ts';
import type { Writer } from './table/writer.ts';
import { checkUsers } from './users.ts';

export type CloudOptions = {
  readonly stateDir: string;
  /** Of the API on 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** Settings and the like; usually `process.env`. */
  readonly variables: Variables;
  /** Simulated machines; without it there are none. */
  readonly simulator?: SimulatorOptions;
  /** File or URL to which events go; without it only functions have them. */
  readonly events?: string;
};

export type Cloud = {
  /** Of the Bare Metal API. */
  readonly url: string;
  /** Of each API, by its name in the manifest. */
  readonly urls: Readonly<Record<string, string>>;
  /** How callers prove who they are: the setting auth_strategy. */
  readonly strategy: string;
  /** The clouds.yaml for OpenStack's clients, if they can prove who calls. */
  readonly clouds?: string;
  readonly stateDir: string;
  readonly log: string;
  readonly simulator?: SimulatorProcess;
  /** Tells of every step of every workflow; answers how to be told no more. */
  onWorkflowEvent(listener: (event: StateEvent) => void): () => void;
  /** How often each function was invoked since the start. */
  invocations(): Readonly<Record<string, number>>;
  /** Keys of the objects that are stored now. */
  objects(): Promise<string[]>;
  /** Resolves when a part without which nothing works has ended by itself. */
  readonly broken: Promise<Fault>;
  /** Finishes requests, lets workflows rest where they are, and ends everything. May be repeated. */
  stop(): Promise<void>;
};

/** sync looks at every node that a workflow moves; most of its work is to find nothing wrong. Milliseconds. */
const syncEvery = 30_000;
/** What a timer can wait at most, ms. */
const longest = 2 ** 31 - 1;
/** Executions that ended are kept as long as Step Functions keeps them. */
const keepDays = 90;
const pruneEvery = 24 * 3_600_000;
/** API requests are served on so many cores; one is left for the gateway, and past four the one writer is what limits. */
const workers = Math.min(4, Math.max(1, availableParallelism() - 1));
/** How long requests may go on when everything stops, and invocations, which happen again at the next start. */
const graceMs = 3000;
const functionsGraceMs = 1000;

const root = new URL('../', import.meta.url);

/** As which the functions are called that run the phases. */
const runnerNames = Object.fromEntries(
  Object.values(workflows).map(({ runner }) => [runner.replaceAll('-', '_'), runner]),
);

/** What a version before filled is brought into the form of this one while nothing else runs. */
const upgrade = async (path: string, thread: TableThread, log: LogFile): Promise<void> => {
  const port = thread.port();
  const table = openTable({ path, writer: connect<Writer>(port) });
  try {
    const since = systemClock.now();
    while (!(await upgradeTable({ table, clock: systemClock }, { grace: 0 })));
    log.log('cloud').info('A table is in the form of this version.', { path, ms: systemClock.now() - since });
  } finally {
    table.close();
    port.close();
  }
};

type Threads = {
  readonly tables: Readonly<Record<TableName, TableThread>>;
  readonly states: () => StatesThread;
  readonly events: () => EventsRunner;
};

/** Functions of the APIs for people, who look at lists again and again: of the items of some thousand nodes, in characters. */
const listing: ReadonlySet<string> = new Set(
  Object.values(apis).flatMap(({ routes }) => routes.flatMap((row) => (row.authorize ? [row.function] : []))),
);
const whatListsKeep = 16 * 2 ** 20;

/** What the workers of a function are connected to: only what its grants open. */
const wire = (
  dir: StateDir,
  url: string,
  called: Required<Wiring>['apis'],
  threads: Threads,
  name: string,
  { grants }: FunctionRow,
  host: Functions,
): Wiring => {
  const key = (name: string): string => join(dir.files.keys, name);
  const wires: { readonly [P in Part]: () => Wiring } = {
    table: () => {
      const table = tableOf(grants)!;
      const shared = { path: dir.files.tables[table], writer: threads.tables[table].port() };
      return { table: { ...shared, ...(listing.has(name) && { keeps: whatListsKeep }) } };
    },
    workflows: () => ({ workflows: threads.states().attach() }),
    objects: () => ({ objects: { folder: dir.files.objects, key: key('links'), base: url } }),
    sealer: () => ({ secrets: key(keyNameOf(grants)) }),
    opener: () => ({ secrets: key(keyNameOf(grants)) }),
    functions: () => {
      const { port1, port2 } = new MessageChannel();
      serveInvoke(port1, grants, host);
      return { functions: port2 };
    },
    events: () => ({ events: threads.events().port() }),
    // Files, which need no wire.
    parameters: () => ({}),
    apis: () => ({ apis: called }),
  };
  const parts = new Set(grants.map(partOf));
  return Object.assign({}, ...[...parts].map((part) => wires[part]())) as Wiring;
};

/** How everything stops: first nothing new comes in, then nothing new begins, then what was written to closes. */
const stopOrder = [
  'gateway',
  'schedules',
  'states',
  'events',
  'functions',
  'tables',
  'simulator',
  'log',
  'stateDir',
] as const;
type Ends = Partial<Record<(typeof stopOrder)[number], () => Promise<unknown> | void>>;

/** One part that fails to end does not keep the others from ending. */
const endAll = async (ends: Ends, log: LogFile): Promise<void> => {
  for (const part of stopOrder) {
    try {
      await ends[part]?.();
    } catch (error) {
      log.log('cloud').error('A part did not end well.', { part, error });
    }
  }
};

/** Stored objects by key: a file's name is its key, percent-encoded. */
const listObjects = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => []);
  return names.map(decodeURIComponent);
};

/** Each has a thread of its own, so that tenants do not wait for what machines write, nor these for them. */
const startTables = async ({ files: { tables } }: StateDir, ends: Ends): Promise<Threads['tables']> => {
  const started: TableThread[] = [];
  ends.tables = async () => Promise.all(started.map(async (table) => table.stop()));
  const found: Partial<Record<TableName, TableThread>> = {};
  for (const [name, path] of Object.entries(tables)) {
    const table = await startTable(path, name === feed.table ? feed : undefined);
    started.push((found[name as TableName] = table));
  }
  return found as Threads['tables'];
};

/** The gateway listens before the functions are there; requests that come so early wait for them. */
const listen = async (
  dir: StateDir,
  log: LogFile,
  { port, variables }: CloudOptions,
  settings: Settings,
  ready: Promise<FunctionHost>,
): Promise<Gateway> => {
  const { now } = systemClock;
  const { objects: folder, keys } = dir.files;
  return openGateway({
    apis: servedApis(apis, settings),
    port,
    ids: createIds(systemClock),
    log: log.log('gateway'),
    now,
    invoke: async (name, event) => (await ready).invokeText(name, event),
    authorize: createAuthorizer({ invoke: async (event) => (await ready).invoke('authorizer', event), now }),
    ...(settings.auth_strategy === 'noauth' && { guard: createGuard(settings.public_endpoint) }),
    trusted: trustedProxies(variables),
    mounts: [await createObjectsMount({ folder, key: join(keys, 'links') })],
  });
};

/** Both happen by themselves on AWS: EventBridge calls who looks after runs, Step Functions forgets. */
const startSchedules = (host: FunctionHost, { states }: StatesThread, settings: Settings, log: LogFile) => {
  const onError = (error: unknown) => log.log('schedule').error('Scheduled work failed.', { error });
  const syncs = new Map(
    keeperNames.map((name) => [name, createSchedule(syncEvery, async () => host.invoke(name, {}), onError)]),
  );
  const others = scheduleRows
    .filter(({ every }) => Number(settings[every]) > 0)
    .map(({ function: name, every }) =>
      createSchedule(Math.min(Number(settings[every]) * 1000, longest), async () => host.invoke(name, {}), onError),
    );
  const prune = createSchedule(pruneEvery, async () => states.prune(keepDays), onError);
  return {
    /** An execution of this workflow ended badly. */
    kick: (workflow: string) => syncs.get(workflows[workflow as WorkflowName].keeper)!.kick(),
    stop: () => {
      for (const each of [...syncs.values(), ...others, prune]) void each.stop();
    },
  };
};

const assemble = async (
  options: CloudOptions,
  settings: Settings,
  sink: Sink | undefined,
  dir: StateDir,
  log: LogFile,
  ends: Ends,
): Promise<Cloud> => {
  const ready = Promise.withResolvers<FunctionHost>();
  const broken = Promise.withResolvers<Fault>();
  const listeners = new Set<(event: StateEvent) => void>();
  let stopped: Promise<void> | undefined;
  const fail = (part: string) => () => {
    if (stopped) return;
    broken.resolve(
      new Fault('Broken', 500, `${part} ended by itself, so Ingot cannot go on; ${dir.files.log} says why.`),
    );
  };

  const gateway = await listen(dir, log, options, settings, ready.promise);
  const { url, urls } = gateway;
  const service = makeServiceUser(join(dir.files.keys, 'service'), settings);
  const told = withAgentEndpoint(settings, options.simulator ? url : '');
  const called = calledApisIn(settings, urls, service.file);
  ends.gateway = async () => gateway.close(graceMs);

  const simulator =
    options.simulator &&
    (await startSimulator(options.simulator, dir.files.simulator, url, (line) => log.line('simulator', line)));
  ends.simulator = async () => simulator?.stop();
  void simulator?.ended.then(fail('The simulator'));

  const tables = await startTables(dir, ends);
  for (const table of Object.values(tables)) void table.ended.then(fail('A table'));
  for (const name of Object.keys(tables) as TableName[]) await upgrade(dir.files.tables[name], tables[name], log);

  let states: StatesThread;
  let events: EventsRunner;
  const threads: Threads = { tables, states: () => states, events: () => events };
  const host = createHost({
    rows: functions,
    folder: new URL('functions/', root),
    environment: (name) => environmentOf(name as FunctionName, told, options.variables, service.line),
    // Links go to BMCs, agents and operators: as the world reaches this machine, if somebody said how.
    wire: (name, row, self) => wire(dir, settings.public_endpoint || url, called, threads, name, row, self),
    onLine: log.line,
    size: workers,
  });
  ends.functions = async () => host.stop(functionsGraceMs);
  events = createEvents({
    feed: connect<Feed>(tables[feed.table].feed()),
    functions: host,
    subscriptions,
    sink,
    clock: systemClock,
    ids: createIds(systemClock),
    log: log.log('events'),
  });
  tables[feed.table].onChange(events.kick);
  ends.events = async () => events.stop(functionsGraceMs);

  states = await startStates({
    journal: dir.files.states,
    definitions: Object.fromEntries(Object.keys(workflows).map((name) => [name, readDefinition(name)])),
    substitutions: { ...settings, ...runnerNames },
    // What a killed process left goes on at once, before the workers can reach the thread that asks for them.
    functions: { invoke: async (name, payload) => (await ready.promise).invoke(name, payload) },
    onEvent: (event) => {
      for (const listener of listeners) listener(event);
    },
    onExit: (error) => {
      log.log('states').error('The thread of workflows failed.', { error });
      fail('The thread of workflows')();
    },
  });
  ends.states = states.stop;
  await host.warm();
  await events.start();
  ready.resolve(host);

  const schedules = startSchedules(host, states, settings, log);
  ends.schedules = schedules.stop;
  listeners.add(({ is, status, workflow }) => {
    if (is === 'ended' && status !== 'SUCCEEDED') schedules.kick(workflow);
  });

  const hasClouds = writeClouds(dir.files.clouds, urls, settings);

  return {
    url,
    urls,
    strategy: settings.auth_strategy,
    ...(hasClouds && { clouds: dir.files.clouds }),
    stateDir: dir.path,
    log: dir.files.log,
    ...(simulator && { simulator }),
    onWorkflowEvent: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    invocations: host.invocations,
    objects: async () => listObjects(dir.files.objects),
    broken: broken.promise,
    stop: async () => (stopped ??= endAll(ends, log)),
  };
};

/**
 * Starts everything and resolves when requests are answered. Throws a Fault whose message is the sentence to show:
 * Invalid, Configuration, StateDir, PortTaken, Simulator, Damaged and the like; then nothing is left running.
 */
export const startCloud = async (options: CloudOptions): Promise<Cloud> => {
  const settings = readSettings(options.variables, options.simulator !== undefined);
  const sink = options.events === undefined ? undefined : createSink(options.events);
  checkUsers(settings, options.variables);
  const dir = openStateDir(options.stateDir);
  const log = openLogFile(dir.files.log);
  const ends: Ends = { log: log.close, stateDir: dir.release };
  if (dir.closed.length > 0) {
    const what = 'The state directory was open to others; it is for its owner only now.';
    log.log('cloud').warn(what, { path: dir.path, files: dir.closed });
  }
  try {
    return await assemble(options, settings, sink, dir, log, ends);
  } catch (error) {
    await endAll(ends, log);
    throw error;
  }
};
