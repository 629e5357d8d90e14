/** What a POST or a PUT says of records, read by the rows of their table. */
import { isDeepStrictEqual } from 'node:util';

import { Invalid } from '../../layers/domain/fault.ts';
import type { Fields } from '../../layers/domain/fields.ts';
import { allows, denied, type Owned, type Subject } from '../../layers/domain/policy.ts';
import { check, checkField, createSchema } from '../../layers/domain/schema.ts';
import { isObject } from '../../layers/domain/values.ts';

export type Values = Record<string, unknown>;

/** The one record that a body holds under its name. Throws Invalid (400). */
export const readOne = (body: Values, name: string): Values => {
  const strange = Object.keys(body).find((key) => key !== name);
  const given = body[name];
  if (strange !== undefined || !isObject(given)) {
    throw Invalid(`Unable to find '${name}' in request body: it takes an object of that name and nothing else.`);
  }
  return given;
};

/** How many records one request makes at most. */
export const maxBulk = 100;

/** The records that a body holds: one under its name, or several in a list under that of all. Throws Invalid (400). */
export const readAll = (body: Values, name: string, collection: string): { bulk: boolean; given: Values[] } => {
  if (!Object.hasOwn(body, collection)) return { bulk: false, given: [readOne(body, name)] };
  const list = body[collection];
  if (!Array.isArray(list) || list.length === 0 || list.length > maxBulk || !list.every(isObject)) {
    throw Invalid(`${collection} takes a list of 1 to ${maxBulk} objects.`);
  }
  return { bulk: true, given: list };
};

/** The project by its old name as well. Throws Invalid (400) if the two differ. */
const withProject = ({ tenant_id: old, ...given }: Values): Values => {
  if (old === undefined) return given;
  if (given['project_id'] !== undefined && given['project_id'] !== old) {
    throw Invalid("'project_id' and 'tenant_id' do not match.");
  }
  return { ...given, project_id: old };
};

const refuseReadOnly = (rows: Fields, given: Values): void => {
  const name = Object.keys(given).find((key) => Object.hasOwn(rows, key) && rows[key]!.access === 'read');
  if (name !== undefined) throw Invalid(`Attribute '${name}' not allowed in POST.`);
};

/**
 * The values of a new record, of the caller's project unless another one is named. What is null is left to the row's
 * default. Throws Invalid (400).
 */
export const readNew = (rows: Fields, given: Values, { project }: Subject): Values => {
  refuseReadOnly(rows, given);
  const values = check(createSchema(rows, 1), { project_id: project, ...withProject(given) });
  return Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? null) !== null));
};

/** The fields that a PUT changes, each checked by its row; null is the row's default. Throws Invalid (400). */
export const readChange = (rows: Fields, given: Values): Values =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!Object.hasOwn(rows, name)) throw Invalid(`Unrecognized attribute(s) '${name}'.`);
      if (rows[name]!.access !== 'update') throw Invalid(`Cannot update read-only attribute ${name}.`);
      return [name, checkField(rows, name, value)];
    }),
  );

/**
 * Refuses fields that only some may set, unless they are set to what they are in any case: what is stored, or the row's
 * default. Throws Forbidden (403).
 */
export const authorizeFields = (rows: Fields, values: Values, subject: Subject, record: Values & Owned): void => {
  for (const [name, value] of Object.entries(values)) {
    const { rule, default: usual = null } = rows[name]!;
    const was = Object.hasOwn(record, name) ? record[name] : usual;
    if (rule && !isDeepStrictEqual(value, was) && !allows(rule, subject, record)) throw denied(rule);
  }
};
