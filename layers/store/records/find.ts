/** Reading records: by UUID, by name or another unique value, and all that belong to one. */
import { NotFound, type Fault } from '../../domain/fault.ts';
import { isUuid } from '../../domain/values.ts';
import type { Item, Key, Table } from '../../platform/table.ts';
import { valueWithin } from '../guards.ts';
import { toRecord } from '../kinds/form.ts';
import { guardKey } from '../kinds/key.ts';
import { apartKey, belongingTo, keyOf, partitionOf, type AnyKind, type Kept, type KindOf } from '../kinds/kind.ts';

/** What the absence of a record is told with. */
export const missing = ({ title }: Pick<AnyKind, 'title'>, ident: string): Fault =>
  NotFound(`${title} ${ident} could not be found.`);

/** Where the record stands that holds this unique value; undefined if none does. */
const keyBy = async (table: Table, kind: AnyKind, unique: string, value: string): Promise<Key | undefined> => {
  const guard = await table.get(guardKey(unique, value));
  return guard && keyOf(kind, guard[kind.name] as string, kind.home && (guard[kind.home.kind.name] as string));
};

/** Where a record stands; undefined if that is nowhere to be found. One that stands alone may not be there. */
const keyFor = async (table: Table, kind: AnyKind, uuid: string): Promise<Key | undefined> =>
  kind.home ? keyBy(table, kind, kind.name, uuid) : keyOf(kind, uuid);

const whole = async <R extends Kept>(table: Table, kind: KindOf<R>, key: Key | undefined): Promise<R | undefined> => {
  if (!key) return undefined;
  const parts = kind.apart ?? [];
  const uuid = key.pk.slice(partitionOf(kind, '').length);
  const [item, ...rest] = await table.getMany([key, ...parts.map((field) => apartKey(kind, uuid, field))]);
  return item && toRecord(kind, item, rest);
};

/** The item of this UUID, without what is kept apart of the record; undefined if there is none. */
export const itemOf = async (table: Table, kind: AnyKind, uuid: string): Promise<Item | undefined> => {
  const key = await keyFor(table, kind, uuid);
  return key && table.get(key);
};

/** The record of this UUID (in lower case); undefined if there is none. Takes no lock. */
export const readRecord = async <R extends Kept>(table: Table, kind: KindOf<R>, uuid: string): Promise<R | undefined> =>
  whole(table, kind, await keyFor(table, kind, uuid));

/**
 * The record with this value in the field whose row has this `unique`, of those with the same `within` if it is unique in
 * that only; undefined if none has it.
 */
export const readRecordBy = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  unique: string,
  value: string,
  within?: string,
): Promise<R | undefined> =>
  whole(table, kind, await keyBy(table, kind, unique, within === undefined ? value : valueWithin(within, value)));

/** The UUID that this ident means, itself or by a name; undefined for a name that none has. Nobody looks if it is there. */
export const uuidOf = async (table: Pick<Table, 'get'>, kind: AnyKind, ident: string): Promise<string | undefined> => {
  if (isUuid(ident)) return ident.toLowerCase();
  const unique = kind.fields['name']?.unique;
  const guard = unique === undefined ? undefined : await table.get(guardKey(unique, ident));
  return guard?.[kind.name] as string | undefined;
};

/** The record of this UUID, in any case, or of this name if the kind has names. Throws NotFound (404). */
export const findRecord = async <R extends Kept>(table: Table, kind: KindOf<R>, ident: string): Promise<R> => {
  const uuid = await uuidOf(table, kind, ident);
  const found = uuid === undefined ? undefined : await readRecord(table, kind, uuid);
  if (!found) throw missing(kind, ident);
  return found;
};

/**
 * The record to decide on. What is kept apart is read after the item itself: reads of several items are no snapshot,
 * but who writes such a part in between also counts the revision, so a decision on torn values is never written.
 */
export const readToChange = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  uuid: string,
): Promise<R | undefined> => {
  const item = await itemOf(table, kind, uuid);
  if (!item) return undefined;
  const parts = kind.apart ?? [];
  return toRecord(
    kind,
    item,
    parts.length === 0 ? [] : await table.getMany(parts.map((field) => apartKey(kind, uuid, field))),
  );
};

/** All records of a kind that belong to another one, in the order of their UUIDs. */
export const recordsOf = async <R extends Kept>(table: Table, kind: KindOf<R>, home: string): Promise<R[]> => {
  const items = await table.query(belongingTo(kind, home));
  return items.map((item) => toRecord(kind, item));
};

/** How many of them are asked at a time for what they have. */
const atOnce = 16;

/** All records of a kind that belong to these. */
export const recordsOfMany = async <R extends Kept>(
  table: Table,
  kind: KindOf<R>,
  homes: readonly string[],
): Promise<R[]> => {
  const found: R[] = [];
  for (let at = 0; at < homes.length; at += atOnce) {
    found.push(
      ...(await Promise.all(homes.slice(at, at + atOnce).map(async (home) => recordsOf(table, kind, home)))).flat(),
    );
  }
  return found;
};
