/**
 * POST /v1/allocations (ironic-api.md 8): recorded, and then a workflow looks for a node; or, with `node`, recorded for
 * a node that has its instance already.
 */
import { allocation as rows, criteriaOfBackfill } from '../../../layers/domain/allocation.ts';
import { Conflict, Forbidden, Invalid, isFault, NodeLocked } from '../../../layers/domain/fault.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import { json } from '../../../layers/domain/values.ts';
import { allocationRun, createWithNode, nodeWithInstance } from '../../../layers/store/allocations.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { type StoredAllocation, kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { findRecord } from '../../../layers/store/records/find.ts';
import { answersOf, readNew, type Values } from '../crud.ts';
import { startRun } from '../../../workflows/run/start.ts';
import { route, type Call, type Deps } from '../route.ts';
import { allocationView } from './view.ts';

/** Throws Forbidden (403) for an owner that the caller may not name. */
const ownerOf = (subject: Subject, given: unknown): unknown => {
  const { scope, project } = subject;
  if (scope === 'system') return given;
  if (given !== undefined && given !== project && !allows('baremetal:allocation:create_restricted', subject)) {
    throw Forbidden('Access was denied to the following resource: baremetal:allocation:create_restricted');
  }
  return given ?? project;
};

/** A node of the body. Throws Invalid (400) if there is none that the caller may see: the path is not at fault. */
const visibleNode = async ({ table }: Deps, subject: Subject, ident: string): Promise<StoredNode> => {
  const missing = Invalid(`Node ${ident} could not be found.`);
  const node = await findRecord(table, kinds.node, ident).catch((error: unknown) => {
    throw isFault(error) && error.code === 404 ? missing : error;
  });
  if (!allows('baremetal:node:get', subject, node)) throw missing;
  return node;
};

const homeOf = async (deps: Deps, { body, version, subject }: Call<Values>): Promise<StoredNode | undefined> => {
  const ident = body['node'] ?? null;
  if (Object.hasOwn(body, 'node') && version < 58) throw Invalid('node needs API version 1.58 or newer.');
  if (ident === null) return undefined;
  if (typeof ident !== 'string') throw Invalid('Invalid value for node: must be a UUID or a name.');
  return visibleNode(deps, subject, ident);
};

/** In the order given, each once. */
const candidates = async (deps: Deps, subject: Subject, idents: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(idents.map(async (ident) => visibleNode(deps, subject, ident)));
  return [...new Set(found.map(({ uuid }) => uuid))];
};

const read = async (deps: Deps, call: Call<Values>, home: StoredNode | undefined): Promise<StoredAllocation> => {
  const { node: _node, ...body } = call.body;
  const values = readNew(rows, call.version, body);
  const owner = ownerOf(call.subject, values['owner']);
  const resource_class = values['resource_class'] ?? home?.resource_class ?? null;
  if (resource_class === null && !home) throw Invalid('Missing mandatory parameter: resource_class.');
  const named = await candidates(deps, call.subject, (values['candidate_nodes'] ?? []) as string[]);
  const uuid = values['uuid'] ?? home?.instance_uuid ?? undefined;
  return newRecord(deps, kinds.allocation, {
    ...values,
    ...(uuid !== undefined && { uuid }),
    owner: owner ?? null,
    resource_class,
    candidate_nodes: named,
  });
};

/** Throws Conflict (409) for a node that does not suit the allocation, NodeLocked (409). */
const permit = (node: StoredNode, allocation: StoredAllocation) => {
  const wrong = criteriaOfBackfill.find(({ fits }) => !fits(node, allocation));
  if (wrong) throw Conflict(`Node ${node.uuid} can not be given to this allocation: ${wrong.says(node, allocation)}.`);
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
};

const store = async (deps: Deps, record: StoredAllocation, home: StoredNode | undefined): Promise<StoredAllocation> => {
  const node = await nodeWithInstance(deps.table, record.uuid);
  if (node && node !== home?.uuid) throw Conflict(`Node ${node} has instance_uuid ${record.uuid} already.`);
  if (home) return createWithNode(deps, home.uuid, record, permit);
  await createRecord(deps, kinds.allocation, record);
  await startRun(deps, 'allocate', allocationRun(record), { allocation: record.uuid });
  return record;
};

export const createRoute = route<Values>({
  at: 'POST /v1/allocations',
  since: 52,
  tooOld: 405,
  policy: 'baremetal:allocation:create',
  status: 201,
  body: json,
  ...answersOf('allocations', rows).record,
  handle: async (deps, call) => {
    const home = await homeOf(deps, call);
    const record = await store(deps, await read(deps, call, home), home);
    return { body: allocationView(call, 'all')(record), location: `/v1/allocations/${record.uuid}` };
  },
});
