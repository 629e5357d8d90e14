/** Hypervisors (compute-api.md 6), for administrators: each machine is one, and its name is the UUID of its node. */
import * as z from 'zod';

import type { ShownMachine } from '../../../layers/baremetal-client/shown.ts';
import { Fault, Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { readBool } from '../../../layers/domain/page.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { nextLinks, readLimit } from '../list.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { instanceNameOf } from '../server/view.ts';
import {
  briefOf,
  type Capacity,
  capacityOf,
  noCapacity,
  type ServerOn,
  shownHypervisors,
  wholeOf,
  withoutCapacity,
} from './hypervisor-view.ts';
import { machinesFor, orMissing } from './machines.ts';
import { idOf, knownByUuid } from './numbers.ts';

const at = '/v2.1/os-hypervisors';

/** Most that are answered to a pattern. */
const mostMatches = 1000;

const missing = (id: string) => () => NotFound(`Compute host ${id} could not be found.`);

/** All whose names have this in them; a whole name is looked up. */
const matching = async (deps: Deps, call: Call, pattern: string): Promise<ShownMachine[]> => {
  const machines = machinesFor(deps, call);
  const wanted = pattern.toLowerCase();
  const none = () => NotFound(`No hypervisor matching '${pattern}' could be found.`);
  if (isUuid(wanted)) return [await orMissing(machines.getMachine(wanted), none)];
  const found: ShownMachine[] = [];
  await machines.eachMachine((machine) => {
    if (machine.uuid.includes(wanted) && found.length < mostMatches) found.push(machine);
  });
  if (found.length === 0) throw none();
  return found;
};

type Page = { readonly machines: readonly ShownMachine[]; readonly next?: string | undefined };

/** One page of all, or what matches a pattern. Throws Invalid (400), NotFound (404). */
const select = async (deps: Deps, call: Call): Promise<Page> => {
  const [pattern] = call.query['hypervisor_hostname_pattern'] ?? [];
  const [marker] = call.query['marker'] ?? [];
  if (pattern !== undefined) {
    if (marker !== undefined || call.query['limit']) {
      throw Invalid('Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported.');
    }
    return { machines: await matching(deps, call, pattern) };
  }
  const limit = readLimit(call);
  const unknown = () => Invalid(`marker [${marker}] not found`);
  if (marker !== undefined && !isUuid(marker)) throw unknown();
  const machines = await orMissing(machinesFor(deps, call).listMachines({ limit, marker }), unknown);
  return { machines, next: machines.length === limit ? machines.at(-1)?.uuid : undefined };
};

/** The server that a machine has; undefined for one that another client has made there. */
const serverOn = async ({ table }: Deps, { instance_uuid: uuid }: ShownMachine): Promise<ServerOn | undefined> => {
  const server = uuid === null ? undefined : await readRecord(table, computeKinds.server, uuid);
  return server && { name: instanceNameOf(server), uuid: server.uuid };
};

type View = (machine: ShownMachine, version: number, server?: ServerOn) => object;

/** Machines with their servers, if these are asked for. */
const showAll = async (deps: Deps, { version, query }: Call, machines: readonly ShownMachine[], view: View) => {
  const withServers = readBool(query, 'with_servers') ?? false;
  return Promise.all(
    machines.map(async (machine) => view(machine, version, withServers ? await serverOn(deps, machine) : undefined)),
  );
};

/** The machine of the path: until 2.52 that of a number, which only all of them together tell. Throws NotFound (404). */
const find = async (deps: Deps, call: Call): Promise<ShownMachine> => {
  const id = call.params['hypervisor_id']!;
  const machines = machinesFor(deps, call);
  if (call.version >= knownByUuid) {
    if (!isUuid(id)) throw Invalid(`Invalid uuid ${id}`);
    return orMissing(machines.getMachine(id), missing(id));
  }
  let found: ShownMachine | undefined;
  if (/^\d+$/.test(id)) {
    await machines.eachMachine((machine) => {
      if (String(idOf(machine.uuid, call.version)) === id) found = machine;
    });
  }
  if (!found) throw missing(id)();
  return found;
};

/** From here on lists have pages. */
const paged = 33;
const paging = { limit: { since: paged }, marker: { since: paged } };
const since53 = {
  with_servers: { since: knownByUuid, doc: 'Each with the server that it has.' },
};

const { brief, whole, statistics } = shownHypervisors;
const listOf = (one: z.ZodType) =>
  z.object({ hypervisors: z.array(one), hypervisors_links: z.array(z.unknown()).optional() });

const listRoute = (suffix: '' | '/detail', rule: 'list' | 'list-detail', view: View): Route =>
  route({
    at: `GET ${at}${suffix}`,
    policy: `os_compute_api:os-hypervisors:${rule}`,
    doc: suffix === '' ? 'Machines, each of which is a hypervisor.' : 'The same with all that is told of each.',
    shows: listOf(suffix === '' ? brief : whole),
    query: {
      ...paging,
      ...since53,
      hypervisor_hostname_pattern: { since: knownByUuid, doc: 'Only those whose names have it in them.' },
    },
    handle: async (deps, call) => {
      const { machines, next } = await select(deps, call);
      const hypervisors = await showAll(deps, call, machines, view);
      return {
        body: {
          hypervisors,
          ...nextLinks(call, `${at}${suffix}`, 'hypervisors', call.version < paged ? undefined : next),
        },
      };
    },
  });

const add = (one: Capacity, other: Capacity): Capacity =>
  Object.fromEntries(
    (Object.keys(one) as (keyof Capacity)[]).map((name) => [name, one[name] + other[name]]),
  ) as Capacity;

/** The sum of all. */
const statisticsOf = async (deps: Deps, call: Call) => {
  let [count, sum] = [0, noCapacity];
  await machinesFor(deps, call).eachMachine((machine) => {
    count += 1;
    sum = add(sum, capacityOf(machine));
  });
  return { count, ...sum };
};

export const hypervisorRoutes: readonly Route[] = [
  listRoute('', 'list', briefOf),
  listRoute('/detail', 'list-detail', wholeOf),
  route({
    at: `GET ${at}/statistics`,
    until: withoutCapacity - 1,
    policy: 'os_compute_api:os-hypervisors:statistics',
    doc: 'The sizes of all machines together.',
    shows: z.object({ hypervisor_statistics: statistics }),
    handle: async (deps, call) => ({ body: { hypervisor_statistics: await statisticsOf(deps, call) } }),
  }),
  route({
    at: `GET ${at}/{hypervisor_id}`,
    policy: 'os_compute_api:os-hypervisors:show',
    doc: 'A machine as a hypervisor.',
    shows: z.object({ hypervisor: whole }),
    query: since53,
    handle: async (deps, call) => {
      const [hypervisor] = await showAll(deps, call, [await find(deps, call)], wholeOf);
      return { body: { hypervisor } };
    },
  }),
  route({
    at: `GET ${at}/{hypervisor_id}/uptime`,
    until: withoutCapacity - 1,
    policy: 'os_compute_api:os-hypervisors:uptime',
    refuses: 501,
    handle: async (deps, call) => {
      await find(deps, call);
      throw new Fault('NotImplemented', 501, 'Nobody measures how long a machine has been on.');
    },
  }),
  route({
    at: `GET ${at}/{hypervisor_id}/search`,
    until: knownByUuid - 1,
    policy: 'os_compute_api:os-hypervisors:search',
    doc: 'Those whose names have this in them.',
    shows: listOf(brief),
    handle: async (deps, call) => {
      const found = await matching(deps, call, call.params['hypervisor_id']!);
      return { body: { hypervisors: found.map((machine) => briefOf(machine, call.version)) } };
    },
  }),
  route({
    at: `GET ${at}/{hypervisor_id}/servers`,
    until: knownByUuid - 1,
    policy: 'os_compute_api:os-hypervisors:servers',
    doc: 'The same, each with the server that it has.',
    shows: listOf(brief),
    handle: async (deps, call) => {
      const found = await matching(deps, call, call.params['hypervisor_id']!);
      const shown = await Promise.all(
        found.map(async (machine) => briefOf(machine, call.version, await serverOn(deps, machine))),
      );
      return { body: { hypervisors: shown } };
    },
  }),
];
