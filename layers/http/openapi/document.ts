/** The OpenAPI 3.1 document of one version of an API, made of the rows that the API itself is made of. */
import { isKnown } from '../../domain/fields.ts';
import type { Book } from './book.ts';
import { methodOf, operationOf, pathOf, type Row, takenBy } from './operation.ts';
import { changeSchema, newRecordSchema, recordSchema, type Schema } from './schemas.ts';

const refused = 'Refused; the text says what is wrong and what to do.';

const componentsOf = ({ header, error: { media, schema } }: Book) => ({
  ...(header && {
    parameters: {
      version: {
        name: header.name,
        in: 'header',
        description: header.description,
        schema: { type: 'string', default: header.default },
      },
    },
  }),
  responses: { Error: { description: refused, content: { [media]: { schema } } } },
  securitySchemes: {
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    keystone: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  },
});

/** Those of the tables that some route answers with, or takes. */
const schemasOf = (routes: readonly Row[], version: number): Record<string, Schema> =>
  Object.fromEntries(
    routes.flatMap((route) => {
      const { answers } = route;
      const taken = takenBy(route);
      const record: [string, Schema][] = answers ? [[answers.name, recordSchema(answers, version)]] : [];
      if (!taken) return record;
      const make = methodOf(route) === 'POST' ? newRecordSchema : changeSchema;
      return [...record, [taken.name, make(taken.shape, version)] as [string, Schema]];
    }),
  );

const pathsOf = (book: Book, routes: readonly Row[], version: number): Record<string, Record<string, object>> => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    (paths[pathOf(route)] ??= {})[methodOf(route).toLowerCase()] = operationOf(book, route, version);
  }
  return paths;
};

/** `base`: where the API is. Routes and fields that are not there at `version` are not in it. */
export const describe = (book: Book, routes: readonly Row[], version: number, base: string): object => {
  const there = routes.filter((route) => isKnown(route, version));
  return {
    openapi: '3.1.1',
    info: {
      title: book.title,
      version: book.spell(version),
      description: book.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base }],
    security: [{ basic: [] }, { bearer: [] }, { keystone: [] }],
    paths: pathsOf(book, there, version),
    components: { ...componentsOf(book), schemas: schemasOf(there, version) },
  };
};
