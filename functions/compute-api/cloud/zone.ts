/**
 * Availability zones (compute-api.md 7): the conductor groups that machines are in. Nothing lists these, so all machines
 * are asked for theirs; that is remembered for a while, because every tenant may ask.
 */
import * as z from 'zod';

import { zoneOf } from '../../../layers/domain/compute/availability-zone.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { machinesFor } from './machines.ts';
import { binary } from './service.ts';

/** How long, ms. A zone that is new meanwhile can be asked for all the same. */
const memory = 5 * 60_000;

type Known = { readonly zones: Promise<readonly string[]>; readonly until: number };
const known = new WeakMap<Deps['apis'], Known>();

const readZones = async (deps: Deps, call: Call): Promise<readonly string[]> => {
  const zones = new Set<string>();
  await machinesFor(deps, call).eachMachine((machine) => zones.add(zoneOf(machine)));
  return [...zones].sort();
};

/** Whoever asks meanwhile waits for the same answer; what failed is not remembered. */
const zonesOf = async (deps: Deps, call: Call): Promise<readonly string[]> => {
  const now = deps.clock.now();
  const last = known.get(deps.apis);
  if (last && last.until > now) return last.zones;
  const zones = readZones(deps, call);
  known.set(deps.apis, { zones, until: now + memory });
  zones.catch(() => known.delete(deps.apis));
  return zones;
};

const zoneState = { available: true } as const;

const service = z.object({ available: z.boolean(), active: z.boolean(), updated_at: z.string().nullable() });
const shown = (hosts: z.ZodType) =>
  z.object({
    availabilityZoneInfo: z.array(
      z.object({ zoneName: z.string(), zoneState: z.object({ available: z.boolean() }), hosts }),
    ),
  });

export const zoneRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.1/os-availability-zone',
    policy: 'os_compute_api:os-availability-zone:list',
    doc: 'Where servers may be asked to be: the conductor groups that machines are in.',
    shows: shown(z.null()),
    handle: async (deps, call) => {
      const zones = await zonesOf(deps, call);
      return { body: { availabilityZoneInfo: zones.map((zoneName) => ({ zoneName, zoneState, hosts: null })) } };
    },
  }),
  route({
    at: 'GET /v2.1/os-availability-zone/detail',
    policy: 'os_compute_api:os-availability-zone:detail',
    doc: 'The same with the sites that are responsible for the machines.',
    shows: shown(z.record(z.string(), z.record(z.string(), service))),
    handle: async (deps, call) => {
      const [zones, sites] = [await zonesOf(deps, call), await machinesFor(deps, call).listConductors()];
      // Every site is responsible for machines of whatever group.
      const hosts = Object.fromEntries(
        sites.map(({ hostname, alive: active, updated_at }) => [
          hostname,
          { [binary]: { available: active, active, updated_at } },
        ]),
      );
      return { body: { availabilityZoneInfo: zones.map((zoneName) => ({ zoneName, zoneState, hosts })) } };
    },
  }),
];
