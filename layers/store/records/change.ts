/**
 * The one way to write records. A decision is a function of the record as it is stored; it is written only if nobody
 * wrote in between, else it is made again with what is there by then. So no concurrent change is ever lost.
 */
import { Conflict, isRefusal } from '../../domain/fault.ts';
import { isoTime } from '../../domain/values.ts';
import { maxWrites } from '../../platform/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import { equals, isConditionFailed, type Item, type Table, type Write } from '../../platform/table.ts';
import { entryChanges } from '../entries.ts';
import { guardsOf } from '../guards.ts';
import { homeOf, placeOf, storedForm, toRecord } from '../kinds/form.ts';
import { keyOf, partitionOf, type Kept, type Kind, type KindOf } from '../kinds/kind.ts';
import { kindAt } from '../kinds/kinds.ts';
import { missing, readRecord, readToChange } from './find.ts';
import { noteBeginning } from '../reached.ts';
import { nextForm, planOf, type Change, type Planned } from './plan.ts';

export type Needs = Pick<Platform, 'table' | 'clock' | 'chance' | 'ids'>;

/** The record around the one write that counts; one and the same form if nothing was to be changed. */
export type Changed<R> = { readonly before: R; readonly after: R };

/** What is decided on: the record, unless it is new, and what it belongs to, as they were read. */
type Seen<R, H> = { readonly before?: R; readonly home: H | undefined };

/**
 * What is to be written; without `after` the record goes. `along`: removals of what goes with it, in groups.
 */
type Step<R> = { readonly after?: R; readonly change: Change<R>; readonly along?: readonly Write[][] };

/** Each loss means that somebody else has made progress; so many in a row mean that something is wrong. */
const maxTries = 50;
/** The wait before the next try is by chance and grows by so many milliseconds with each. */
const pause = 5;

const planStep = async <R extends Kept>(
  { table, clock, ids }: Needs,
  kind: KindOf<R>,
  { before, home }: Seen<R, Kept>,
  { after, change }: Step<R>,
): Promise<Planned[]> => {
  const brought = before ? await kind.brings?.(table, before, after) : [];
  const all = { ...change, beside: [...(change.beside ?? []), ...(brought ?? [])] };
  const plan = planOf(kind, { before, after }, all, { at: isoTime(clock.now()), ids });
  if (!home) return plan;
  // Whoever began to work on it meanwhile has counted its revision.
  const check: Write = { check: keyOf(kind.home!.kind, home.uuid), when: [equals('revision', home.revision)] };
  return [{ write: check }, ...plan];
};

/** Puts groups of writes into as few transactions as take them; a group is never torn apart. */
const pack = (groups: readonly Write[][]): Write[][] => {
  const packed: Write[][] = [];
  for (const group of groups) {
    const last = packed.at(-1);
    if (last && last.length + group.length <= maxWrites) last.push(...group);
    else packed.push([...group]);
  }
  return packed;
};

const writeStep = async (table: Table, plan: readonly Planned[], along: readonly Write[][] = []): Promise<void> => {
  const [first, ...rest] = pack([plan.map(({ write }) => write), ...along]);
  await table.write(first!).catch((error: unknown) => {
    throw (isConditionFailed(error) && plan[error.index]?.refused?.(error)) || error;
  });
  for (const writes of rest) await table.write(writes);
};

/** Whether the record or what it belongs to is not any more as it was when it was decided on. */
const isOutdated = async <R extends Kept>(table: Table, kind: KindOf<R>, { before, home }: Seen<R, Kept>) => {
  const read = [
    ...(before ? [{ key: placeOf(kind, before), was: before }] : []),
    ...(home ? [{ key: keyOf(kind.home!.kind, home.uuid), was: home }] : []),
  ];
  const now = await table.getMany(read.map(({ key }) => key));
  return read.some(({ was }, at) => now[at]?.['revision'] !== was.revision);
};

/**
 * Decides on what is there and writes it, again as long as others are faster; a refusal, too, counts only if it is one
 * of what is there. `decide` wants nothing to be written by answering undefined. Throws what it throws, Conflict (409).
 */
const make = async <R extends Kept, S extends Seen<R, Kept>, T extends Step<R> | undefined>(
  needs: Needs,
  kind: KindOf<R>,
  uuid: string,
  look: () => Promise<S>,
  decide: (seen: S) => Promise<T>,
): Promise<{ readonly seen: S; readonly step: T }> => {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await look();
    try {
      const step = await decide(seen);
      if (step) await writeStep(needs.table, await planStep(needs, kind, seen, step), step.along);
      return { seen, step };
    } catch (error) {
      const isLost = isConditionFailed(error) || (isRefusal(error) && (await isOutdated(needs.table, kind, seen)));
      if (!isLost) throw error;
      if (attempt >= maxTries) {
        throw Conflict(`${kind.title} ${uuid} is being changed by others all the time, try again.`, error);
      }
      await needs.clock.sleep(needs.chance.number() * pause * attempt);
    }
  }
};

