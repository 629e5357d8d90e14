/** What clients ask about the API: how data gets in, where it is kept, and the schemas of what is answered. */
import * as z from 'zod';

import { NotFound } from '../../layers/domain/fault.ts';
import type { Fields } from '../../layers/domain/fields.ts';
import { image } from '../../layers/domain/image/image.ts';
import { member } from '../../layers/domain/image/member.ts';
import { route, type Route } from './route.ts';
import { schemasPath } from './view.ts';

export const importMethods = ['web-download', 'glance-direct'] as const;
export type ImportMethod = (typeof importMethods)[number];

/** Fields that are null until something is known; a client that checks answers by their schema has to know. */
const isNullable = ({ default: standard, required, computed }: Fields[string]): boolean =>
  standard === undefined && !required && !computed;

const propertyOf = (row: Fields[string]): object => {
  const {
    $schema: _schema,
    type,
    enum: words,
    ...rest
  } = z.toJSONSchema(row.schema, { io: 'input' }) as Record<string, unknown>;
  const nullable = isNullable(row);
  return {
    type: nullable ? ['null', type] : type,
    ...(words !== undefined && { enum: nullable ? [null, ...(words as unknown[])] : words }),
    ...rest,
    description: row.doc,
    ...(row.access === 'read' && { readOnly: true }),
  };
};

const propertiesOf = (rows: Fields): object =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, propertyOf(row)]));

const imageSchema = {
  name: 'image',
  properties: propertiesOf(image),
  additionalProperties: { type: 'string' },
  links: [
    { rel: 'self', href: '{self}' },
    { rel: 'enclosure', href: '{file}' },
    { rel: 'describedby', href: '{schema}' },
  ],
};

const memberSchema = { name: 'member', properties: propertiesOf(member) };

const text = { type: 'string' };
const describedBy = { rel: 'describedby', href: '{schema}' };

/** By their names. */
const schemas = {
  image: imageSchema,
  images: {
    name: 'images',
    properties: { images: { type: 'array', items: imageSchema }, first: text, next: text, schema: text },
    links: [{ rel: 'first', href: '{first}' }, { rel: 'next', href: '{next}' }, describedBy],
  },
  member: memberSchema,
  members: {
    name: 'members',
    properties: { members: { type: 'array', items: memberSchema }, schema: text },
    links: [describedBy],
  },
};

export const infoRoutes: readonly Route[] = [
  ...Object.entries(schemas).map(([name, schema]) =>
    route({
      at: `GET ${schemasPath}/${name}`,
      policy: 'get_images',
      doc: `JSON schema of ${name}`,
      handle: async () => ({ body: schema }),
    }),
  ),
  route({
    at: 'GET /v2/info/import',
    policy: 'get_images',
    doc: 'import methods',
    handle: async () => ({
      body: { 'import-methods': { description: 'Import methods available.', type: 'array', value: importMethods } },
    }),
  }),
  route({
    at: 'GET /v2/info/stores',
    policy: 'get_images',
    doc: 'stores: there is one only',
    refuses: 404,
    handle: async () => {
      throw NotFound('Multi backend is not supported at this site.');
    },
  }),
];
