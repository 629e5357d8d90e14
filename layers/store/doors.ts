/**
 * A record that hundreds begin to refer to at once, such as a network while servers are made. A mark on the record
 * itself (`references.ts`) would be one item that all of them write: DynamoDB refuses transactions that meet in one. So it
 * has doors, and who comes in leaves his mark on one of them, which he has to see before he looks at anything else. Who
 * takes something away looks at all doors first, then for those who use it; with it he changes the locks, or closes the
 * doors for good, unless a door has another mark by then. So nobody goes by what was there before.
 */
import { absent, equals, present, type Key, type Table, unset, type Write } from '../platform/table.ts';
import { shardOf, shards } from './entries.ts';
import { partition } from './kinds/key.ts';
import { noNewReference, type Referred } from './references.ts';

/** A door, as it was seen; `lock` is another one after each time that something was taken away. */
export type Door = Key & Referred & { readonly lock?: string };

const keyOf = (kind: string, uuid: string, at: number): Key => ({ pk: partition(kind, uuid), sk: `door#${at}` });

const all = [...Array(shards).keys()];

/** The doors of a new record of this kind. */
export const openDoors = (kind: string, uuid: string): Write[] =>
  all.map((at) => ({ put: keyOf(kind, uuid, at), when: [absent] }));

/** The door that a record (`who`, its UUID) comes in by. */
export const seeDoor = async (table: Table, kind: string, uuid: string, who: string): Promise<Door> => {
  const key = keyOf(kind, uuid, shardOf(who));
  return { ...(await table.get(key)), ...key };
};

/** All doors. */
export const seeDoors = async (table: Table, kind: string, uuid: string): Promise<Door[]> => {
  const keys = all.map((at) => keyOf(kind, uuid, at));
  const items = await table.getMany(keys);
  return keys.map((key, at): Door => ({ ...items[at], ...key }));
};

const plain = ({ pk, sk }: Key): Key => ({ pk, sk });

/** Comes in; refused if something was taken away since the door was seen. `mark`: an unused id. */
export const enter = (door: Door, mark: string): Write => ({
  update: plain(door),
  set: { referred: mark },
  when: [present, door.lock === undefined ? unset('lock') : equals('lock', door.lock)],
});

/** Goes with what is taken away; refused if somebody came in since the doors were seen. `lock`: an unused id. */
export const changeLocks = (doors: readonly Door[], lock: string): Write[] =>
  doors.map((door) => ({ update: plain(door), set: { lock }, when: [present, noNewReference(door)] }));

/** Goes with the record itself; refused if somebody came in since the doors were seen. */
export const closeDoors = (doors: readonly Door[]): Write[] =>
  doors.map((door) => ({ delete: plain(door), when: [noNewReference(door)] }));
