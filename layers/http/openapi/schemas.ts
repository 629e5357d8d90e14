/** JSON Schemas of what goes over the wire, read from the field tables as they are at one version. */
import { toJSONSchema, type ZodType } from 'zod';

import { known, type Field, wireName } from '../../domain/fields.ts';
import { createSchema } from '../../domain/schema.ts';
import { bool } from '../../domain/values.ts';
import type { Shape } from '../route.ts';

export type Schema = { readonly [keyword: string]: unknown };

/** What a client sends; a check that JSON Schema has no words for is left out. */
export const schemaOf = (type: ZodType): Schema => {
  const { $schema: _dialect, ...schema } = toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  return schema;
};

const nullable = (schema: Schema): Schema =>
  typeof schema['type'] === 'string' && !('enum' in schema) && !('const' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

/** Answers have true and false where requests may also have words for them. */
const answered = (type: ZodType): Schema => (type === bool ? { type: 'boolean' } : schemaOf(type));

/** A field with a default is never null in an answer, nor is one that has to be there, but to those it is withheld from. */
const mayBeNull = ({ required, default: standard, withheld }: Field): boolean =>
  (!required && standard === undefined) || withheld?.notice === null;

const shown = (row: Field, version: number): Schema => {
  const { schema, shownAs = schema, doc, access } = row;
  const type = answered(typeof shownAs === 'function' ? shownAs(version) : shownAs);
  return {
    ...(mayBeNull(row) ? nullable(type) : type),
    description: doc,
    ...(access === 'read' && { readOnly: true }),
  };
};

/** Other keys, of a record that may have any. */
const rest = ({ open }: Shape): Schema => (open ? { additionalProperties: schemaOf(open) } : {});

/** A record as answers show it: whole, or, in lists or to some, a part of it. */
export const recordSchema = (shape: Shape, version: number): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    [shape.rows, shape.also ?? {}].flatMap((rows) =>
      known(rows, version).map(([name, row]) => [wireName(name, row), shown(row, version)] as const),
    ),
  ),
  ...rest(shape),
});

/** What POST takes. */
export const newRecordSchema = (shape: Shape, version: number): Schema => {
  const { rows } = shape;
  const docs = new Map(known(rows, version).map(([name, row]) => [wireName(name, row), row.doc]));
  const { properties, ...schema } = schemaOf(createSchema(rows, version)) as { properties: Record<string, Schema> };
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...property, ...(docs.has(name) && { description: docs.get(name) }) },
  ]);
  return { ...schema, properties: Object.fromEntries(described), ...rest(shape) };
};

/** What PUT takes: what may be changed, of which nothing has to be there. Null is the default. */
export const changeSchema = (shape: Shape, version: number): Schema => {
  const changed = known(shape.rows, version).filter(([, { access }]) => access === 'update' || access === 'patch');
  const properties = changed.map(([name, { schema, doc }]) => [
    name,
    { ...nullable(schemaOf(schema)), description: doc },
  ]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false, ...rest(shape) };
};
