/**
 * The ports of a worker thread, by the grants of its function's row. What is not granted is refused with a sentence
 * that names the grant, as IAM refuses it on AWS. Modules load only when they are granted, so a worker starts fast.
 */
import { readFile } from 'node:fs/promises';

import { systemClock } from '../../layers/store/clock.ts';
import { Fault } from '../../layers/domain/fault.ts';
import { createIds } from '../../layers/store/ids.ts';
import type { Objects } from '../../layers/store/objects.ts';
import type { Functions, Log, Ports } from '../../layers/store/ports.ts';
import type { Table } from '../../layers/store/table.ts';
import type { Workflows } from '../../layers/store/workflows.ts';
import type { Grant } from '../../infra/manifest.ts';
import type { Writer } from '../table/writer.ts';
import { connect } from '../rpc.ts';
import type { Wiring } from './message.ts';

type Store = 'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'opener' | 'parameters';

/** The wiring with its ports connected, each once however many grants use it. */
type Connected = Omit<Wiring, 'workflows' | 'functions'> & {
  readonly workflows: Workflows | undefined;
  readonly functions: Functions | undefined;
};
type Open = (connected: Connected) => Promise<object>;

const openTable = async ({ table }: Connected): Promise<Table> => {
  const local = await import('../table/table.ts');
  return local.openTable({ path: table!.path, writer: connect<Writer>(table!.writer) });
};

const openForReading: Open = async (connected) => {
  const { get, getMany, query } = await openTable(connected);
  return { get, getMany, query };
};

const openObjects: Open = async ({ objects }) => {
  const { createObjects } = await import('../objects/objects.ts');
  return createObjects(objects!);
};

/** New objects only. Under which prefix, AWS checks. */
const openInventories: Open = async (connected) => {
  const { put } = (await openObjects(connected)) as Objects;
  return { put };
};

const workflowMethods =
  (...names: (keyof Workflows)[]): Open =>
  async ({ workflows }) =>
    Object.fromEntries(names.map((name) => [name, workflows![name]]));

const openSealer: Open = async ({ secrets }) => {
  const { createSecrets } = await import('../secrets/secrets.ts');
  return { seal: createSecrets(secrets!).seal };
};

const openOpener: Open = async ({ secrets }) => {
  const { createSecrets } = await import('../secrets/secrets.ts');
  return { open: createSecrets(secrets!).open };
};

/** What SSM keeps on AWS is a file here; its name is the path. */
const openParameters: Open = async () => ({
  read: async (path: string) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      throw new Fault('Configuration', 500, `The file ${path} can not be read.`, { cause: error });
    }),
});

/** What each grant opens. The host itself checks the name behind `invoke:`. */
const grantTable: Record<Exclude<Grant, `invoke:${string}`>, { port: Store; open: Open }> = {
  table: { port: 'table', open: openTable },
  'table:read': { port: 'table', open: openForReading },
  objects: { port: 'objects', open: openObjects },
  'objects:inventories': { port: 'objects', open: openInventories },
  'objects:agents': { port: 'objects', open: openObjects },
  'workflows:start': { port: 'workflows', open: workflowMethods('start', 'stop', 'describe', 'history') },
  'workflows:callback': { port: 'workflows', open: workflowMethods('succeed', 'fail', 'heartbeat') },
  seal: { port: 'sealer', open: openSealer },
  open: { port: 'opener', open: openOpener },
  parameters: { port: 'parameters', open: openParameters },
};

const isInvoke = (grant: Grant): grant is `invoke:${string}` => grant.startsWith('invoke:');

const rowOf = (grant: Grant): { port: Store; open: Open } =>
  isInvoke(grant)
    ? { port: 'functions', open: async ({ functions }) => ({ invoke: functions!.invoke }) }
    : grantTable[grant];

/** A port of which only `granted` may be used. */
const guarded = (name: string, port: Store, granted: object): object =>
  new Proxy(granted, {
    get: (target, method) => {
      const found: unknown = Reflect.get(target, method);
      if (found !== undefined || typeof method !== 'string' || method === 'then') return found;
      return async () => {
        throw new Fault(
          'AccessDenied',
          500,
          `Function ${name} may not use ${port}.${method}: infra/manifest.ts grants it no right to that.`,
        );
      };
    },
  });

/** The proxy is given the records of machines in the place of the table (DESIGN.md 2). */
const withRecords = async ({ table, clock, ...rest }: Ports): Promise<object> => {
  const { createBmcRecords } = await import('../../layers/store/bmc-records.ts');
  return { ...rest, clock, records: createBmcRecords({ table, clock }) };
};

/** What a function gets in the place of the ports themselves. */
const compositions: Readonly<Record<string, (ports: Ports) => Promise<object>>> = { 'bmc-proxy': withRecords };

/** Every port; the stores only as far as `grants` go. Throws Damaged (500) for a broken table or key. */
export const createPorts = async (
  name: string,
  grants: readonly Grant[],
  wiring: Wiring,
  log: Log,
): Promise<object> => {
  const connected: Connected = {
    ...wiring,
    workflows: wiring.workflows && connect<Workflows>(wiring.workflows),
    functions: wiring.functions && connect<Functions>(wiring.functions),
  };
  const opened: Record<Store, object> = {
    table: {},
    objects: {},
    workflows: {},
    functions: {},
    sealer: {},
    opener: {},
    parameters: {},
  };
  for (const { port, open } of grants.map(rowOf)) opened[port] = { ...opened[port], ...(await open(connected)) };
  const stores = Object.entries(opened).map(([port, granted]) => [port, guarded(name, port as Store, granted)]);
  const ports = { ...Object.fromEntries(stores), log, clock: systemClock, ids: createIds(systemClock) } as Ports;
  return compositions[name]?.(ports) ?? ports;
};
