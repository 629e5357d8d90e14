/**
 * The filters, a row each, in the order in which a node is looked at (exact-filters.md 5): the first that refuses it is the
 * one that is told. Their names are Nova's where it has one of this kind.
 */
import { zoneOf } from '../domain/compute/availability-zone.ts';
import { meets } from '../domain/compute/requirement.ts';
import { refusedPolicy } from '../domain/compute/server-group.ts';
import { isForeign } from '../domain/foreign-types.ts';
import { placementClass } from '../domain/resource-class.ts';
import { capabilityOf, sizeOf, type Candidate, type Size } from './candidate.ts';
import type { Wish } from './wish.ts';

export type FilterRow = {
  readonly doc: string;
  /** Why the node is refused, for an operator; undefined: it is not. */
  judge(node: Candidate, wish: Wish): string | undefined;
};

/** Why nothing can be put on a node now. */
const unavailability = (node: Candidate): string | undefined => {
  const { provision_state: state, instance_uuid: instance, maintenance, power_state: power } = node;
  if (instance !== null) return `has instance ${instance}`;
  if (state !== 'available') return `is ${state}`;
  if (maintenance) return 'is in maintenance';
  if (isForeign(node)) return `its driver ${node.driver} is only shown here`;
  return power === null || power === 'error' ? `its power state is ${power ?? 'not known'}` : undefined;
};

/** A node offers one of its own class, and nothing else. */
const missingResource = ({ resource_class: own }: Candidate, { resources }: Wish): string | undefined => {
  const offered = own === null ? undefined : placementClass(own);
  const [name, amount] = [...resources].find(([asked, count]) => asked !== offered || count > 1) ?? [];
  return (
    name && `flavor asks for ${amount} of ${name}, node has ${offered === undefined ? 'no class' : `1 of ${offered}`}`
  );
};

const wrongTrait = ({ traits }: Candidate, { required, forbidden }: Wish): string | undefined => {
  const missing = required.filter((name) => !traits.includes(name));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  const unwanted = forbidden.filter((name) => traits.includes(name));
  return unwanted.length > 0 ? `has ${unwanted.join(', ')}` : undefined;
};

const unmet = (name: string, requirement: string, has: string | undefined) =>
  has !== undefined && meets(has, requirement)
    ? undefined
    : `flavor asks for ${name} "${requirement}", node has ${has === undefined ? 'none' : `"${has}"`}`;

const wrongCapability = (node: Candidate, { capabilities, unscoped }: Wish): string | undefined => {
  const scoped = Object.entries(capabilities).map(([name, asked]) => unmet(name, asked, capabilityOf(node, name)));
  const others = Object.entries(unscoped)
    .map(([name, asked]) => ({ name, asked, has: capabilityOf(node, name) }))
    .filter(({ has }) => has !== undefined)
    .map(({ name, asked, has }) => unmet(name, asked, has));
  return [...scoped, ...others].find((one) => one !== undefined);
};

/** Names that the same processors have (nova-driver.md 11 compares them in one form). */
const architectures: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64', i386: 'i686' };
const canonical = (name: string): string => architectures[name.toLowerCase()] ?? name.toLowerCase();

const wrongImage = (node: Candidate, { architecture }: Wish): string | undefined => {
  const has = capabilityOf(node, 'cpu_arch');
  if (architecture === undefined || has === undefined || canonical(has) === canonical(architecture)) return undefined;
  return `image is for ${architecture}, node is ${has}`;
};

type Measure = { readonly unit: string; asked(wish: Wish): number; has(size: Size): number };

const measures = {
  ram: { unit: ' MB', asked: ({ size }) => size.memory_mb, has: (size) => size.memory_mb },
  disk: { unit: ' MB', asked: ({ size }) => size.disk_mb, has: (size) => 1024 * size.local_gb },
  core: { unit: ' cores', asked: ({ size }) => size.cpus, has: (size) => size.cpus },
} as const satisfies Readonly<Record<string, Measure>>;

