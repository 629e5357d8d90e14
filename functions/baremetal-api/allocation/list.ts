/** GET /v1/allocations (ironic-api.md 8). */
import { allocation as rows, allocationStates } from '../../../layers/domain/allocation.ts';
import { Forbidden, Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { pageQuery, readFields, type Page } from '../../../layers/domain/page.ts';
import { allows } from '../../../layers/domain/policy.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import { type StoredAllocation, kinds } from '../../../layers/store/kinds/kinds.ts';
import { cutPage } from '../../../layers/store/lists.ts';
import { readRecord, findRecord } from '../../../layers/store/records/find.ts';
import { listRecords } from '../../../layers/store/records/list.ts';
import { answersOf, listAnswer } from '../crud.ts';
import { route, type Call, type Deps } from '../route.ts';
import { allocationView } from './view.ts';

const { detail: _detail, ...query } = pageQuery;

const owned = ({ owner }: StoredAllocation, project: string | null) => project === null || owner === project;

/** The owner that the list is narrowed to. Throws Forbidden (403) for a foreign one. */
const ownerOf = ({ query: { owner: asked }, only }: Call): string | null => {
  if (only !== null && asked && asked[0] !== only) {
    throw Forbidden('Access was denied to allocations of another owner than your project.');
  }
  return only ?? asked?.[0] ?? null;
};

/** The allocation of a node, as a list. Throws NotFound (404), also for a node that the caller may not see. */
const ofNode = async ({ table }: Deps, { subject }: Call, ident: string): Promise<StoredAllocation[]> => {
  const node = await findRecord(table, kinds.node, ident);
  if (!allows('baremetal:node:get', subject, node)) throw NotFound(`Node ${ident} could not be found.`);
  const found =
    node.allocation_uuid === null ? undefined : await readRecord(table, kinds.allocation, node.allocation_uuid);
  return found ? [found] : [];
};

const select = async (deps: Deps, call: Call, page: Page): Promise<StoredAllocation[]> => {
  const { node, resource_class: classes, state: states } = call.query;
  const [owner, resourceClass, state] = [ownerOf(call), classes?.[0], states?.[0]];
  if (state !== undefined && !(allocationStates as readonly string[]).includes(state)) {
    throw Invalid(`Invalid value for state: "${state}" is none of ${allocationStates.join(', ')}.`);
  }
  const keep = (one: StoredAllocation) =>
    owned(one, owner) &&
    (resourceClass === undefined || one.resource_class === resourceClass) &&
    (state === undefined || one.state === state);
  if (node) return cutPage((await ofNode(deps, call, node[0]!)).filter(keep), page);
  const wanted = Object.entries({ owner: owner ?? undefined, resource_class: resourceClass });
  const [lookup] = wanted.flatMap(([index, value]) => (value === undefined ? [] : [{ index, value }]));
  return listRecords(deps.table, kinds.allocation, page, {
    keep,
    sees: (one) => owned(one, call.only),
    lookups: lookup && [lookup],
  });
};

/** Lists of callers who may not see all show what belongs to their project. */
export const listRoute = route({
  at: 'GET /v1/allocations',
  since: 52,
  policy: 'baremetal:allocation:list_all',
  own: 'baremetal:allocation:list',
  query: { ...query, node: {}, resource_class: {}, state: {}, owner: { since: 60 } },
  ...answersOf('allocations', rows).list,
  handle: async (deps, call) => {
    const want: Want = readFields(rows, call.version, call.query) ?? 'all';
    const about = { path: '/v1/allocations', name: 'allocations', rows, want, view: allocationView };
    return listAnswer(call, about, async (page) => select(deps, call, page));
  },
});
