/** What a record has of which nothing is stored: what is the default of its field, and null. */
import { isDeepStrictEqual } from 'node:util';

import { defaults } from '../../domain/fields.ts';
import type { AnyKind } from './kind.ts';

type Values = Readonly<Record<string, unknown>>;

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

const blanks = new WeakMap<AnyKind, Values>();

/** The values of a record of which nothing is stored, without what is kept apart; shared, and therefore frozen. */
export const blankOf = (kind: AnyKind): Values => {
  const { apart = [], fields, kept } = kind;
  const found = blanks.get(kind);
  if (found) return found;
  const values = Object.entries({ ...kept, ...defaults(fields) }).filter(([name]) => !apart.includes(name));
  const blank = freeze(Object.fromEntries(values));
  blanks.set(kind, blank);
  return blank;
};

/** Whether a value has to be stored. */
export const isTold = (kind: AnyKind, name: string, value: unknown): boolean =>
  value !== null && value !== undefined && !(kind.fields[name] && isDeepStrictEqual(value, blankOf(kind)[name]));
