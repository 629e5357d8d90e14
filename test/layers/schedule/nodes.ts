/** Nodes and flavors for tests of the scheduler. */
import type { Candidate } from '../../../layers/schedule/candidate.ts';
import { wishOf, type FlavorWish, type Request } from '../../../layers/schedule/wish.ts';

/** A UUID with a number. */
export const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A free machine of 8 cores, 16 GB and 500 GB. */
export const aCandidate = (more: Partial<Candidate> = {}): Candidate => ({
  uuid: uuidOf(1),
  driver: 'redfish',
  resource_class: null,
  traits: [],
  properties: { cpus: 8, memory_mb: 16_384, local_gb: 500 },
  conductor_group: '',
  maintenance: false,
  power_state: 'power off',
  provision_state: 'available',
  instance_uuid: null,
  reservation: null,
  ...more,
});

/** A flavor of that size. */
export const aFlavor = (more: Partial<FlavorWish> = {}): FlavorWish => ({
  vcpus: 8,
  ram: 16_384,
  disk: 500,
  ephemeral: 0,
  swap: 0,
  extra_specs: {},
  ...more,
});

/** A wish for such a flavor; `exact` turns exact matching on. */
export const aWish = (request: Partial<Request> = {}, exact = false) =>
  wishOf({ flavor: aFlavor(), ...request }, { exact_match_filters: exact });

/** One for these extra specs. */
export const wishFor = (extra_specs: Record<string, string>, more: Partial<Request> = {}) =>
  aWish({ flavor: aFlavor({ extra_specs }), ...more });
