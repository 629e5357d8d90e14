/**
 * The filters of a list as a table (ironic-api.md 2.3); they combine with AND. A field with the column `filter` has one
 * of its name, and what is no field has a row of its own.
 */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import type { Field, FieldFilter, Fields } from './fields.ts';
import { readList, type Query } from './page.ts';

/** Index partitions that together hold every record with a value; `index` is the name of the field. */
export type Lookup = { readonly index: string; readonly value: unknown };

/** `R`: what of a stored record filters look at. A filter without `keep` is for the list's own code to read. */
export type Filter<R> = FieldFilter & {
  /** Whether it is one of those that are asked for. The value is as the schema makes it. */
  keep?(record: R, value: never): boolean;
  /** The fields that `keep` looks at; without it any. */
  readonly looksAt?: readonly string[];
  /** Where those are that it keeps. */
  lookups?(value: never): readonly Lookup[];
  /** It is looked for, as a comma list, in this field of what the record belongs to. */
  readonly ofHome?: 'shard' | 'conductor_group';
};

export type Filters<R> = { readonly [name: string]: Filter<R> };

type Values = Readonly<Record<string, unknown>>;

/** Filters that have an index together, which keeps fewer than that of any of them. */
export type Together = {
  /** All of these are asked for, with these values. */
  readonly given: Values;
  /** Where those are, by the values of all filters that are asked for. */
  lookups(values: Values): readonly Lookup[];
  /** Among the ranks of filters; it is read before one of the same. */
  readonly rank: number;
};

/** A text that no record can have is no error: it selects nothing. */
const asked = (schema: z.ZodType): z.ZodType => (schema instanceof z.ZodString ? z.string() : schema);

const ofOne = (name: string, { index }: Field): Filter<Values> => ({
  keep: (record, value: unknown) => record[name] === value,
  looksAt: [name],
  ...(index && { lookups: (value: unknown) => [{ index: name, value }] }),
});

const ofMany = (name: string, { index }: Field): Filter<Values> => ({
  keep: (record, values: readonly unknown[]) => values.includes(record[name]),
  looksAt: [name],
  ...(index && { lookups: (values: readonly unknown[]) => values.map((value) => ({ index: name, value })) }),
});

const ofField = (name: string, row: Field): Filter<Values> => {
  if (row.withheld) throw new Error(`A filter by ${name} would tell what is withheld.`);
  const { since = row.since ?? 1, ...more }: FieldFilter = typeof row.filter === 'object' ? row.filter : {};
  const tests = more.many ? ofMany(name, row) : ofOne(name, row);
  return {
    ...(since > 1 && { since }),
    schema: more.many ? z.array(asked(row.schema)) : asked(row.schema),
    ...more,
    // What is not stored, and what is found first, is nothing to compare with.
    ...(!row.computed && !more.names && tests),
  };
};

/** The filters of a table's lists: those of its fields, and others. */
export const filtersOf = <R>(rows: Fields, others: Filters<R> = {}): Filters<R> => ({
  ...Object.fromEntries(
    Object.entries(rows)
      .filter(([, { filter }]) => filter)
      .map(([name, row]) => [name, ofField(name, row) as Filter<R>]),
  ),
  ...others,
});

/** What of the records a list shows. */
export type Selection<R> = {
  /** The index partitions to read; undefined: the whole list. */
  readonly lookups: readonly Lookup[] | undefined;
  keep(record: R): boolean;
  /** The fields that `keep` looks at; undefined: any. */
  readonly looksAt: readonly string[] | undefined;
};

/** All fields of several readers; undefined if one of them reads any. */
export const readsOf = (...readers: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
  readers.every((reads) => reads !== undefined) ? readers.flat() : undefined;

const parse = (name: string, { schema = z.string(), many }: FieldFilter, values: readonly string[]): never => {
  const result = schema.safeParse(many ? readList(values) : values[0]);
  if (!result.success) throw Invalid(`Invalid value for ${name}: ${result.error.issues[0]!.message}.`);
  return result.data as never;
};

/** An index that a query can be answered from. */
type Way = { readonly rank?: number; lookups?(): readonly Lookup[] };

/** The ways that lead to all that a query keeps, the one that usually keeps fewest first. */
const waysOf = <R>(given: readonly Given<R>[], together: readonly Together[]): Way[] => {
  const values: Values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const joint = together
    .filter((row) => Object.entries(row.given).every(([name, value]) => values[name] === value))
    .map(({ rank, lookups }): Way => ({ rank, lookups: () => lookups(values) }));
  const single = given
    .filter(({ filter }) => filter.lookups)
    .map(({ filter, value }): Way => ({ ...filter, lookups: () => filter.lookups!(value) }));
  return [...joint, ...single].toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
};

type Given<R> = { readonly name: string; readonly filter: Filter<R>; readonly value: never };

/** What the filters of a query select; `together`: indexes of several of them. Throws Invalid (400). */
export const selectBy = <R>(filters: Filters<R>, query: Query, together: readonly Together[] = []): Selection<R> => {
  const given = Object.entries(filters)
    .filter(([name, { keep }]) => keep && query[name])
    .map(([name, filter]): Given<R> => ({ name, filter, value: parse(name, filter, query[name]!) }));
  return {
    lookups: waysOf(given, together)[0]?.lookups?.(),
    keep: (record) => given.every(({ filter, value }) => filter.keep!(record, value)),
    looksAt: readsOf(...given.map(({ filter }) => filter.looksAt)),
  };
};
