/** What a server asks of its machine: read once from flavor, image and request, for the filters to look at. */
import { groupOfZone } from '../domain/compute/availability-zone.ts';
import { capabilitiesIn, resourcesIn, traitsIn, unscopedIn } from '../domain/compute/extra-specs.ts';
import type { Flavor } from '../domain/compute/flavor.ts';
import type { GroupPolicy } from '../domain/compute/server-group.ts';

/** What of a flavor counts. */
export type FlavorWish = Pick<Flavor, 'vcpus' | 'ram' | 'disk' | 'ephemeral' | 'swap' | 'extra_specs'>;

/** A request for a machine. */
export type Request = {
  readonly flavor: FlavorWish;
  /** Properties of the image, as the Image API shows them. */
  readonly image?: Readonly<Record<string, unknown>>;
  /** The zone that was asked for; null: any. */
  readonly zone?: string | null;
  /** Policy of the server group that the hint names. */
  readonly policy?: GroupPolicy | null;
  /** UUIDs of nodes that this server has been tried on. */
  readonly tried?: readonly string[];
};

/** How the size of a flavor is compared with that of a node; with a resource class it is not. */
type Comparison = 'not at all' | 'exactly' | 'at least';

export type Wish = {
  readonly size: { readonly cpus: number; readonly memory_mb: number; readonly disk_mb: number };
  readonly comparison: Comparison;
  readonly resources: ReadonlyMap<string, number>;
  readonly required: readonly string[];
  readonly forbidden: readonly string[];
  readonly capabilities: Readonly<Record<string, string>>;
  readonly unscoped: Readonly<Record<string, string>>;
  readonly architecture: string | undefined;
  /** undefined: any; empty: nodes without one. */
  readonly conductor_group: string | undefined;
  readonly policy: GroupPolicy | undefined;
  readonly tried: readonly string[];
};

type Properties = Readonly<Record<string, unknown>>;

/** Traits that an image needs: `trait:NAME=required`, or the list that Nova makes of those. */
const traitsOfImage = (image: Properties): string[] => [
  ...Object.entries(image)
    .filter(([key, value]) => key.startsWith('trait:') && value === 'required')
    .map(([key]) => key.slice('trait:'.length)),
  ...(Array.isArray(image['traits_required']) ? image['traits_required'].map(String) : []),
];

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Custom classes are what nodes are of; a flavor that names one says with it how large a machine is. */
const comparisonOf = (resources: Wish['resources'], exact: boolean): Comparison => {
  if ([...resources.keys()].some((name) => name.startsWith('CUSTOM_'))) return 'not at all';
  return exact ? 'exactly' : 'at least';
};

/** Settings that a wish depends on. */
export type ScheduleSettings = { readonly exact_match_filters: boolean };

/** What a request asks of its machine. */
export const wishOf = (request: Request, { exact_match_filters: exact }: ScheduleSettings): Wish => {
  const { flavor, image = {}, zone = null, policy = null, tried = [] } = request;
  const { extra_specs: specs, vcpus, ram, disk, ephemeral, swap } = flavor;
  const resources = resourcesIn(specs);
  return {
    size: { cpus: vcpus, memory_mb: ram, disk_mb: 1024 * (disk + ephemeral) + swap },
    comparison: comparisonOf(resources, exact),
    resources,
    required: [...new Set([...traitsIn(specs, 'required'), ...traitsOfImage(image)])],
    forbidden: traitsIn(specs, 'forbidden'),
    capabilities: capabilitiesIn(specs),
    unscoped: unscopedIn(specs),
    architecture: textOf(image['hw_architecture']) ?? textOf(image['architecture']),
    conductor_group: zone === null ? undefined : groupOfZone(zone),
    policy: policy ?? undefined,
    tried,
  };
};
