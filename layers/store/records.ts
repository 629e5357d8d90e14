/**
 * Records that stand alone, such as chassis: an item each under `<kind>#<uuid>`, found by UUID or by the guard of their
 * name. Every write is conditional on the revision that was read, so no concurrent change is ever lost.
 */
import { Conflict, NotFound, type Fault } from '../domain/fault.ts';
import type { Fields } from '../domain/fields.ts';
import type { Lookup } from '../domain/filters.ts';
import type { Page } from '../domain/page.ts';
import { isUuid } from '../domain/values.ts';
import { guardChanges, guardKey, takenValue } from './guards.ts';
import { indexAttributes, indexName, indexPartition, isPlace, listPartition } from './indexes.ts';
import { everyShard, readPage } from './lists.ts';
import { isoTime } from './nodes.ts';
import type { Platform } from '../platform/platform.ts';
import { noNewReference, recordKey, type Referred } from './references.ts';
import { absent, equals, isConditionFailed, type Item, type Table, type Write } from '../platform/table.ts';

/** `name` is that of keys and guards, `title` is how messages call it. */
export type Kind<R = object> = {
  readonly name: string;
  readonly title: string;
  readonly fields: Fields;
  /** Index attributes besides those of the fields; in DynamoDB an index has to exist for each (`indexes`). */
  readonly places?: (record: R) => Record<string, string>;
};

/** What a list shows; all if nothing is said. */
export type Choice<R> = {
  readonly keep?: (record: R) => boolean;
  /** Whether the caller may see a record at all: the marker of a page may be one that filters no longer keep. */
  readonly sees?: (record: R) => boolean;
  /** Whether the caller may not see the value that a record is sorted by: order would tell what is withheld. */
  readonly hides?: (record: R) => boolean;
  /** Where those are that `keep` can keep. */
  readonly lookups?: readonly Lookup[] | undefined;
};

/** What a stored record has besides its fields: its place in lists, the count of its writes. */
export type Keeping = Referred & { readonly position: string; readonly revision: number };

type Stored = Keeping & { readonly uuid: string };
type Needs = Pick<Platform, 'table' | 'clock'>;

/** How often a write that lost to others is decided again; each loss means that somebody else has made progress. */
const maxTries = 20;

/** The functions of one kind of record. */
export const records = <R extends Stored>({ name, title, fields: rows, places }: Kind<R>) => {
  const keyOf = ({ uuid }: Stored) => recordKey(name, uuid);
  const toRecord = (item: Item) =>
    Object.fromEntries(Object.entries(item).filter(([attribute]) => !isPlace(attribute))) as unknown as R;
  const toItem = (record: R): Item => ({
    ...keyOf(record),
    ...record,
    ...indexAttributes(name, rows, record),
    ...places?.(record),
  });
  const guards = (before: R | undefined, after: R | undefined) =>
    guardChanges(rows, before, after, { [name]: (after ?? before)!.uuid });

  const read = async (table: Table, uuid: string): Promise<R | undefined> => {
    const item = await table.get(recordKey(name, uuid));
    return item && toRecord(item);
  };

  /** The record of this UUID, or name if the kind has names. Throws NotFound (404). */
  const find = async (table: Table, ident: string): Promise<R> => {
    const what = rows['name']?.unique;
    const guard = isUuid(ident) || !what ? undefined : await table.get(guardKey(what, ident));
    const uuid = isUuid(ident) ? ident.toLowerCase() : (guard?.[name] as string | undefined);
    const found = uuid && (await read(table, uuid));
    if (!found) throw NotFound(`${title} ${ident} could not be found.`);
    return found;
  };

  /** A page of the records. Throws NotFound (404) for a marker that is unknown or that the caller may not see. */
  const list = async (table: Table, page: Page, { keep, sees, hides, lookups }: Choice<R> = {}): Promise<R[]> => {
    const places = lookups
      ? lookups.flatMap(({ index, value }) =>
          everyShard(indexName(index), (shard) => indexPartition(name, index, value, shard)),
        )
      : everyShard('list', (shard) => listPartition(name, shard));
    const test = (is: Choice<R>['keep']) => (item: Item) => is?.(item as unknown as R) ?? true;
    const find = async (uuid: string) => {
      const item = isUuid(uuid) ? await table.get(recordKey(name, uuid.toLowerCase())) : undefined;
      return item && test(sees)(item) ? item : undefined;
    };
    const shown = { keep: test(keep), find, hides: hides && test(hides) };
    return (await readPage(table, places, page, shown)).map(toRecord);
  };

  /** The writes that store a new record, for a transaction. */
  const creation = (record: R): Write[] => [{ put: toItem(record), when: [absent] }, ...guards(undefined, record)];

  /** The writes that change a record as it was read, for a transaction. `at` is the time (ISO 8601). */
  const revision = (before: R, set: Partial<R>, at: string): { readonly after: R; readonly writes: Write[] } => {
    const after: R = { ...before, ...set, revision: before.revision + 1, updated_at: at };
    const when = [equals('revision', before.revision)];
    return { after, writes: [{ put: toItem(after), when }, ...guards(before, after)] };
  };

  /** Says which value of a new record was taken when this write of its creation was refused. */
  const taken = (record: R, write: Write | undefined): Fault | undefined =>
    write && 'put' in write && write.put.pk === keyOf(record).pk
      ? Conflict(`A ${name} with uuid ${record.uuid} already exists.`)
      : takenValue(name, rows, write);

  /** Stores a new record. Throws Conflict (409) if its uuid or another unique value is taken. */
  const create = async ({ table }: Pick<Needs, 'table'>, record: R): Promise<void> => {
    const writes = creation(record);
    await table.write(writes).catch((error: unknown) => {
      throw (isConditionFailed(error) && taken(record, writes[error.index])) || error;
    });
  };

  /** Writes what `decide` wants of the record as it is by then, again if somebody else was faster. */
  const write = async <D>({ table, clock }: Needs, uuid: string, decide: (before: R) => Promise<[D, Write[]]>) => {
    for (let attempt = 1; ; attempt += 1) {
      const [result, writes] = await decide(await find(table, uuid));
      try {
        await table.write(writes);
        return result;
      } catch (error) {
        if (!isConditionFailed(error)) throw error;
        const taken = takenValue(name, rows, writes[error.index]);
        if (taken) throw taken;
        if (attempt >= maxTries) {
          throw Conflict(`${title} ${uuid} is being changed by others all the time, try again.`, error);
        }
        await clock.sleep(Math.random() * 5 * attempt);
      }
    }
  };

  /** Changes a record by what `decide` makes of it; it refuses by throwing. Throws NotFound (404), Conflict (409). */
  const change = async (needs: Needs, uuid: string, decide: (record: R) => Partial<R> | Promise<Partial<R>>) =>
    write<R>(needs, uuid, async (before) => {
      const { after, writes } = revision(before, await decide(before), isoTime(needs.clock.now()));
      return [after, writes];
    });

  /** Removes a record; `permit` refuses by throwing, and is asked again if somebody began to refer to it meanwhile. */
  const remove = async (needs: Needs, uuid: string, permit: (record: R) => Promise<void> = async () => {}) =>
    write<void>(needs, uuid, async (before) => {
      await permit(before);
      const when = [equals('revision', before.revision), noNewReference(before)];
      return [undefined, [{ delete: keyOf(before), when }, ...guards(before, undefined)]];
    });

  return { read, find, list, create, creation, revision, taken, change, remove };
};
