/** Servers (compute-api.md 3). */
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { route, type Route } from '../route.ts';
import { createRoute } from './create.ts';
import { findServer as find } from './find.ts';
import { listRoutes } from './list.ts';
import { showServer } from './view.ts';

export const serverRoutes: readonly Route[] = [
  ...listRoutes,
  createRoute,
  route<undefined, StoredServer>({
    at: 'GET /v2.1/servers/{server_id}',
    policy: 'os_compute_api:servers:show',
    find,
    handle: async ({ table }, call) => ({ body: { server: await showServer(table, call, call.target) } }),
  }),
];
