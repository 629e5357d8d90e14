/** A record of a source's API as a record of a batch: what this version has a field for, with its secrets. */
import type { Fields } from '../../layers/domain/fields.ts';
import { isSame } from '../../layers/domain/values.ts';
import type { Values } from './api.ts';
import { originalOf } from './fence.ts';
import { type IronicResource, type ResourceName, resources } from './fields.ts';
import { fill, type Path } from './secrets.ts';

/** Nodes whose field has the one value get the other: what a source has and this version has not. */
export type Replacement = { readonly field: string; readonly from: string; readonly to: string };

/** As an operator reads of it; what was replaced, too. */
export type Read = {
  readonly record: Values;
  /** The same as the source shows it. */
  readonly masked: Values;
  /** What is masked, and nowhere known. */
  readonly missing: readonly Path[];
  /** Fields with a value that this version has no place for. */
  readonly strange: readonly string[];
};

const isNothing = (value: unknown): boolean =>
  (value ?? null) === null || value === '' || value === false || isSame(value, {}) || isSame(value, []);

const replaced = (node: Values, replacements: readonly Replacement[]): Values => {
  const due = replacements.filter(({ field, from }) => node[field] === from);
  return { ...node, ...Object.fromEntries(due.map(({ field, to }) => [field, to])) };
};

/** What an API says in place of what who asks may not see. Such a value is as good as masked. */
const isRedacted = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'redacted_contents');

const isKnown = (value: unknown): boolean => (value ?? '') !== '';

const filled = (name: string, shown: unknown, record: Values, clear: Values) => {
  // A sensitive rule shows nothing of itself; it may have no conditions.
  const isGone = (shown ?? null) === null && record['sensitive'] === true;
  if (!isGone && !isRedacted(shown)) return fill(shown, clear[name], [name]);
  if (isKnown(clear[name])) return { value: clear[name], missing: [] };
  return { value: undefined, missing: Object.values(clear).some(isKnown) ? [] : [[name]] };
};

/** Even where the UUID is made anew (history), it tells one from another. */
const carried = (name: string, { left }: IronicResource): boolean => name === 'uuid' || !Object.hasOwn(left, name);

/** For people: a record is told by it, or else by its UUID. */
export const nameOf = ({ name }: Values): string | null => (typeof name === 'string' ? name : null);

/** The record of a resource of this name; `clear`: what is known of its secrets. */
export const readShown = (
  name: ResourceName,
  shown: Values,
  clear: Values = {},
  replacements: readonly Replacement[] = [],
): Read => {
  const resource: IronicResource = resources[name];
  const rows: Fields = resource.fields;
  const given = name === 'node' ? replaced(originalOf(shown), replacements) : shown;
  const own = Object.keys(rows).filter((field) => !rows[field]!.computed && carried(field, resource));
  const parts = own.map((field) => ({
    field,
    ...(resource.secrets.includes(field)
      ? filled(field, given[field], given, clear)
      : { value: given[field], missing: [] }),
  }));
  const there = parts.filter(({ value }) => (value ?? null) !== null);
  return {
    record: Object.fromEntries(there.map(({ field, value }) => [field, value])),
    masked: Object.fromEntries(own.map((field) => [field, given[field]])),
    missing: parts.flatMap(({ missing }) => missing),
    strange: Object.keys(given).filter((field) => !Object.hasOwn(rows, field) && !isNothing(given[field])),
  };
};
