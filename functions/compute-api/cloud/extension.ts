/** What old clients look for, and there is nothing of here (compute-api.md 7). */
import { NotFound } from '../../../layers/domain/fault.ts';
import { route, type Route } from '../route.ts';

export const extensionRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.1/extensions',
    policy: 'os_compute_api:extensions',
    handle: async () => ({ body: { extensions: [] } }),
  }),
  route({
    at: 'GET /v2.1/extensions/{alias}',
    policy: 'os_compute_api:extensions',
    refuses: 404,
    handle: async (_deps, { params }) => {
      throw NotFound(`There is no extension ${params['alias']}: what it was is part of the API.`);
    },
  }),
  route({
    at: 'GET /v2.1/os-migrations',
    policy: 'os_compute_api:os-migrations:index',
    openQuery: true,
    // What runs on a machine does not move to another.
    handle: async () => ({ body: { migrations: [] } }),
  }),
  route({
    at: 'GET /v2.1/os-aggregates',
    policy: 'os_compute_api:os-aggregates:index',
    // Nodes are grouped by their conductor groups. `openstack hypervisor show` reads this list.
    handle: async () => ({ body: { aggregates: [] } }),
  }),
];
