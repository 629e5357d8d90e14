/** The filters of the node list that are no field (ironic-api.md 2.3). */
import type { Filters, Lookup } from './filters.ts';
import type { Node } from './node.ts';
import { placementClass } from './resource-class.ts';
import { bool } from './values.ts';

/** What of a stored node filters look at. */
export type Listed = Omit<Node, 'instance_info'>;

/** Whether a project owns or leases a node. */
export const isOfProject = ({ owner, lessee }: Listed, project: string): boolean =>
  owner === project || lessee === project;

/** Where those nodes are. */
export const placesOfProject = (project: string): Lookup[] => [
  { index: 'owner', value: project },
  { index: 'lessee', value: project },
];

export const nodeFilters: Filters<Listed> = {
  associated: {
    schema: bool,
    keep: ({ instance_uuid }, wanted: boolean) => (instance_uuid !== null) === wanted,
    looksAt: ['instance_uuid'],
    lookups: (value: boolean) => [{ index: 'associated', value }],
    rank: 11,
  },
  description_contains: {
    keep: ({ description }, part: string) => description?.includes(part) ?? false,
    looksAt: ['description'],
  },
  // Ingot's own: what schedulers know is the name that Placement makes of a resource class, and not what it is made of.
  placement_class: {
    since: 21,
    keep: ({ resource_class: name }, wanted: string) => (name ?? '') !== '' && placementClass(name!) === wanted,
    looksAt: ['resource_class'],
    lookups: (value: string) => [{ index: 'placement_class', value }],
    rank: 8,
  },
  project: { keep: isOfProject, looksAt: ['owner', 'lessee'], lookups: placesOfProject, rank: 6 },
  sharded: {
    since: 82,
    schema: bool,
    keep: ({ shard }, wanted: boolean) => (shard !== null) === wanted,
    looksAt: ['shard'],
  },
  // Child nodes are in no list that does not ask for them.
  include_children: { since: 83 },
};
