/** A record and its items: how one becomes the other. Nothing else knows the form in which records are stored. */
import { defaults } from '../../domain/fields.ts';
import { isoTime } from '../../domain/values.ts';
import type { Ids } from '../../platform/platform.ts';
import type { Item, Key, Write } from '../../platform/table.ts';
import { guardsOf } from '../guards.ts';
import { indexAttributes, isPlace } from '../indexes.ts';
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

/** The item of a record, without the fields that are kept apart. `guards` are what goes with it when its home goes. */
export const toItem = (kind: AnyKind, record: Kept): Item => {
  const item: Record<string, unknown> = { ...record };
  for (const name of kind.apart ?? []) delete item[name];
  return {
    ...item,
    ...placeOf(kind, record),
    ...indexAttributes(kind.name, kind.fields, record),
    ...kind.places?.(record),
    ...(kind.home && { guards: guardsOf(kind.fields, record).map(({ key }) => key) }),
  };
};

/** The write of one field that is kept apart. */
export const apartWrite = (kind: AnyKind, record: Kept, field: string): Write => ({
  put: { ...apartKey(kind, record.uuid, field), values: (record as unknown as Values)[field] },
});

/**
 * The record of an item, with what is kept apart of it: the items of those fields, in the order of the row. In lists
 * they are left out.
 */
export const toRecord = <R extends Kept>(kind: KindOf<R>, item: Item, parts?: readonly (Item | undefined)[]): R => {
  const record: Record<string, unknown> = {};
  // Every request comes through here: a loop costs a third of what entries and back would.
  for (const name in item) if (!isPlace(name)) record[name] = item[name];
  if (parts) kind.apart?.forEach((name, at) => (record[name] = parts[at]?.['values'] ?? kind.fields[name]!.default));
  return record as unknown as R;
};
