/**
 * POST /imports, an addition to Nova's API for whoever moves in (ADR 25): servers that run already, on nodes that were moved
 * in before them. Administrators only.
 */
import * as z from 'zod';

import type { BaremetalClient } from '../../layers/baremetal-client/client.ts';
import { isBaremetal } from '../../layers/baremetal-client/faults.ts';
import type { ShownMachine } from '../../layers/baremetal-client/shown.ts';
import { zoneOf } from '../../layers/domain/compute/availability-zone.ts';
import { keptNames, type MovedServer, movedServer } from '../../layers/domain/compute/moved-server.ts';
import { hostnameOf, reservationId } from '../../layers/domain/compute/server.ts';
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { Invalid, isFault } from '../../layers/domain/fault.ts';
import { check } from '../../layers/domain/schema.ts';
import { isoTime, isSame, json, uuid } from '../../layers/domain/values.ts';
import { computeKinds, type StoredServer } from '../../layers/store/kinds/compute.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { storeMovedServer } from '../../layers/store/servers.ts';
import { machinesFor } from './cloud/machines.ts';
import { type Call, type Deps, route, type Route } from './route.ts';

const kind = computeKinds.server;

/** Each is a question about its node and a transaction, one after the other; API Gateway waits for 29 seconds. */
const maxServers = 100;
/** User data are most of it. */
const maxBytes = 5 * 1024 * 1024;

const body = z.strictObject({
  servers: z.array(json).min(1, 'must have at least one server').max(maxServers, `must be at most ${maxServers}`),
  /** Only tells what would become of each. */
  dry_run: z.boolean().default(false),
});
type Body = z.output<typeof body>;

const outcome = z.object({
  outcome: z.enum(['created', 'unchanged', 'conflict', 'refused']),
  fields: z.array(z.string()).optional(),
  reason: z.string().optional(),
});
type Outcome = z.output<typeof outcome>;

const answer = z.object({ results: z.array(outcome.extend({ id: uuid.nullable() })) });

/** What of a record is stored as it comes, and compared when it comes again. */
const valuesOf = (record: MovedServer) => {
  const given = keptNames.filter((name) => (record[name] ?? null) !== null).map((name) => [name, record[name]]);
  const { name, tenant_id, user_id, created, image, flavor, node_uuid, addresses, locked } = record;
  return {
    ...(Object.fromEntries(given) as Partial<StoredServer>),
    name,
    tenant_id,
    user_id,
    image,
    flavor,
    node_uuid,
    created_at: isoTime(Date.parse(created)),
    moved_addresses: addresses,
    locked_by: locked ? ('owner' as const) : null,
  };
};

/** The node that has it. Throws Invalid (400) if that has not. */
const nodeFor = async (machines: BaremetalClient, { id, node_uuid }: MovedServer): Promise<ShownMachine> => {
  const node = await machines.getMachine(node_uuid).catch((error: unknown) => {
    throw isBaremetal(error, 'BaremetalNotFound') ? Invalid(`Node ${node_uuid} is not here: move it in first.`) : error;
  });
  if (node.instance_uuid === id) return node;
  throw Invalid(`Node ${node_uuid} has ${node.instance_uuid ?? 'no instance'}, and not ${id}.`);
};

/** The record as it begins here: its state follows from its node, as that of all servers that nothing works on. */
const begin = (deps: Deps, record: MovedServer, node: ShownMachine): StoredServer => {
  const state = serverState({ ...node, target_power_state: null }, { vm_state: 'active', task_state: null });
  return newRecord(deps, kind, {
    uuid: record.id,
    hostname: hostnameOf(record.name, record.id),
    reservation_id: reservationId(deps.ids.ulid()),
    availability_zone: zoneOf(node),
    host: node.conductor,
    ...state,
    ...valuesOf(record),
  });
};

const compared = (record: MovedServer, stored: StoredServer): Outcome => {
  const different = Object.entries(valuesOf(record)).filter(
    ([name, value]) => !isSame(value, stored[name as keyof StoredServer]),
  );
  if (different.length === 0) return { outcome: 'unchanged' };
  const fields = different.map(([name]) => name);
  const reason = `Server ${record.id} is here with another ${fields.join(', ')}; it stays as it is.`;
  return { outcome: 'conflict', fields, reason };
};

type Importing = { readonly deps: Deps; readonly call: Call<Body>; readonly machines: BaremetalClient };

const attempt = async ({ deps, call, machines }: Importing, given: unknown): Promise<Outcome> => {
  const record = check(movedServer, given);
  const look = async () => readRecord(deps.table, kind, record.id);
  const found = await look();
  if (found) return compared(record, found);
  const server = begin(deps, record, await nodeFor(machines, record));
  if (call.body.dry_run) return { outcome: 'created' };
  try {
    await storeMovedServer(deps, server, call);
    return { outcome: 'created' };
  } catch (error) {
    // A repetition of the same batch may have been faster.
    const faster = isFault(error) && error.code === 409 ? await look() : undefined;
    if (!faster) throw error;
    return compared(record, faster);
  }
};

/** One after the other, so that lists have them in the order of the batch. A refusal is the record's. */
const importAll = async (importing: Importing): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const given of importing.call.body.servers) {
    const became = attempt(importing, given).catch((error: unknown): Outcome => {
      if (!isFault(error) || error.code >= 500) throw error;
      return { outcome: 'refused', reason: error.message };
    });
    outcomes.push(await became);
  }
  return outcomes;
};

export const importRoute: Route = route<Body>({
  at: 'POST /v2.1/imports',
  movesIn: true,
  policy: 'os_compute_api:imports:create',
  status: 200,
  limit: maxBytes,
  body,
  takes: z.strictObject({ servers: z.array(movedServer), dry_run: z.boolean().optional() }),
  shows: answer,
  doc: 'Writes servers of another installation, each that is not there yet and whose node has it.',
  handle: async (deps, call) => {
    const outcomes = await importAll({ deps, call, machines: machinesFor(deps, call) });
    const idOf = ({ id }: Readonly<Record<string, unknown>>) => uuid.safeParse(id).data ?? null;
    return { body: { results: call.body.servers.map((given, at) => ({ id: idOf(given), ...outcomes[at]! })) } };
  },
});
