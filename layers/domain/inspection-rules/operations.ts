/**
 * Conditions and actions of inspection rules (ironic-api.md 9) as one table of their arguments, and the form in which
 * clients give them. A rule is checked when it is stored, as far as it can be without the machine it will meet.
 */
import * as z from 'zod';

import { isFault } from '../fault.ts';
import { createPattern } from '../pattern.ts';
import { json } from '../values.ts';
import { hasFields, interpolate } from './interpolate.ts';
import { checkNodePath, checkPortPath } from './paths.ts';

type Arguments = { readonly needs: readonly string[]; readonly takes?: readonly string[] };

const comparison: Arguments = { needs: ['values'], takes: ['force_strings'] };
const value: Arguments = { needs: ['value'] };
const regex: Arguments = { needs: ['value', 'regex'] };

export const conditionOps = {
  eq: comparison,
  lt: comparison,
  gt: comparison,
  'is-empty': value,
  'in-net': { needs: ['address', 'subnet'] },
  matches: regex,
  contains: regex,
  'one-of': { needs: ['value', 'values'] },
  'is-none': value,
  'is-true': value,
  'is-false': value,
} as const satisfies Record<string, Arguments>;

const named: Arguments = { needs: ['name'] };
const set: Arguments = { needs: ['path', 'value'] };
const extend: Arguments = { needs: ['path', 'value'], takes: ['unique'] };
const remove: Arguments = { needs: ['path'] };

export const actionOps = {
  fail: { needs: ['msg'] },
  log: { needs: ['msg'], takes: ['level'] },
  'set-attribute': set,
  'extend-attribute': extend,
  'del-attribute': remove,
  'set-capability': { needs: ['name', 'value'] },
  'unset-capability': named,
  'add-trait': named,
  'remove-trait': named,
  'set-plugin-data': set,
  'extend-plugin-data': extend,
  'unset-plugin-data': remove,
  'set-port-attribute': { needs: ['port_id', 'path', 'value'] },
  'extend-port-attribute': { needs: ['port_id', 'path', 'value'], takes: ['unique'] },
  'del-port-attribute': { needs: ['port_id', 'path'] },
} as const satisfies Record<string, Arguments>;

export type ConditionOp = keyof typeof conditionOps;
export type ActionOp = keyof typeof actionOps;

type Operation = { readonly op: string; readonly args: unknown };
export type Loop = readonly unknown[] | Readonly<Record<string, unknown>>;
export type Multiple = 'any' | 'all' | 'first' | 'last';

/** As they were sent. A loop over nothing is none. */
export type Condition = Operation & {
  readonly loop?: Loop | null | undefined;
  readonly multiple?: Multiple | null | undefined;
};
export type Action = Operation & { readonly loop?: Loop | null | undefined };
export type Args = Readonly<Record<string, unknown>>;

/** A condition's op without the exclamation mark that inverts it; undefined for an unknown one. */
export const readConditionOp = (given: string): { op: ConditionOp; inverted: boolean } | undefined => {
  const [, mark, op] = /^\s*(!?)\s*([a-z-]+)\s*$/.exec(given) ?? [];
  if (op === undefined || !Object.hasOwn(conditionOps, op)) return undefined;
  return { op: op as ConditionOp, inverted: mark === '!' };
};

/** The arguments in the order of their names. A comparison's list may also be what is compared. */
const inPlace = (given: readonly unknown[], { needs, takes = [] }: Arguments): Args => {
  if (needs[0] === 'values' && !Array.isArray(given[0])) return { values: given };
  const names = [...needs, ...takes];
  return Object.fromEntries(given.map((one, at) => [names[at] ?? `argument ${at + 1}`, one]));
};

/** The arguments by name, however they were given. */
export const namedArgs = (given: unknown, row: Arguments): Args =>
  Array.isArray(given) ? inPlace(given, row) : (given as Args);

/** Why the arguments are not those of the operation; undefined if they are. */
const misfit = (args: Args, { needs, takes = [] }: Arguments): string | undefined => {
  const missing = needs.filter((name) => !Object.hasOwn(args, name));
  const strange = Object.keys(args).filter((name) => !needs.includes(name) && !takes.includes(name));
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return strange.length > 0 ? `does not take ${strange.join(', ')}` : undefined;
};

/** What is only known once the rule meets a machine is not checked before. */
const isFixed = (text: unknown): text is string => typeof text === 'string' && !text.includes('{');

/** Braces belong to regular expressions too: this one has no other. */
const isFixedPattern = (text: unknown): text is string => typeof text === 'string' && !hasFields(text);

const checkFixed = (op: string, { path, regex: pattern }: Args): void => {
  if (isFixedPattern(pattern)) createPattern(interpolate(pattern, {}, []) as string);
  if (isFixed(path) && op.endsWith('-port-attribute')) checkPortPath(path);
  else if (isFixed(path) && op.endsWith('-attribute')) checkNodePath(path);
};

const complaint = (op: string, rows: Readonly<Record<string, Arguments>>, given: unknown): string | undefined => {
  // It would let whoever writes rules make this service call addresses that only this service can reach.
  if (op === 'api-call') return 'api-call is not possible here: this service does not call addresses given by clients';
  const row = Object.hasOwn(rows, op) ? rows[op] : undefined;
  if (!row) return `"${op}" is unknown, there are ${Object.keys(rows).join(', ')}`;
  const args = namedArgs(given, row);
  const wrong = misfit(args, row);
  if (wrong) return `${op} ${wrong}`;
  try {
    checkFixed(op, args);
    return undefined;
  } catch (error) {
    if (isFault(error)) return `${op}: ${error.message.replace(/\.$/, '')}`;
    throw error;
  }
};

const args = z.union([z.array(z.unknown()), json], { error: 'must be an object of named arguments, or a list' });
const loop = z.union([z.array(z.unknown()), json], { error: 'must be a list or an object' });

/** The `conditions` of a rule. */
export const conditions: z.ZodType<Condition[]> = z.array(
  z
    .strictObject({
      op: z.string(),
      args,
      loop: loop.nullish(),
      multiple: z.enum(['any', 'all', 'first', 'last']).nullish(),
    })
    .superRefine((given, context) => {
      const known = readConditionOp(given.op);
      const message = complaint(known?.op ?? given.op, conditionOps, given.args);
      if (message) context.addIssue({ code: 'custom', message });
    }),
);

/** The `actions` of a rule. */
export const actions: z.ZodType<Action[]> = z
  .array(
    z.strictObject({ op: z.string(), args, loop: loop.nullish() }).superRefine((given, context) => {
      const message = complaint(given.op, actionOps, given.args);
      if (message) context.addIssue({ code: 'custom', message });
    }),
  )
  .refine((given) => given.length > 0, 'must have at least one action');
