/**
 * A record that hundreds begin to refer to at once, such as a network while servers are made. A mark on the record
 * itself (`references.ts`) would be one item that all of them write: DynamoDB refuses transactions that meet in one. So it
 * has doors, and who comes in leaves his mark on one of them. Who wants it gone looks at the doors first, then for those
 * inside, and closes all doors with the record, unless one has another mark by then.
 */
import { absent, type Key, type Table, type Write } from '../platform/table.ts';
import { shardOf, shards } from './entries.ts';
import { partition } from './kinds/key.ts';
import { noNewReference, type Referred, referTo } from './references.ts';

/** A door, as it was seen. */
export type Door = Key & Referred;

/** `of`: the name of the kind and the UUID of a record. */
const keysOf = (...of: readonly [kind: string, uuid: string]): Key[] =>
  Array.from({ length: shards }, (_, at) => ({ pk: partition(...of), sk: `door#${at}` }));

/** The doors of a new record. */
export const openDoors = (kind: string, uuid: string): Write[] =>
  keysOf(kind, uuid).map((key) => ({ put: key, when: [absent] }));

/** The mark of a record (its UUID) that begins to refer to this one; refused if that is gone. `mark`: an unused id. */
export const enter = (kind: string, uuid: string, who: string, mark: string): Write =>
  referTo(keysOf(kind, uuid)[shardOf(who)]!, mark);

/** The doors as they are; to be read before those inside are looked for. */
export const seeDoors = async (table: Table, kind: string, uuid: string): Promise<Door[]> => {
  const keys = keysOf(kind, uuid);
  const items = await table.getMany(keys);
  return keys.map((key, at): Door => ({ ...items[at], ...key }));
};

/** Nobody came in since the doors were seen. */
export const nobodyCame = (doors: readonly Door[]): Write[] =>
  doors.map((door) => ({ check: { pk: door.pk, sk: door.sk }, when: [noNewReference(door)] }));

/** The doors go, if nobody came in since they were seen. */
export const closeDoors = (doors: readonly Door[]): Write[] =>
  doors.map((door) => ({ delete: { pk: door.pk, sk: door.sk }, when: [noNewReference(door)] }));
