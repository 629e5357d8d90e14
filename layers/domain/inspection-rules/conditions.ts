/** What each condition of a rule asks, on arguments in which everything has been replaced. */
import { Invalid } from '../fault.ts';
import { createPattern } from '../pattern.ts';
import { isSame } from '../values.ts';
import { isInSubnet } from './addresses.ts';
import { asText } from './interpolate.ts';
import type { Args, ConditionOp } from './operations.ts';

/** More text than a regular expression should have to search through. */
const maxSearched = 65_536;

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value));

/**
 * Numbers that a replacement field turned into text compare as numbers, if all of them are such. (Upstream compares the
 * texts, where "16" is less than "8".)
 */
const comparable = (values: readonly unknown[], asStrings: unknown): unknown[] => {
  if (asStrings === true) return values.map(asText);
  return values.every(isNumeric) ? values.map(Number) : [...values];
};

type Compare = (a: unknown, b: unknown) => boolean;

const chain =
  (holds: Compare) =>
  ({ values, force_strings: asStrings }: Args): boolean => {
    if (!Array.isArray(values)) throw Invalid('values must be a list.');
    const all = comparable(values, asStrings);
    return all.slice(1).every((value, at) => holds(all[at], value));
  };

/** Only numbers among themselves and texts among themselves have an order. Throws Invalid (400). */
const ordered =
  (holds: (a: number, b: number) => boolean): Compare =>
  (a, b) => {
    const alike = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
    if (!alike) throw Invalid(`${asText(a)} and ${asText(b)} have no order.`);
    return holds(a === b ? 0 : (a as number) < (b as number) ? -1 : 1, 0);
  };

const isTruth = (words: readonly string[], wanted: boolean) => (value: unknown) => {
  if (typeof value === 'boolean') return value === wanted;
  if (typeof value === 'number') return (value !== 0) === wanted;
  return typeof value === 'string' && words.includes(value.toLowerCase());
};

const isTrue = isTruth(['yes', 'true'], true);
// A field that names nothing has become the text None.
const isFalse = isTruth(['no', 'false', 'none'], false);

const isOneOf = ({ value, values }: Args): boolean => {
  if (typeof values === 'string') return values.includes(asText(value));
  if (!Array.isArray(values)) throw Invalid('values must be a list.');
  return values.some((one: unknown) => isSame(...(comparable([value, one], false) as [unknown, unknown])));
};

const search =
  (options: { isWhole: boolean }) =>
  ({ value, regex }: Args): boolean =>
    createPattern(asText(regex), options)(asText(value).slice(0, maxSearched));

/** Each may throw Invalid (400) for arguments that it can do nothing with. */
export const holds: Readonly<Record<ConditionOp, (args: Args) => boolean>> = {
  eq: chain(isSame),
  lt: chain(ordered((a, b) => a < b)),
  gt: chain(ordered((a, b) => a > b)),
  'is-empty': ({ value }) => ['', 'None', '[]', '{}'].includes(asText(value)),
  'in-net': ({ address, subnet }) => asText(address) !== 'None' && isInSubnet(asText(address), asText(subnet)),
  matches: search({ isWhole: true }),
  contains: search({ isWhole: false }),
  'one-of': isOneOf,
  'is-none': ({ value }) => asText(value) === 'None',
  'is-true': ({ value }) => isTrue(value),
  'is-false': ({ value }) => value === null || isFalse(value),
};
