/** The filters of the node list (ironic-api.md 2.3). */
import { filtersOf, selectBy, type Filters, type Lookup, type Selection } from './filters.ts';
import { node, type Node } from './node.ts';
import type { Query } from './page.ts';
import { bool } from './values.ts';

/** What of a stored node filters look at. */
export type Listed = Omit<Node, 'instance_info'>;

const isOf = ({ owner, lessee }: Listed, project: string): boolean => owner === project || lessee === project;

/** Where the nodes are that a project owns or leases. */
export const placesOfProject = (project: string): Lookup[] => [
  { index: 'owner', value: project },
  { index: 'lessee', value: project },
];

export const nodeFilters: Filters<Listed> = filtersOf<Listed>(node, {
  associated: {
    schema: bool,
    keep: ({ instance_uuid }, wanted: boolean) => (instance_uuid !== null) === wanted,
    lookups: (value: boolean) => [{ index: 'associated', value }],
    rank: 11,
  },
  description_contains: { keep: ({ description }, part: string) => description?.includes(part) ?? false },
  project: { keep: isOf, lookups: placesOfProject, rank: 6 },
  sharded: { since: 82, schema: bool, keep: ({ shard }, wanted: boolean) => (shard !== null) === wanted },
  // Child nodes are in no list that does not ask for them.
  include_children: { since: 83 },
});

export type NodeSelection = Selection<Listed> & {
  /** Whether the caller may know of a node at all. */
  sees(node: Listed): boolean;
};

/**
 * What the filters of a query select. Child nodes are kept only when they are asked for (`children`). With `only`
 * nothing is read but what this project owns or leases. Throws Invalid (400).
 */
export const selectNodes = (query: Query, children: boolean, only: string | null = null): NodeSelection => {
  const { lookups, keep } = selectBy(nodeFilters, query);
  const sees = (node: Listed) => only === null || isOf(node, only);
  return {
    lookups: only === null ? lookups : placesOfProject(only),
    keep: (node) => sees(node) && (children || node.parent_node === null) && keep(node),
    sees,
  };
};
