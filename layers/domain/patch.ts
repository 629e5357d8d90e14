/**
 * JSON patch as Ironic takes it (ironic-api.md 1.7): add, replace and remove on the fields of a record; and `test`, which
 * Ironic has not, for who changes only what nobody else has changed. Pure.
 */
import * as z from 'zod';

import { Conflict, Invalid } from './fault.ts';
import type { Fields } from './fields.ts';
import { maskField } from './masking.ts';
import { isSame } from './values.ts';

export type Step = {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  /** The path in pieces, unescaped; the first is the field. */
  readonly pieces: readonly [string, ...string[]];
  readonly value?: unknown;
  /** How the step is named in errors. */
  readonly name: string;
};

const bodyOf = <const O extends readonly [Step['op'], ...Step['op'][]]>(ops: O) =>
  z.array(z.strictObject({ op: z.enum(ops), path: z.string(), value: z.unknown() }).partial({ value: true }));

/** The body of a PATCH. */
export const patchBody = bodyOf(['add', 'replace', 'remove', 'test']);

/** The same where nothing is tested. */
export const changingPatchBody = bodyOf(['add', 'replace', 'remove']);

export type PatchBody = z.output<typeof patchBody>;

/** Letters and digits of any script, as those of Ironic's own pattern. */
const plainPath = /^(\/[\p{L}\p{N}_-]+)+$/u;
/** Since 1.98 a key may have the escapes of RFC 6901 for ~ and /. */
const escapedPath = /^(\/([\p{L}\p{N}_-]|~[01])+)+$/u;

const piecesOf = (path: string, version: number): [string, ...string[]] => {
  if (!(version >= 98 ? escapedPath : plainPath).test(path)) {
    throw Invalid(`"${path}" is not a path of a JSON patch, such as /extra/key.`);
  }
  const pieces = path.slice(1).split('/');
  // As a key it would reach the prototype instead of the record.
  if (pieces.includes('__proto__')) throw Invalid(`"${path}" is not a path of a JSON patch: __proto__ is reserved.`);
  return pieces.map((piece) => piece.replaceAll('~1', '/').replaceAll('~0', '~')) as [string, ...string[]];
};

/** Reads the operations. Throws Invalid (400) for a path that is none, and for a missing value. */
export const readPatch = (body: PatchBody, version: number): Step[] =>
  body.map((item) => {
    const { op, path } = item;
    if (op !== 'remove' && !Object.hasOwn(item, 'value')) {
      throw Invalid(`The operation ${op} ${path} of the patch needs a value.`);
    }
    return { op, pieces: piecesOf(path, version), value: item.value, name: `${op} ${path}` };
  });

/** Throws Invalid (400) for a field that cannot be patched; the message lists those that can. */
export const refuseUnpatchable = (rows: Fields, patch: readonly Step[]): void => {
  const allowed = Object.keys(rows).filter((name) => rows[name]!.access === 'update' || rows[name]!.access === 'patch');
  for (const { pieces } of patch) {
    if (!allowed.includes(pieces[0])) {
      throw Invalid(
        `Cannot patch /${pieces.join('/')}. Only the following can be updated: ${allowed.toSorted().join(', ')}.`,
      );
    }
  }
};

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

const refuse = (step: Step, reason: string) => Invalid(`Couldn't apply patch operation "${step.name}": ${reason}.`);

/** A place in a list: a number without leading zeros, at most `last`. */
const indexOf = (step: Step, key: string, last: number): number => {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (index < 0 || index > last) throw refuse(step, `there is no element "${key}"`);
  return index;
};

const changeList = (step: Step, list: unknown[], key: string): void => {
  if (step.op === 'add') list.splice(key === '-' ? list.length : indexOf(step, key, list.length), 0, step.value);
  else if (step.op === 'remove') list.splice(indexOf(step, key, list.length - 1), 1);
  else list[indexOf(step, key, list.length - 1)] = step.value;
};

const changeObject = (step: Step, object: Record<string, unknown>, key: string): void => {
  // It would be the prototype, and lost.
  if (key === '__proto__') throw refuse(step, `"${key}" cannot be stored`);
  if (step.op !== 'add' && !Object.hasOwn(object, key)) throw refuse(step, `there is no "${key}"`);
  if (step.op === 'remove') delete object[key];
  else object[key] = step.value;
};

const enter = (step: Step, from: unknown, key: string): unknown => {
  if (Array.isArray(from)) return from[indexOf(step, key, from.length - 1)];
  if (isContainer(from) && Object.hasOwn(from, key)) return (from as Record<string, unknown>)[key];
  throw refuse(step, `there is no "${key}"`);
};

/** What a path leads to; undefined: nothing. */
const valueAt = (root: unknown, keys: readonly string[]): unknown =>
  keys.reduce(
    (from: unknown, key) => (isContainer(from) && Object.hasOwn(from, key) ? from[key as never] : undefined),
    root,
  );

/** Secrets are compared as they are shown, so that nobody finds one by trying. */
const requireSame = (step: Step, rows: Fields, value: unknown): void => {
  const [field, ...keys] = step.pieces;
  const found = valueAt(maskField(rows[field]?.masked, value ?? null), keys);
  if (found !== undefined && isSame(found, step.value)) return;
  throw Conflict(`Couldn't apply patch operation "${step.name}": it is something else by now.`);
};

const changeInside = (step: Step, root: unknown): void => {
  const keys = step.pieces.slice(1);
  const last = keys.pop()!;
  const parent = keys.reduce((from: unknown, key) => enter(step, from, key), root);
  if (!isContainer(parent)) throw refuse(step, `"${step.pieces.at(-2)}" has no parts`);
  if (Array.isArray(parent)) changeList(step, parent, last);
  else changeObject(step, parent, last);
};

/**
 * The fields that the patch changes, as it leaves them; a removed one is null. Applied one operation after the other
 * on copies, the record stays as it is. Values are not checked here. Throws Invalid (400) that names the operation,
 * Conflict (409) for a test that fails.
 */
export const applyPatch = (record: object, patch: readonly Step[], rows: Fields): Record<string, unknown> => {
  const changed: Record<string, unknown> = {};
  for (const step of patch) {
    const [field] = step.pieces;
    if (step.op === 'test') {
      requireSame(
        step,
        rows,
        Object.hasOwn(changed, field) ? changed[field] : (record as Record<string, unknown>)[field],
      );
      continue;
    }
    if (!Object.hasOwn(changed, field)) {
      changed[field] = structuredClone((record as Record<string, unknown>)[field] ?? null);
    }
    const value = step.op === 'remove' ? null : structuredClone(step.value);
    if (step.pieces.length === 1) changed[field] = value;
    else changeInside({ ...step, value }, changed[field]);
  }
  return changed;
};
