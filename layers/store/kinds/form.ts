/**
 * A record and its items: how one becomes the other. Nothing else knows the form in which records are stored. A value
 * that is the default of its field is not stored, nor is null: a node costs by its size with every write.
 */
import { defaults } from '../../domain/fields.ts';
import { isoTime } from '../../domain/values.ts';
import type { Ids } from '../../platform/platform.ts';
import type { Item, Key, Write } from '../../platform/table.ts';
import { briefFields, placesOf, uuidOfEntry, type Entry } from '../entries.ts';
import { blankOf, isTold } from './blank.ts';
import { apartKey, keyOf, type AnyKind, type Kept, type KindOf } from './kind.ts';

type Values = Readonly<Record<string, unknown>>;

/** The first form of a record: what is given, else the default of each field. */
export const newRecord = <R extends Kept>(
  { clock, ids }: { readonly clock: { now(): number }; readonly ids: Ids },
  { fields, kept }: KindOf<R>,
  values: object,
): R => {
  const given = values as Values;
  return {
    ...defaults(fields),
    ...kept,
    created_at: isoTime(clock.now()),
    ...given,
    uuid: given['uuid'] ?? ids.uuid(),
    position: given['position'] ?? ids.ulid(),
    revision: 1,
  } as unknown as R;
};

/** UUID of what the record belongs to; undefined for one that stands alone. */
export const homeOf = ({ home }: Pick<AnyKind, 'home'>, record: object): string | undefined =>
  home && ((record as Values)[home.by] as string);

/** Where the record stands. */
export const placeOf = (kind: AnyKind, record: Kept): Key => keyOf(kind, record.uuid, homeOf(kind, record));

/** What an item has besides the values of its record. */
const own = { pk: true, sk: true, schema: true, places: true } as const;

/** The item of a record, without the fields that are kept apart; it says in which form it is and where lists find it. */
export const toItem = (kind: AnyKind, record: Kept): Item => {
  const { apart = [] } = kind;
  const values = Object.entries(record).filter(([name, value]) => !apart.includes(name) && isTold(kind, name, value));
  const places = placesOf(kind, record);
  return { ...Object.fromEntries(values), ...placeOf(kind, record), schema: kind.schema, places };
};

/** The write of one field that is kept apart. */
export const apartWrite = (kind: AnyKind, record: Kept, field: string): Write => ({
  put: { ...apartKey(kind, record.uuid, field), values: (record as unknown as Values)[field] },
});

/** The form in which a record was read: the version of its schema, and where lists found it. */
export type Stored = { readonly schema: number; readonly places: readonly string[] };

const forms = new WeakMap<object, Stored>();

/**
 * The form in which this very object was read; undefined for what was not, or was changed since. What the first version
 * wrote has no places.
 */
export const storedForm = (record: object): Stored | undefined => forms.get(record);

/**
 * The version of the form in which an item is. Only the first version wrote the attribute `list`; it left what it did not
 * know, so an item that one of its functions wrote during the update may say `schema` as well.
 */
const schemaOf = (item: Item): number => ('list' in item ? 1 : ((item['schema'] as number | undefined) ?? 1));

/** The values of an item, or of a part of it, in the form that its kind has now; of defaults nothing is stored. */
export const valuesOf = ({ schema, upgrades }: AnyKind, item: Item): Values => {
  let values: Values = item;
  for (let version = schemaOf(item); version < schema; version += 1) {
    values = upgrades[version - 1]!(values);
  }
  return values;
};

/**
 * The record of an item, with what is kept apart of it: the items of those fields, in the order of the row. In lists
 * they are left out.
 */
export const toRecord = <R extends Kept>(kind: KindOf<R>, item: Item, parts?: readonly (Item | undefined)[]): R => {
  const record: Record<string, unknown> = { ...blankOf(kind) };
  const values = valuesOf(kind, item);
  // Every request comes through here: a loop costs a third of what entries and back would.
  for (const name in values) if (!(name in own)) record[name] = values[name];
  if (parts) kind.apart?.forEach((name, at) => (record[name] = parts[at]?.['values'] ?? kind.fields[name]!.default));
  forms.set(record, { schema: schemaOf(item), places: (item['places'] as readonly string[] | undefined) ?? [] });
  return record as unknown as R;
};

const listed = new WeakMap<object, unknown>();

/**
 * The record of an item as lists show it: without what is kept apart, shared with others and frozen, and the same object
 * for the same item.
 */
export const toListed = <R extends Kept>(kind: KindOf<R>, item: Item): R => {
  const found = (listed.get(item) as R | undefined) ?? Object.freeze(toRecord(kind, item));
  listed.set(item, found);
  return found;
};

const briefs = new WeakMap<object, unknown>();

/** What an entry tells of its record, in the same manner; what it does not tell is not there. */
export const toBrief = <R extends Kept>(kind: KindOf<R>, entry: Entry): R => {
  const found = briefs.get(entry) as R | undefined;
  if (found) return found;
  const { home, brief } = entry;
  const blank = blankOf(kind);
  const told = brief && Object.fromEntries(briefFields(kind).map((name) => [name, brief[name] ?? blank[name]]));
  const place = { uuid: uuidOfEntry(entry), position: entry.sk.slice(0, entry.sk.indexOf('#')) };
  const record = Object.freeze({ ...told, ...place, ...(kind.home && { [kind.home.by]: home }) });
  briefs.set(entry, record);
  return record as unknown as R;
};
