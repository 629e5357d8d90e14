/**
 * Uniqueness: a guard item per unique value, written in the same transaction as the record. It also is the way to
 * find a record by that value with one get.
 */
import type { Fields } from '../domain/fields.ts';
import type { Key } from '../platform/table.ts';
import { guardKey } from './kinds/key.ts';

/**
 * What a record holds that no other may have: the `unique` of the row, and the value as its key and messages have it;
 * `own` is the value without what it is unique within.
 */
export type Guard = { readonly unique: string; readonly value: string; readonly own: string; readonly key: Key };

/** What is unique, and within what: values of fields that are no JSON. */
type Plain = string | number | null;

/** A value that others follow in a guard, so that no two pairs look alike. */
const prefix = (value: Plain): string => `${String(value).replaceAll('%', '%25').replaceAll('#', '%23')}#`;

/** A value as guards have it, of one that is unique within another. */
export const valueWithin = (within: Plain, own: string | number): string => prefix(within) + own;

/** The guards that a record holds by the `unique` rows of its table. */
export const guardsOf = (rows: Fields, record: object): Guard[] => {
  const values = record as Readonly<Record<string, unknown>>;
  return Object.entries(rows).flatMap(([name, { unique, within }]) => {
    const own = values[name];
    if (!unique || (typeof own !== 'string' && typeof own !== 'number')) return [];
    const value = within === undefined ? String(own) : valueWithin(values[within] as Plain, own);
    return [{ unique, value, own: String(own), key: guardKey(unique, value) }];
  });
};
