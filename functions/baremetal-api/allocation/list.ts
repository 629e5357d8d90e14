/** GET /v1/allocations (ironic-api.md 8). */
import { allocation as rows, allocationFilters, type Allocation } from '../../../layers/domain/allocation.ts';
import { Forbidden, NotFound } from '../../../layers/domain/fault.ts';
import { filtersOf, readsOf, selectBy } from '../../../layers/domain/filters.ts';
import { pageQuery, readFields, type Page } from '../../../layers/domain/page.ts';
import { allows } from '../../../layers/domain/policy.ts';
import { hiding, readToShow, type Want } from '../../../layers/domain/projection.ts';
import { cutPage } from '../../../layers/store/lists.ts';
import { listRecords } from '../../../layers/store/records/list.ts';
import { answersOf, listAnswer } from '../crud.ts';
import { route, type Call, type Deps } from '../route.ts';
import { allocationView } from './view.ts';
import { type StoredAllocation, kinds } from '../../../layers/store/kinds/kinds.ts';
import { findRecord, readRecord } from '../../../layers/store/records/find.ts';

const { detail: _detail, ...query } = pageQuery;
const filters = filtersOf<Allocation>(rows, allocationFilters);

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

const select = async (deps: Deps, call: Call, page: Page, want: Want): Promise<StoredAllocation[]> => {
  const owner = ownerOf(call);
  const selection = selectBy(filters, { ...call.query, ...(owner !== null && { owner: [owner] }) });
  const node = call.query['node']?.[0];
  const hides = hiding(rows, call.subject, page.sort_key);
  if (node) return cutPage((await ofNode(deps, call, node)).filter(selection.keep), page, hides);
  const reads = readsOf(selection.looksAt, readToShow(rows, want, [page.sort_key]));
  const sees = (one: StoredAllocation) => owned(one, call.only);
  return listRecords(deps.table, kinds.allocation, page, { ...selection, sees, hides, reads });
};

/** Lists of callers who may not see all show what belongs to their project. */
export const listRoute = route({
  at: 'GET /v1/allocations',
  since: 52,
  policy: 'baremetal:allocation:list_all',
  own: 'baremetal:allocation:list',
  query: { ...query, ...filters },
  ...answersOf('allocations', rows).list,
  handle: async (deps, call) => {
    const want: Want = readFields(rows, call.version, call.query) ?? 'all';
    const about = { path: '/v1/allocations', name: 'allocations', rows, want, view: allocationView };
    return listAnswer(call, about, async (page) => select(deps, call, page, want));
  },
});
