/** Schemas read from a field table, and how a refused value is told to the client. */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import { known, wireName, type Fields } from './fields.ts';

type Issue = z.core.$ZodIssue;

/** What is counted of each kind of value; numbers are their own size. */
const units: Readonly<Record<string, readonly [one: string, more: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const bound = (issue: Issue & { code: 'too_small' | 'too_big' }): string => {
  const [word, limit] = issue.code === 'too_small' ? ['least', issue.minimum] : ['most', issue.maximum];
  const unit = units[issue.origin];
  return unit === undefined
    ? `must be at ${word} ${limit}`
    : `must have at ${word} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`;
};

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a JSON object',
  record: 'a JSON object',
  string: 'text',
};

/** What is wrong, in words of the API; a row's own message (`must be ...`) stays as it is. */
const reasonOf = (issue: Issue): string => {
  if (issue.message.startsWith('must ')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    default:
      return issue.message;
  }
};

const one = (issue: Issue): string => {
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (at === '' ? key : `${at}.${key}`));
    return `Unexpected arguments: ${names.join(', ')}.`;
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && at !== '') {
    return `Missing mandatory parameter: ${at}.`;
  }
  const reason = reasonOf(issue);
  if (at !== '') return `Invalid value for ${at}: ${reason}.`;
  return `The request body is wrong: ${reason.startsWith('must ') ? 'it ' : ''}${reason}.`;
};

/** The value as the schema makes it. Throws Invalid (400) that names the first field that is wrong. */
export const check = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw Invalid(one(result.error.issues[0]!));
};

const caches = new WeakMap<Fields, Map<number, z.ZodType<Record<string, unknown>>>>();

const build = (rows: Fields, version: number) => {
  const taken = known(rows, version).filter(
    ([, { access, givenSince = 1 }]) => (access === 'create' || access === 'update') && givenSince <= version,
  );
  const schema = z.strictObject(
    Object.fromEntries(
      // A uuid is made when none is given; what else is required can be left out only if it has a default.
      taken.map(([name, row]) => [
        wireName(name, row),
        row.required && row.default === undefined && name !== 'uuid' ? row.schema : row.schema.nullish(),
      ]),
    ),
  );
  if (taken.every(([, { extension }]) => extension === undefined)) return schema;
  const names = new Map(taken.map(([name, row]) => [wireName(name, row), name]));
  return schema.transform((values) =>
    Object.fromEntries(Object.entries(values).map(([called, value]) => [names.get(called)!, value])),
  );
};

/** What POST takes at a microversion; unknown names are refused. Absent and null mean the default. */
export const createSchema = (rows: Fields, version: number): z.ZodType<Record<string, unknown>> => {
  const made = caches.get(rows) ?? new Map<number, z.ZodType<Record<string, unknown>>>();
  caches.set(rows, made);
  const schema = made.get(version) ?? build(rows, version);
  made.set(version, schema);
  return schema;
};

/** The same of a body that is one record under its name, for each version. */
export const namedSchema = (
  name: string,
  rows: Fields,
): ((version: number) => z.ZodType<Record<string, Record<string, unknown>>>) => {
  const made = new Map<number, z.ZodType<Record<string, Record<string, unknown>>>>();
  return (version) => {
    const schema = made.get(version) ?? z.strictObject({ [name]: createSchema(rows, version) });
    made.set(version, schema);
    return schema;
  };
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
