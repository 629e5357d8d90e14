/** The port resource. */
import { kinds, type StoredPort } from '../../../layers/store/kinds/kinds.ts';
import { belongingRoutes } from '../belonging.ts';
import type { Route } from '../route.ts';
import { listRoutes } from './list.ts';
import { checkPhysicalNetwork, checkPortgroup, checkSmartNic, checkValues, refuseDelete, refuseEdit } from './rules.ts';

export const portRoutes: readonly Route[] = [
  ...listRoutes,
  ...belongingRoutes<StoredPort>({
    kind: kinds.port,
    collection: 'ports',
    namesSince: 88,
    nodeIdentSince: 94,
    policy: {
      get: 'baremetal:port:get',
      create: 'baremetal:port:create',
      update: 'baremetal:port:update',
      delete: 'baremetal:port:delete',
    },
    rules: {
      values: checkValues,
      whole: async ({ table }, port, before) => {
        checkSmartNic(port);
        await checkPortgroup(table, port);
        await checkPhysicalNetwork(table, port, before);
      },
      edit: refuseEdit,
      remove: (_deps, port, node) => refuseDelete(port, node),
    },
  }),
];
