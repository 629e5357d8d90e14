/** From a record to what a client sees of it at its microversion. */
import { known, type Field, type Fields } from './fields.ts';

/** The two links of a thing: `self` with /v1, `bookmark` without. An empty id is the collection itself. */
export const resourceLinks = (base: string, collection: string, id: string) => [
  { href: `${base}/v1/${collection}/${id}`, rel: 'self' },
  { href: `${base}/${collection}/${id}`, rel: 'bookmark' },
];

/** All fields, those of the brief form, or the named ones; links always come along. */
export type Want = 'all' | 'summary' | readonly string[];

/** Makes the value of a field that is not stored, or is shown differently from how it is stored. */
export type Shown<R> = { readonly [name: string]: (record: R) => unknown };

const wanted = (want: Want, name: string, row: Field): boolean => {
  if (want === 'all') return true;
  if (want === 'summary') return row.summary === true;
  return want.includes(name) || name === 'links';
};

/**
 * Makes the function that shows records of this table at 1.`version`: fields that are newer are left out, a value
 * that is not there is its default, older versions see what they knew (`was`).
 */
export const projector = <R extends object>(rows: Fields, version: number, want: Want, shown: Shown<R> = {}) => {
  const columns = known(rows, version).filter(([name, row]) => wanted(want, name, row));
  return (record: R): Record<string, unknown> => {
    const values = record as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const [name, row] of columns) {
      const value = (shown[name] ? shown[name](record) : values[name]) ?? row.default ?? null;
      result[name] = row.was ? row.was(value, version) : value;
    }
    return result;
  };
};
