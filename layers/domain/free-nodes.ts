/** Free nodes: those that somebody could get. Schedulers and allocations read them, whatever the size of the fleet. */
import type { Together } from './filters.ts';
import type { Node } from './node.ts';
import { placementClass } from './resource-class.ts';

type State = Readonly<Pick<Node, 'provision_state' | 'instance_uuid' | 'maintenance'>>;

/** Whether nobody has a node and nothing keeps it back; whether its power is known, is another question. */
export const isFree = ({ provision_state: state, instance_uuid: instance, maintenance }: State): boolean =>
  state === 'available' && instance === null && !maintenance;

/** What free nodes are looked for by; what is not said is any. A resource class is one as Placement writes it. */
type Sought = { readonly placement_class?: string | undefined; readonly conductor_group?: string | undefined };

/** The value in the index `free` under which those are. Neither of the two words can have a star or a slash. */
export const freeValue = ({ placement_class: name = '*', conductor_group: group = '*' }: Sought): string =>
  `${name}/${group}`;

/** The values under which a free node is found: by its class, by its conductor group, by both, and by neither. */
export const freeValues = (node: State & Readonly<Pick<Node, 'resource_class' | 'conductor_group'>>): string[] => {
  if (!isFree(node)) return [];
  const { resource_class: name, conductor_group: group } = node;
  const classes = name === null ? [undefined] : [undefined, placementClass(name)];
  return classes.flatMap((placement_class) =>
    [undefined, group].map((conductor_group) => freeValue({ placement_class, conductor_group })),
  );
};

/** The filters of a list of nodes that ask for free ones. */
export const freeFilters: Together = {
  given: { provision_state: 'available', associated: false, maintenance: false },
  lookups: ({ placement_class: placed, resource_class: name, conductor_group: group }) => {
    const placement_class =
      (placed as string | undefined) ?? (name === undefined ? undefined : placementClass(name as string));
    return [{ index: 'free', value: freeValue({ placement_class, conductor_group: group as string | undefined }) }];
  },
  rank: 8,
};
