/** Services (compute-api.md 6): each site that is responsible for machines is what Nova calls a nova-compute. */
import { createHash } from 'node:crypto';

import * as z from 'zod';

import type { ShownConductor } from '../../../layers/baremetal-client/shown.ts';
import { zoneOf } from '../../../layers/domain/compute/availability-zone.ts';
import { microTime } from '../../../layers/domain/compute/times.ts';
import { route, type Route } from '../route.ts';
import { machinesFor } from './machines.ts';
import { idOf, shownId } from './numbers.ts';

/** The program that Nova has for each. */
export const binary = 'nova-compute';

/** The same for a site at all times, in the form of a UUID: nothing is stored of it. */
const uuidOfHost = (host: string): string => {
  const digits = createHash('sha256').update(`${binary}@${host}`).digest('hex');
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`]
    .concat(digits.slice(20, 32))
    .join('-');
};

/** What it is called by: a UUID from 2.53 on, and before that a number. */
export const serviceId = (host: string, version: number): string | number => idOf(uuidOfHost(host), version);

const viewOf =
  (version: number) =>
  ({ hostname, alive, updated_at, ...site }: ShownConductor) => ({
    id: serviceId(hostname, version),
    binary,
    host: hostname,
    zone: zoneOf(site),
    status: 'enabled',
    state: alive ? 'up' : 'down',
    updated_at: updated_at && microTime(updated_at),
    disabled_reason: null,
    ...(version >= 11 && { forced_down: false }),
  });

const shown = z.object({
  id: shownId,
  binary: z.literal(binary),
  host: z.string(),
  zone: z.string(),
  status: z.literal('enabled'),
  state: z.enum(['up', 'down']),
  updated_at: z.string().nullable(),
  disabled_reason: z.null(),
  forced_down: z.boolean().optional(),
});

export const serviceRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.1/os-services',
    policy: 'os_compute_api:os-services:list',
    doc: 'The sites that are responsible for machines.',
    shows: z.object({ services: z.array(shown) }),
    query: { host: { doc: 'Of this site.' }, binary: { doc: 'Of this program; there is only nova-compute.' } },
    handle: async (deps, call) => {
      const [host = '', program = binary] = [call.query['host']?.[0], call.query['binary']?.[0]];
      const sites = program === binary ? await machinesFor(deps, call).listConductors() : [];
      const found = sites.filter(({ hostname }) => host === '' || hostname === host);
      return { body: { services: found.map(viewOf(call.version)) } };
    },
  }),
];
