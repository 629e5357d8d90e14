/** JSON Schemas of what goes over the wire, read from the field tables as they are at one microversion. */
import { toJSONSchema, type ZodType } from 'zod';

import { known, type Field, type Fields } from '../../../layers/domain/fields.ts';
import { createSchema } from '../../../layers/domain/schema.ts';
import { bool } from '../../../layers/domain/values.ts';

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

/** A field with a default is never null in an answer, nor is one that has to be there. */
const shown = ({ schema, doc, access, required, default: standard }: Field): Schema => ({
  ...(required || standard !== undefined ? answered(schema) : nullable(answered(schema))),
  description: doc,
  ...(access === 'read' && { readOnly: true }),
});

/** A record as answers show it: whole, or, in lists, a part of it. */
export const recordSchema = (rows: Fields, version: number): Schema => ({
  type: 'object',
  properties: Object.fromEntries(known(rows, version).map(([name, row]) => [name, shown(row)])),
});

/** What POST takes. */
export const newRecordSchema = (rows: Fields, version: number): Schema => {
  const { properties, ...schema } = schemaOf(createSchema(rows, version)) as { properties: Record<string, Schema> };
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { ...property, ...(rows[name] && { description: rows[name].doc }) },
  ]);
  return { ...schema, properties: Object.fromEntries(described) };
};
