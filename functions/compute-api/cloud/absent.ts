/** What clients look for, and there is nothing of here (compute-api.md 7). */
import * as z from 'zod';

import { NotFound } from '../../../layers/domain/fault.ts';
import { route, type Route } from '../route.ts';

export const absentRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.1/extensions',
    policy: 'os_compute_api:extensions',
    doc: 'None: what they were is part of the API.',
    shows: z.object({ extensions: z.array(z.unknown()) }),
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
    doc: 'None: what runs on a machine does not move to another.',
    shows: z.object({ migrations: z.array(z.unknown()) }),
    openQuery: true,
    handle: async () => ({ body: { migrations: [] } }),
  }),
  route({
    at: 'GET /v2.1/os-aggregates',
    policy: 'os_compute_api:os-aggregates:index',
    doc: 'None: machines are grouped by zones, which are their conductor groups.',
    shows: z.object({ aggregates: z.array(z.unknown()) }),
    handle: async () => ({ body: { aggregates: [] } }),
  }),
];
