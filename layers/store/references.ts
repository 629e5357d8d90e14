/**
 * Records that others refer to (a node to its chassis, a port to its port group). Who starts to refer to one marks it in
 * the same transaction; who deletes it looks for those that refer to it and deletes it only if nobody came in between.
 */
import { equals, present, unset, type Condition, type Key, type Write } from '../platform/table.ts';

/** The attribute of the mark; records keep it and never show it. */
export type Referred = { readonly referred?: string };

/** The write that marks a record; it is refused if the record is not there. `mark` is an id that was never used. */
export const referTo = (key: Key, mark: string): Write => ({ update: key, set: { referred: mark }, when: [present] });

/** Nobody has begun to refer to the record since it was read. */
export const noNewReference = ({ referred }: Referred): Condition =>
  referred === undefined ? unset('referred') : equals('referred', referred);
