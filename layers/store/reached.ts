/**
 * How far a table is in the form of this version, kind by kind: one item says it. A list of a kind that is not there yet
 * would be short, and clients take a node that is missing in a list for one that is gone; so it is refused instead
 * (ADR 16). `upgrade.ts` gets there.
 */
import { createHash } from 'node:crypto';

import { Unavailable } from '../domain/fault.ts';
import {
  absent,
  equals,
  isConditionFailed,
  type Condition,
  type Item,
  type Key,
  type Table,
} from '../platform/table.ts';
import { briefFields, indexesOf } from './entries.ts';
import type { AnyKind } from './kinds/kind.ts';
import { everyKind } from './kinds/kinds.ts';

/** Forms by the names of kinds. */
export type Forms = Readonly<Record<string, string>>;

/**
 * What is reached, and where the pass is that goes on from there: `toward` which forms, since when (ms since the epoch),
 * after which key. `step` counts the writes of this item.
 */
export type Reached = {
  readonly forms: Forms;
  readonly step: number;
  readonly toward?: Forms;
  readonly since?: number;
  readonly after?: Key;
};

export const reachedKey: Key = { pk: 'upgrade', sk: 'upgrade' };

const known = new WeakMap<AnyKind, string>();

/**
 * In which form the items of a kind and their entries are: another one if the schema was counted up, an index was added,
 * or a brief tells of other fields. What an index finds (`of`) nobody can see here: who changes that, counts up.
 */
export const formOf = (kind: AnyKind): string => {
  const found = known.get(kind);
  if (found !== undefined) return found;
  const indexes = [...indexesOf(kind)].map(([name, { brief }]) => (brief ? `${name} with brief` : name));
  const all = JSON.stringify([indexes.toSorted(), briefFields(kind).toSorted()]);
  const form = `${kind.schema}.${createHash('sha256').update(all).digest('base64url').slice(0, 12)}`;
  known.set(kind, form);
  return form;
};

/** Those of this version. */
export const formsNow = (): Forms => Object.fromEntries(everyKind.map((kind) => [kind.name, formOf(kind)]));

/** Whether all records of a kind are in its form; a kind of which nothing is said has none that are older. */
export const isThere = ({ forms }: Pick<Reached, 'forms'>, kind: AnyKind): boolean =>
  forms[kind.name] === undefined || forms[kind.name] === formOf(kind);

const toReached = ({ pk: _pk, sk: _sk, ...values }: Item): Reached => values as unknown as Reached;

const noteUnlessOthers = async (table: Table, reached: Reached, when: Condition): Promise<void> => {
  await table.write([{ put: { ...reachedKey, ...reached }, when: [when] }]).catch((error: unknown) => {
    if (!isConditionFailed(error)) throw error;
  });
};

/** The table in which nobody ever wrote is in any form; that this is so must be noted before it is not. */
const noteEmpty = async (table: Table): Promise<void> => {
  const { items, next } = await table.scan({ limit: 1 });
  if (items.length > 0 || next) return;
  await noteUnlessOthers(table, { forms: formsNow(), step: 0 }, absent);
};

/** What is noted of a table; undefined: the first version filled it, and nobody looked since. */
export const readReached = async (table: Table): Promise<Reached | undefined> => {
  const found = await table.get(reachedKey);
  if (found) return toReached(found);
  await noteEmpty(table);
  const noted = await table.get(reachedKey);
  return noted && toReached(noted);
};

/** Whether all records of all kinds are in their form. */
export const isWhole = (reached: Reached): boolean => everyKind.every((kind) => isThere(reached, kind));

/** Tables of which this process saw that they are; that stays so. */
const whole = new WeakMap<Table, Reached>();

const look = async (table: Table): Promise<Reached | undefined> => {
  const reached = whole.get(table) ?? (await readReached(table));
  if (reached && isWhole(reached)) whole.set(table, reached);
  return reached;
};

/**
 * To be called before a record is created: that a kind has none in an older form, nobody could tell later. Costs a read,
 * once a process.
 */
export const noteBeginning = async (table: Table, kind: AnyKind): Promise<void> => {
  for (;;) {
    const reached = await look(table);
    if (!reached || reached.forms[kind.name] !== undefined) return;
    const forms = { ...reached.forms, [kind.name]: formOf(kind) };
    await noteUnlessOthers(table, { ...reached, forms, step: reached.step + 1 }, equals('step', reached.step));
    whole.delete(table);
  }
};

/** Throws Unavailable (503) as long as lists of this kind may miss records. Costs a read, once a process. */
export const needLists = async (table: Table, kind: AnyKind): Promise<void> => {
  const reached = await look(table);
  if (reached && isThere(reached, kind)) return;
  throw Unavailable(
    `The lists of this table are being made anew for this version of Ingot, and that of ${kind.title.toLowerCase()} records is not complete yet: try again in a few minutes. All else works.`,
  );
};
