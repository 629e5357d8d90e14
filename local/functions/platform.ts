/**
 * The platform of a worker thread, by the grants of its function's row. What is not granted is refused with a sentence
 * that names the grant, as IAM refuses it on AWS. Modules load only when they are granted, so a worker starts fast.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import { systemChance } from '../../layers/platform/chance.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { Fault } from '../../layers/domain/fault.ts';
import { createIds } from '../../layers/platform/ids.ts';
import type { Events } from '../../layers/platform/events.ts';
import type { Objects } from '../../layers/platform/objects.ts';
import { type CalledApi, isInvoked } from '../../layers/platform/apis.ts';
import type { Functions, Log, Platform } from '../../layers/platform/platform.ts';
import type { Table } from '../../layers/platform/table.ts';
import type { Workflows } from '../../layers/platform/workflows.ts';
import { calledBy, type Grant, type GrantName, type Part, partOf, withinOf } from '../../infra/grants.ts';
import type { Writer } from '../table/writer.ts';
import { connect } from '../rpc.ts';
import type { Wiring } from './message.ts';

/** The wiring with its parts connected, each once however many grants use it. */
type Connected = Omit<Wiring, 'workflows' | 'functions' | 'events'> & {
  readonly workflows: Workflows | undefined;
  readonly functions: Functions | undefined;
  readonly log: Log;
  readonly events: Events | undefined;
};
type Open = (connected: Connected) => Promise<object>;

const openTable: Open = async ({ table }) => {
  const local = await import('../table/table.ts');
  const { path, writer, keeps } = table!;
  return local.openTable({ path, writer: connect<Writer>(writer), ...(keeps !== undefined && { keeps }) });
};

/** Loaded by who is fenced in, who has few modules anyway. */
const openFenced =
  (grant: GrantName): Open =>
  async (connected) => {
    const { fenceTable } = await import('../../layers/platform/fence.ts');
    return fenceTable((await openTable(connected)) as Table, withinOf(grant)!);
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

/** Who writes guest documents reads none. */
const openGuests: Open = async (connected) => {
  const { put, remove } = (await openObjects(connected)) as Objects;
  return { put, remove };
};

/** Who sweeps reads nothing. */
const openSwept: Open = async (connected) => {
  const { list, remove } = (await openObjects(connected)) as Objects;
  return { list, remove };
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
const readParameter = async (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new Fault('Configuration', 500, `The file ${path} can not be read.`, { cause: error });
  });

const openParameters: Open = async () => ({
  read: readParameter,
  find: async (path: string) => (existsSync(path) ? readParameter(path) : undefined),
});

const openApi =
  (api: CalledApi): Open =>
  async ({ apis, functions, log }) => {
    const { endpoint, credentials: file } = apis![api];
    if (endpoint === '' && isInvoked(api)) {
      const { createInvokedApi } = await import('../../layers/platform/invoked-api.ts');
      return { [api]: createInvokedApi({ functions: functions!, log, ids: createIds(systemClock) }, api) };
    }
    const { createApiCall } = await import('../../layers/platform/api-call.ts');
    const credentials = file === '' ? undefined : async () => readParameter(file);
    return { [api]: createApiCall({ api, endpoint, credentials, log }) };
  };

/** The host itself checks whom a function may call. */
const openFunctions: Open = async ({ functions }) => ({ invoke: functions!.invoke });

const openEvents: Open = async ({ events }) => ({ publish: events!.publish });

/** What each grant opens. */
const openers: { readonly [G in GrantName]: Open } = {
  table: openTable,
  'table:agents': openFenced('table:agents'),
  tenants: openTable,
  objects: openObjects,
  'objects:inventories': openInventories,
  'objects:images': openObjects,
  'objects:images:sweep': openSwept,
  'objects:agents': openObjects,
  'objects:boots': openObjects,
  'objects:guests': openGuests,
  'objects:sweep': openSwept,
  'workflows:start': workflowMethods('start', 'stop', 'describe', 'history'),
  'workflows:servers': workflowMethods('start', 'stop', 'describe', 'history'),
  'workflows:callback': workflowMethods('succeed', 'fail', 'heartbeat'),
  'workflows:servers:callback': workflowMethods('succeed', 'fail', 'heartbeat'),
  seal: openSealer,
  'seal:tenants': openSealer,
  'open:tenants': openOpener,
  open: openOpener,
  publish: openEvents,
  parameters: openParameters,
  'apis:baremetal': openApi('baremetal'),
  'apis:image': openApi('image'),
};

const openerOf = (grant: Grant): Open => (calledBy(grant) ? openFunctions : openers[grant as GrantName]);

/** A part of the platform of which only `granted` may be used. */
const guarded = (name: string, part: Part, granted: object): object =>
  new Proxy(granted, {
    get: (target, method) => {
      const found: unknown = Reflect.get(target, method);
      if (found !== undefined || typeof method !== 'string' || method === 'then') return found;
      return async () => {
        throw new Fault(
          'AccessDenied',
          500,
          `Function ${name} may not use ${part}.${method}: infra/manifest.ts grants it no right to that.`,
        );
      };
    },
  });

/** The proxy is given the records of machines in the place of the table (DESIGN.md 2). */
const withRecords = async ({ table, clock, ...rest }: Platform): Promise<object> => {
  const { createBmcRecords } = await import('../../layers/store/bmc-records.ts');
  const { tlsWire } = await import('../../layers/redfish-client/transport.ts');
  return { ...rest, clock, wire: tlsWire, records: createBmcRecords({ table, clock }) };
};

/** What a function gets in the place of the platform itself. */
const compositions: Readonly<Record<string, (platform: Platform) => Promise<object>>> = { 'bmc-proxy': withRecords };

/** The whole platform; its parts only as far as `grants` go. Throws Damaged (500) for a broken table or key. */
export const createPlatform = async (
  name: string,
  grants: readonly Grant[],
  wiring: Wiring,
  log: Log,
): Promise<object> => {
  const connected: Connected = {
    ...wiring,
    workflows: wiring.workflows && connect<Workflows>(wiring.workflows),
    functions: wiring.functions && connect<Functions>(wiring.functions),
    log,
    events: wiring.events && connect<Events>(wiring.events),
  };
  const opened: Record<Part, object> = {
    table: {},
    objects: {},
    workflows: {},
    functions: {},
    events: {},
    sealer: {},
    opener: {},
    parameters: {},
    apis: {},
  };
  for (const grant of grants) {
    const part = partOf(grant);
    opened[part] = { ...opened[part], ...(await openerOf(grant)(connected)) };
  }
  const stores = Object.entries(opened).map(([part, granted]) => [part, guarded(name, part as Part, granted)]);
  const platform = {
    ...Object.fromEntries(stores),
    log,
    clock: systemClock,
    chance: systemChance,
    ids: createIds(systemClock),
  } as Platform;
  return compositions[name]?.(platform) ?? platform;
};
