/** The allocation resource (ironic-api.md 8); that of a node is in ../node/allocation.ts. */
import { allocation as rows } from '../../../layers/domain/allocation.ts';
import { pageQuery, readFields } from '../../../layers/domain/page.ts';
import { patchBody, type PatchBody } from '../../../layers/domain/patch.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { answersOf, authorizeFields, readChanges } from '../crud.ts';
import { route, type Route } from '../route.ts';
import { createRoute } from './create.ts';
import { listRoute } from './list.ts';
import { remove } from './remove.ts';
import { allocationView, findAllocation as find } from './view.ts';
import { kinds, type StoredAllocation } from '../../../layers/store/kinds/kinds.ts';

const at = '/v1/allocations/{ident}';

export const allocationRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  route<undefined, StoredAllocation>({
    at: `GET ${at}`,
    since: 52,
    policy: 'baremetal:allocation:get',
    query: { fields: pageQuery.fields },
    ...answersOf('allocations', rows).record,
    find,
    handle: async (_deps, call) => {
      const want = readFields(rows, call.version, call.query) ?? 'all';
      return { body: allocationView(call, want)(call.target) };
    },
  }),
  route<PatchBody, StoredAllocation>({
    at: `PATCH ${at}`,
    since: 57,
    tooOld: 405,
    policy: 'baremetal:allocation:update',
    body: patchBody,
    ...answersOf('allocations', rows).record,
    find,
    handle: async (deps, call) => {
      const changes = readChanges(rows, call);
      const { after } = await changeRecord(deps, kinds.allocation, call.target.uuid, (stored) => {
        const values = changes(stored);
        authorizeFields(rows, values, call.subject, stored);
        return { set: values };
      });
      return { body: allocationView(call, 'all')(after) };
    },
  }),
  route<undefined, StoredAllocation>({
    at: `DELETE ${at}`,
    since: 52,
    tooOld: 405,
    policy: 'baremetal:allocation:delete',
    find,
    handle: async (deps, { target }) => {
      await remove(deps, target);
      return {};
    },
  }),
];
