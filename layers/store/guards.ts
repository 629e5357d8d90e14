/**
 * Uniqueness: a guard item per unique value, written in the same transaction as the record. It also is the way to
 * find a record by that value with one get.
 */
import { Conflict, type Fault } from '../domain/fault.ts';
import type { Fields } from '../domain/fields.ts';
import { absent, type Key, type Write } from '../platform/table.ts';

/** Where the guard of a value stands; `what` is the name in the `unique` of its row. */
export const guardKey = (what: string, value: string): Key => ({ pk: `unique#${what}#${value}`, sk: 'guard' });

/** A value that others follow in a guard, so that no two pairs look alike. */
const prefix = (value: unknown): string => `${String(value).replaceAll('%', '%25').replaceAll('#', '%23')}#`;

/** The guard keys that a record holds by the `unique` rows of its table. */
export const guardsOf = (rows: Fields, record: object): Key[] => {
  const values = record as Readonly<Record<string, unknown>>;
  return Object.entries(rows).flatMap(([name, { unique, within }]) => {
    const value = values[name];
    if (!unique || (typeof value !== 'string' && typeof value !== 'number')) return [];
    return [guardKey(unique, `${within === undefined ? '' : prefix(values[within])}${value}`)];
  });
};

/**
 * The writes that move the guards from one form of a record to the next (undefined: did not or will not exist).
 * `refers` are ids that the guard leads to.
 */
export const guardChanges = (
  rows: Fields,
  before: object | undefined,
  after: object | undefined,
  refers: Readonly<Record<string, string>>,
): Write[] => {
  const held = before ? guardsOf(rows, before) : [];
  const wanted = after ? guardsOf(rows, after) : [];
  const missing = (keys: Key[], key: Key) => !keys.some(({ pk }) => pk === key.pk);
  return [
    ...wanted.filter((key) => missing(held, key)).map((key) => ({ put: { ...key, ...refers }, when: [absent] })),
    ...held.filter((key) => missing(wanted, key)).map((key) => ({ delete: key })),
  ];
};

/**
 * Says which unique value was taken when this write was refused; undefined if it is not the write of a guard. `kind` is
 * the record's, as in "a port".
 */
export const takenValue = (kind: string, rows: Fields, write: Write | undefined): Fault | undefined => {
  const [space, what, ...value] = write && 'put' in write ? write.put.pk.split('#') : [];
  if (space !== 'unique') return undefined;
  const field = Object.keys(rows).find((name) => rows[name]!.unique === what) ?? what;
  return Conflict(`A ${kind} with ${field} ${value.join('#')} already exists.`);
};
