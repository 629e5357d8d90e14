/** Servers (compute-api.md 3). */
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { route, type Route } from '../route.ts';
import { actionRoutes } from './action.ts';
import { createRoute } from './create.ts';
import { findServer as find } from './find.ts';
import { instanceActionRoutes } from './instance-action.ts';
import { interfaceRoutes } from './interface.ts';
import { listRoutes } from './list.ts';
import { metadataRoutes } from './metadata.ts';
import { partRoutes } from './parts.ts';
import { tagRoutes } from './tags.ts';
import { updateRoute } from './update.ts';
import { serverShape, showServer } from './view.ts';

export const serverRoutes: readonly Route[] = [
  ...listRoutes,
  createRoute,
  updateRoute,
  ...actionRoutes,
  ...metadataRoutes,
  ...tagRoutes,
  ...interfaceRoutes,
  ...instanceActionRoutes,
  ...partRoutes,
  route<undefined, StoredServer>({
    at: 'GET /v2.1/servers/{server_id}',
    policy: 'os_compute_api:servers:show',
    answers: serverShape.one,
    find,
    handle: async ({ table }, call) => ({ body: { server: await showServer(table, call, call.target) } }),
  }),
];
