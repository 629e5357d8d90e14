/** The allocation on a node (ironic-api.md 2.1, since 1.52). Who may see the node may still not touch it. */
import { allocation as rows } from '../../../layers/domain/allocation.ts';
import { Forbidden, NotFound } from '../../../layers/domain/fault.ts';
import { pageQuery, readFields } from '../../../layers/domain/page.ts';
import { allows, type Rule } from '../../../layers/domain/policy.ts';
import { type StoredAllocation, kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { remove } from '../allocation/remove.ts';
import { allocationView } from '../allocation/view.ts';
import { answersOf } from '../crud.ts';
import { route, type Call, type Deps, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Throws NotFound (404) if the node has none, Forbidden (403) if it is not the caller's. */
const allocationOf = async (
  { table }: Deps,
  { target: node, subject, params }: Call<undefined, StoredNode>,
  rule: Rule,
): Promise<StoredAllocation> => {
  const uuid = node.allocation_uuid;
  const found = uuid === null ? undefined : await readRecord(table, kinds.allocation, uuid);
  if (!found) throw NotFound(`Allocation for node ${params['ident']} was not found.`);
  if (!allows(rule, subject, found)) throw Forbidden(`Access was denied to the following resource: ${rule}`);
  return found;
};

const common = { since: 52, policy: 'baremetal:node:get', find: findByIdent } as const;
const at = '/v1/nodes/{ident}/allocation';

export const nodeAllocationRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    ...common,
    at: `GET ${at}`,
    query: { fields: pageQuery.fields },
    ...answersOf('allocations', rows).record,
    handle: async (deps, call) => {
      const want = readFields(rows, call.version, call.query) ?? 'all';
      return { body: allocationView(call, want)(await allocationOf(deps, call, 'baremetal:allocation:get')) };
    },
  }),
  route<undefined, StoredNode>({
    ...common,
    at: `DELETE ${at}`,
    fenced: false,
    handle: async (deps, call) => {
      await remove(deps, await allocationOf(deps, call, 'baremetal:allocation:delete'));
      return {};
    },
  }),
];
