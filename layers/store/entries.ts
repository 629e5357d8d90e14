/**
 * Index entries: the items that lists read. A record is in one index for each value that its kind's row names, and an
 * entry there is an item of the same table, written in the same transaction as the record (ADR 16). Its key sorts by
 * the creation of the record; it holds the brief of the record where the row says so. Partitions are split into 16
 * shards that are read in parallel: one DynamoDB partition takes 1,000 writes a second.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Key, Write } from '../platform/table.ts';
import { isTold } from './kinds/blank.ts';
import type { AnyKind, Index, Kept } from './kinds/kind.ts';

export const shards = 16;

/** The shard of a record, from its uuid. */
export const shardOf = (uuid: string): number => createHash('sha256').update(uuid).digest()[0]! % shards;

/** The index in which all records of a kind are. */
export const everything = 'list';

/** An entry. `home` is the UUID of what the record belongs to. */
export type Entry = Key & { readonly home?: string; readonly brief?: Readonly<Record<string, unknown>> };

type Values = Readonly<Record<string, unknown>>;

const known = new WeakMap<AnyKind, ReadonlyMap<string, Index<never>>>();

/** The indexes of a kind by their names: that of everything, those of the fields whose rows say so, and others. */
export const indexesOf = (kind: AnyKind): ReadonlyMap<string, Index<never>> => {
  const found = known.get(kind);
  if (found) return found;
  const withBrief = (name: string) =>
    name === everything || kind.briefIn?.includes(name) ? ({ brief: true } as const) : {};
  const ofFields = Object.entries(kind.fields)
    .filter(([, { index }]) => index)
    .map(([name]): [string, Index<Values>] => [name, { of: (record) => record[name] as string, ...withBrief(name) }]);
  const all: [string, Index<Values>][] = [[everything, { of: () => '', brief: true }], ...ofFields];
  const indexes = new Map<string, Index<never>>([...all, ...Object.entries(kind.indexes ?? {})] as [
    string,
    Index<never>,
  ][]);
  known.set(kind, indexes);
  return indexes;
};

/** A place in an index, for one shard or all: the name of the index and the value, a word, number or boolean of any characters. */
export const placeIn = (index: string, value: unknown): string => `${index}#${value as string}`;

/** The places in which lists find a record. */
export const placesOf = (kind: AnyKind, record: Kept): string[] =>
  [...indexesOf(kind)].flatMap(([name, { of }]) => {
    const values = [of(record as never)].flat();
    return values.filter((value) => (value ?? undefined) !== undefined).map((value) => placeIn(name, value));
  });

/** The partition of one shard of a place. */
export const entryPartition = ({ name }: Pick<AnyKind, 'name'>, place: string, shard: number): string =>
  `index#${name}#${place}#${shard}`;

/** The name of the kind to whose record an item leads; undefined for what is no entry. */
export const kindOfEntry = ({ pk }: Key): string | undefined =>
  pk.startsWith('index#') ? pk.split('#', 2)[1] : undefined;

/** The sort key of a record's entries: lists go by it, and go on after it. */
export const entrySort = ({ position, uuid }: Pick<Kept, 'position' | 'uuid'>): string => `${position}#${uuid}`;

/** The UUID of the record that an entry leads to. */
export const uuidOfEntry = ({ sk }: Key): string => sk.slice(sk.indexOf('#') + 1);

const entryKey = (kind: AnyKind, place: string, record: Kept): Key => ({
  pk: entryPartition(kind, place, shardOf(record.uuid)),
  sk: entrySort(record),
});

/** The fields of which an entry with a brief tells. */
export const briefFields = ({ fields, brief = [], home }: AnyKind): readonly string[] => [
  ...Object.keys(fields).filter((name) => fields[name]!.summary && !fields[name]!.computed),
  ...brief,
  ...(home ? [home.by] : []),
];

const briefOf = (kind: AnyKind, record: Kept): Values => {
  const values = record as unknown as Values;
  const named = briefFields(kind).map((name) => [name, values[name]] as const);
  return Object.fromEntries(named.filter(([name, value]) => name !== 'uuid' && isTold(kind, name, value)));
};

const entryPut = (kind: AnyKind, place: string, record: Kept, home: string | undefined): Write => {
  const index = place.slice(0, place.indexOf('#'));
  return {
    put: {
      ...entryKey(kind, place, record),
      ...(home !== undefined && { home }),
      ...(indexesOf(kind).get(index)?.brief && { brief: briefOf(kind, record) }),
    },
  };
};

/** A record around a change, with where it is; `places` are those of the stored one. */
export type Listed = { readonly record: Kept; readonly home: string | undefined; readonly places: readonly string[] };

/**
 * The writes that make the entries of a record those of its next form. What did not change costs nothing: an entry is
 * written when the record comes to its place, and one with a brief when that differs. `anew`: all are written.
 */
export const entryChanges = (
  kind: AnyKind,
  before: Listed | undefined,
  after: Listed | undefined,
  anew: boolean = before?.home !== after?.home,
): Write[] => {
  const [held, wanted] = [before?.places ?? [], after?.places ?? []];
  const retold = before && after && !isDeepStrictEqual(briefOf(kind, before.record), briefOf(kind, after.record));
  const hasBrief = (place: string) => indexesOf(kind).get(place.slice(0, place.indexOf('#')))?.brief;
  const isDue = (place: string) => anew || !held.includes(place) || (retold && hasBrief(place));
  return [
    ...wanted.filter(isDue).map((place) => entryPut(kind, place, after!.record, after!.home)),
    ...held
      .filter((place) => !wanted.includes(place))
      .map((place) => ({ delete: entryKey(kind, place, before!.record) })),
  ];
};

/** What of a list's needs an entry of this index tells by itself. */
export const tellsAll = (kind: AnyKind, index: string, reads: readonly string[]): boolean => {
  const told = new Set([
    'uuid',
    'position',
    kind.home?.by,
    ...(indexesOf(kind).get(index)?.brief ? briefFields(kind) : []),
  ]);
  return reads.every((name) => told.has(name));
};
