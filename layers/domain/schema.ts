/** Schemas read from a field table, and how a refused value is told to the client. */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import { known, type Fields } from './fields.ts';

const one = (issue: z.core.$ZodIssue): string => {
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (at === '' ? key : `${at}.${key}`));
    return `Unexpected arguments: ${names.join(', ')}.`;
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && at !== '') {
    return `Missing mandatory parameter: ${at}.`;
  }
  return at === '' ? `The request body is wrong: ${issue.message}.` : `Invalid value for ${at}: ${issue.message}.`;
};

/** The value as the schema makes it. Throws Invalid (400) that names the first field that is wrong. */
export const check = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw Invalid(one(result.error.issues[0]!));
};

const caches = new WeakMap<Fields, Map<number, z.ZodType<Record<string, unknown>>>>();

const build = (rows: Fields, version: number) =>
  z.strictObject(
    Object.fromEntries(
      known(rows, version)
        .filter(([, { access }]) => access === 'create' || access === 'update')
        // A uuid is made when none is given; what else is required can be left out only if it has a default.
        .map(([name, row]) => [
          name,
          row.required && row.default === undefined && name !== 'uuid' ? row.schema : row.schema.nullish(),
        ]),
    ),
  );

/** What POST takes at microversion 1.`version`; unknown names are refused. Absent and null mean the default. */
export const createSchema = (rows: Fields, version: number): z.ZodType<Record<string, unknown>> => {
  const made = caches.get(rows) ?? new Map<number, z.ZodType<Record<string, unknown>>>();
  caches.set(rows, made);
  const schema = made.get(version) ?? build(rows, version);
  made.set(version, schema);
  return schema;
};

/** A value for one field as PATCH leaves it: null means the default. Throws Invalid (400), also for a required field. */
export const checkField = (rows: Fields, name: string, value: unknown): unknown => {
  const row = rows[name]!;
  if (value === null || value === undefined) {
    if (row.required) throw Invalid(`${name} is mandatory, it can not be removed.`);
    return structuredClone(row.default ?? null);
  }
  return check(z.object({ [name]: row.schema }), { [name]: value })[name];
};
