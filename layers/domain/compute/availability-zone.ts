/** Availability zones: each is the conductor group of its name; nodes without a group are in a zone, too (compute-api.md 7). */

/** Nova's own word for where machines are of which nobody said it. No conductor group should have this name. */
const defaultZone = 'nova';

/** The zone of a node. */
export const zoneOf = ({ conductor_group: group }: { readonly conductor_group: string }): string =>
  group === '' ? defaultZone : group;

/** The conductor group of a zone. Groups are in lower case. */
export const groupOfZone = (zone: string): string => (zone === defaultZone ? '' : zone.toLowerCase());
