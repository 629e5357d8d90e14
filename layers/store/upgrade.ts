/**
 * Brings a table into the form of this version: one pass over all of it, in pages of which each is noted, so that it
 * goes on where a process died. It may run beside whoever reads and writes, and twice at a time (ADR 16).
 */
import { isDeepStrictEqual } from 'node:util';

import type { Platform } from '../platform/platform.ts';
import { absent, equals, isConditionFailed, type Item, type Key, type Table, type Write } from '../platform/table.ts';
import { entryChanges, kindOfEntry, placesOf, uuidOfEntry, type Entry } from './entries.ts';
import { homeOf, storedForm, toItem, toRecord } from './kinds/form.ts';
import { keyOf, type AnyKind, type Kept } from './kinds/kind.ts';
import { kindAt, kindNamed } from './kinds/kinds.ts';
import { formsNow, isThere, isWhole, reachedKey, readReached, type Reached } from './reached.ts';

type Needs = Pick<Platform, 'table' | 'clock'>;

export type Patience = {
  /** How long functions of the version before may still write, ms: the pass begins so long after it is announced. */
  readonly grace: number;
  /** How long this call may take, ms; the next one goes on. */
  readonly turn?: number;
  /** Items of a page. */
  readonly page?: number;
};

/** Records that are worked on at a time: fewer than connections that the SDK opens, many enough that commits are shared. */
const atOnce = 48;

const each = async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
  for (let at = 0; at < all.length; at += atOnce) await Promise.all(all.slice(at, at + atOnce).map(work));
};

/** Whether it was written; not if its conditions did not hold, so that somebody else was faster. */
const written = async (table: Table, writes: readonly Write[]): Promise<boolean> => {
  try {
    await table.write(writes);
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    return false;
  }
};

/** The writes that put a record as it is into the form of its kind, with all its entries. */
const renewal = (kind: AnyKind, item: Item): Write[] => {
  const before = toRecord<Kept>(kind, item);
  // Counted, so that who decided on the form before does not write what follows from its places.
  const after: Kept = { ...before, revision: before.revision + 1 };
  const home = homeOf(kind, before);
  return [
    { put: toItem(kind, after), when: [equals('revision', before.revision)] },
    ...entryChanges(
      kind,
      { record: before, home, places: storedForm(before)!.places },
      { record: after, home, places: placesOf(kind, after) },
      true,
    ),
  ];
};

/** Renews a record, also if it is changed meanwhile. */
const renew = async (table: Table, kind: AnyKind, seen: Item): Promise<void> => {
  let item: Item | undefined = seen;
  while (item && !(await written(table, renewal(kind, item)))) item = await table.get(item);
};

/** Where the record of an entry is; undefined for one of a kind that is no more. */
const leadsTo = (entry: Entry): Key | undefined => {
  const kind = kindNamed(kindOfEntry(entry)!);
  return kind && keyOf(kind, uuidOfEntry(entry), entry.home);
};

/** Removes entries of records that a function removed that knew of no entries, of the version before. */
const removeLost = async (table: Table, entries: readonly Entry[]): Promise<void> => {
  const led = entries.flatMap((entry) => {
    const key = leadsTo(entry);
    return key ? [{ entry, key }] : [];
  });
  const found = await table.getMany(led.map(({ key }) => key));
  await each(
    led.filter((_, at) => !found[at]),
    async ({ entry: { pk, sk }, key }) => {
      await written(table, [{ check: key, when: [absent] }, { delete: { pk, sk } }]);
    },
  );
};

const renewPage = async (table: Table, items: readonly Item[], from: Pick<Reached, 'forms'>): Promise<void> => {
  const records = items.flatMap((item) => {
    const kind = kindAt(item);
    return kind && !isThere(from, kind) ? [{ kind, item }] : [];
  });
  await each(records, async ({ kind, item }) => renew(table, kind, item));
  await removeLost(
    table,
    items.filter((item) => kindOfEntry(item) !== undefined),
  );
};

/** Notes a step, unless somebody else made one: then they are at it. */
const note = async (table: Table, before: Reached | undefined, values: Omit<Reached, 'step'>) => {
  const after: Reached = { ...values, step: (before?.step ?? 0) + 1 };
  const when = before ? [equals('step', before.step)] : [absent];
  return (await written(table, [{ put: { ...reachedKey, ...after }, when }])) ? after : undefined;
};

/** What a table of the first version is noted with. */
const first = (): Pick<Reached, 'forms'> => ({
  forms: Object.fromEntries(Object.keys(formsNow()).map((name) => [name, 'first'])),
});

/** The pass that leads to the forms of this version: the one that is noted, or a new one. */
const announced = async ({ table, clock }: Needs, found: Reached | undefined): Promise<Reached | undefined> => {
  const toward = formsNow();
  if (found && isDeepStrictEqual(found.toward, toward)) return found;
  return note(table, found, { forms: (found ?? first()).forms, toward, since: clock.now() });
};

/**
 * Goes on with the upgrade of the table, if it needs one. Answers whether everything is in the form of this version;
 * not if it was not the time yet, or if somebody else is at it: whoever wants it done calls again. A record that is
 * renewed keeps its values and `updated_at`, and tells no history.
 */
export const upgradeTable = async (
  needs: Needs,
  { grace, turn = Infinity, page = 500 }: Patience,
): Promise<boolean> => {
  const { table, clock } = needs;
  const end = clock.now() + turn;
  const found = await readReached(table);
  if (found && isWhole(found)) return true;
  let at = await announced(needs, found);
  while (at && clock.now() >= at.since! + grace && clock.now() < end) {
    const { forms, toward, since, after } = at;
    const { items, next } = await table.scan({ after, limit: page });
    await renewPage(table, items, at);
    const going = next ? { forms, toward: toward!, since: since!, after: next } : { forms: toward! };
    at = await note(table, at, going);
    if (at && !next) return true;
  }
  return false;
};