/** What a record belongs to. Throws NotFound (404) if that is gone. */
const homeRecord = async <R extends Kept, H extends Kept>(
  table: Table,
  { home }: Kind<R, H>,
  record: R,
): Promise<H | undefined> => {
  if (!home) return undefined;
  const uuid = homeOf({ home }, record)!;
  const found = await readRecord(table, home.kind, uuid);
  if (!found) throw missing(home.kind, uuid);
  return found;
};

/** The record and what it belongs to. Throws NotFound (404). */
const lookAt = async <R extends Kept, H extends Kept>(table: Table, kind: Kind<R, H>, uuid: string) => {
  const before = await readToChange(table, kind, uuid);
  if (!before) throw missing(kind, uuid);
  return { before, home: await homeRecord(table, kind, before) };
};

/** What `change` asks; it may be asked several times, so it has no effects. Nothing: leave it as it is. */
export type Decide<R, H> = (before: R, home: H) => Change<R> | undefined | Promise<Change<R> | undefined>;
/** What `create` and `remove` ask: whether they may, and what else goes into the same transaction. */
type Permit<R, About extends readonly unknown[]> = (...about: About) => Change<R> | void | Promise<Change<R> | void>;

const nothing = () => undefined;

/**
 * Stores a new record and gives it back; `permit` refuses by throwing, and sets what has to be chosen anew with each try.
 * Throws Conflict (409) if a unique value is taken, NotFound (404) without what it belongs to, Invalid (400) without what
 * it refers to.
 */
export const createRecord = async <R extends Kept, H extends Kept>(
  needs: Needs,
  kind: Kind<R, H>,
  record: R,
  permit: NoInfer<Permit<R, [home: H]>> = nothing,
): Promise<R> => {
  await noteBeginning(needs.table, kind);
  const look = async () => ({ home: await homeRecord(needs.table, kind, record) });
  const { step } = await make(needs, kind, record.uuid, look, async ({ home }) => {
    const change = (await permit(home!)) ?? {};
    return { after: { ...record, ...change.set }, change };
  });
  return step.after;
};

/**
 * Changes the record of this UUID by what `decide` makes of it; it refuses by throwing. Throws NotFound (404), Conflict
 * (409) for a taken value, Invalid (400) without what it then refers to.
 */
export const changeRecord = async <R extends Kept, H extends Kept>(
  needs: Needs,
  kind: Kind<R, H>,
  uuid: string,
  decide: NoInfer<Decide<R, H>>,
): Promise<Changed<R>> => {
  const look = async () => lookAt(needs.table, kind, uuid);
  const { seen, step } = await make(needs, kind, uuid, look, async ({ before, home }) => {
    const wanted = await decide(before, home!);
    return wanted && { after: nextForm(kind, before, wanted, isoTime(needs.clock.now())), change: wanted };
  });
  return { before: seen.before, after: step?.after ?? seen.before };
};

/** The removal of an item, with the unique values that its record holds and the entries by which lists find it. */
const removal = (item: Item): Write[] => {
  const kind = kindAt(item);
  const gone: Write[] = [{ delete: { pk: item.pk, sk: item.sk } }];
  if (!kind) return gone;
  const record = toRecord<Kept>(kind, item);
  return [
    ...gone,
    ...guardsOf(kind.fields, record).map(({ key }) => ({ delete: key })),
    ...entryChanges(kind, { record, home: homeOf(kind, record), places: storedForm(record)!.places }, undefined),
  ];
};

/**
 * Removes a record and what belongs to it; `permit` refuses by throwing, and is asked again if somebody changed it or
 * began to refer to it meanwhile. Records go with it as far as a transaction takes them, so that no unique
 * value is left taken by nothing; the rest is swept after it, with what came in between. Returns what was removed.
 * Throws NotFound (404).
 */
export const removeRecord = async <R extends Kept, H extends Kept>(
  needs: Needs,
  kind: Kind<R, H>,
  uuid: string,
  permit: NoInfer<Permit<R, [before: R, home: H]>> = nothing,
): Promise<R> => {
  const others = async () =>
    (await needs.table.query({ partition: partitionOf(kind, uuid) })).filter(({ sk }) => sk !== kind.name);
  const look = async () => lookAt(needs.table, kind, uuid);
  const { seen } = await make(needs, kind, uuid, look, async ({ before, home }) => {
    const change = (await permit(before, home!)) ?? {};
    const holders = kind.holds ? (await others()).filter(kindAt) : [];
    return { change, along: holders.map(removal) };
  });
  if (kind.holds) for (const writes of pack((await others()).map(removal))) await needs.table.write(writes);
  return seen.before;
};