/** A filter of one measure, for wishes that are compared in this way. */
const bySize = (
  { unit, asked, has }: Measure,
  comparison: Wish['comparison'],
  fits: (asked: number, has: number) => boolean,
): FilterRow['judge'] => {
  return (node, wish) => {
    const [wanted, there] = [asked(wish), has(sizeOf(node))];
    if (wish.comparison !== comparison || fits(wanted, there)) return undefined;
    return `flavor ${wanted}${unit}, node ${there}${unit}`;
  };
};

const equal = (asked: number, has: number) => asked === has;
const enough = (asked: number, has: number) => asked <= has;
/** A node of which nobody knows how many cores it has is none to compare with. */
const known = (asked: number, has: number) => has > 0 && asked === has;

export const filters = {
  RetryFilter: {
    doc: 'The server has not been tried on this node before.',
    judge: ({ uuid }, { tried }) => (tried.includes(uuid) ? 'was tried before' : undefined),
  },
  ComputeFilter: {
    doc: 'The node is available, without an instance, not in maintenance, its driver can be worked with, and its power state is known.',
    judge: unavailability,
  },
  AvailabilityZoneFilter: {
    doc: 'The node is in the zone that was asked for: that of its conductor group.',
    judge: (node, { conductor_group: wanted }) =>
      wanted === undefined || node.conductor_group === wanted ? undefined : `is in zone ${zoneOf(node)}`,
  },
  ResourceClassFilter: {
    doc: 'The node has the resource class that the flavor names (`resources:`), one of it. Standard classes a node has none of, so they are switched off with 0.',
    judge: missingResource,
  },
  TraitsFilter: {
    doc: 'The node has the traits that flavor and image require, and none that the flavor forbids.',
    judge: wrongTrait,
  },
  ComputeCapabilitiesFilter: {
    doc: 'The capabilities of the node, cpu_arch among them, are what the flavor asks for.',
    judge: wrongCapability,
  },
  ImagePropertiesFilter: {
    doc: "The `architecture` of the image is the node's cpu_arch, by whatever name (amd64 is x86_64); a node that has none passes.",
    judge: wrongImage,
  },
  RamFilter: {
    doc: 'Flavors without a class: the node has at least their RAM.',
    judge: bySize(measures.ram, 'at least', enough),
  },
  DiskFilter: {
    doc: 'Flavors without a class: the node has at least their root disk, ephemeral disk and swap together.',
    judge: bySize(measures.disk, 'at least', enough),
  },
  CoreFilter: {
    doc: 'Flavors without a class: the node has at least their cores.',
    judge: bySize(measures.core, 'at least', enough),
  },
  ExactRamFilter: {
    doc: 'The same with exact matching: the node has exactly their RAM.',
    judge: bySize(measures.ram, 'exactly', equal),
  },
  ExactDiskFilter: {
    doc: 'With exact matching: exactly their disk. Swap is in MB and counts: a node whose disk is whole GB needs it to be some, too.',
    judge: bySize(measures.disk, 'exactly', equal),
  },
  ExactCoreFilter: {
    doc: 'With exact matching: exactly their cores.',
    judge: bySize(measures.core, 'exactly', known),
  },
  ServerGroupFilter: {
    doc: 'The policy of the server group can be honoured: a machine holds one server, so none shares it.',
    judge: (_node, { policy }) => policy && refusedPolicy(policy),
  },
} as const satisfies { readonly [name: string]: FilterRow };

export type FilterName = keyof typeof filters;

const rows = Object.entries(filters) as [FilterName, FilterRow][];

/** The first filter that refuses a node, and why; undefined: it fits. */
export const judge = (
  node: Candidate,
  wish: Wish,
): { readonly filter: FilterName; readonly detail: string } | undefined => {
  for (const [filter, row] of rows) {
    const detail = row.judge(node, wish);
    if (detail !== undefined) return { filter, detail };
  }
  return undefined;
};
