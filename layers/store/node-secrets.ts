/**
 * The sealed values of a node (DESIGN.md 7): driver_info credentials and the agent token, in an item of their own that
 * the node's record never holds. A write names the revision that was read, so two writers cannot undo each other.
 */
import { absent, equals, type Table, type Write } from '../platform/table.ts';
import { companions, type Secrets } from './kinds/companions.ts';

/** What is sealed for a node; empty (revision 0) for one that has nothing or does not exist. */
export const readSecrets = async (table: Pick<Table, 'get'>, uuid: string): Promise<Secrets> =>
  (await companions.secret.read(table, uuid)) ?? { values: {}, revision: 0 };

/** The write that replaces all values, for the transaction that changes the node; refused if somebody else wrote. */
export const secretsWrite = (uuid: string, before: Secrets, values: Secrets['values']): Write => ({
  ...companions.secret.put(uuid, { values, revision: before.revision + 1 }),
  when: [before.revision === 0 ? absent : equals('revision', before.revision)],
});
