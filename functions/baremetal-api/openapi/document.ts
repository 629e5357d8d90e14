/** The OpenAPI 3.1 document of one microversion, made of the rows that the API itself is made of. */
import { MAX, MIN } from '../../../layers/domain/versions.ts';
import { methodOf, operationOf, pathOf, type Row } from './operation.ts';
import { newRecordSchema, recordSchema, type Schema } from './schemas.ts';

const description = `Ingot speaks the OpenStack Bare Metal API (Ironic v1). This document describes one microversion:
ask for another with the header \`X-OpenStack-Ironic-API-Version\`, from 1.${MIN} to 1.${MAX} or \`latest\`; without it
everything is as at 1.1.`;

const errorText =
  'JSON of its own, as text: {"faultcode", "faultstring", "debuginfo"}, or of a router {"code", "title", "description"}.';

const components = {
  parameters: {
    version: {
      name: 'X-OpenStack-Ironic-API-Version',
      in: 'header',
      description: `Microversion, 1.${MIN} to 1.${MAX} or latest. OpenStack-API-Version: baremetal 1.N does as well.`,
      schema: { type: 'string', default: '1.1' },
    },
  },
  responses: {
    Error: {
      description: 'Refused; the text says what is wrong and what to do.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { error_message: { type: 'string', description: errorText } },
          },
        },
      },
    },
  },
  securitySchemes: {
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    keystone: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  },
};

const exists =
  (version: number) =>
  ({ since = 1 }: { readonly since?: number }) =>
    since <= version;

/** Those of the tables that some route answers with. */
const schemasOf = (routes: readonly Row[], version: number): Record<string, Schema> =>
  Object.fromEntries(
    routes.flatMap((route) => {
      if (!route.answers) return [];
      const { name, rows } = route.answers;
      const record: [string, Schema] = [name, recordSchema(rows, version)];
      const isNew = methodOf(route) === 'POST' && route.body;
      return isNew ? [record, [`${name}Create`, newRecordSchema(rows, version)]] : [record];
    }),
  );

const pathsOf = (routes: readonly Row[], version: number): Record<string, Record<string, object>> => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    (paths[pathOf(route)] ??= {})[methodOf(route).toLowerCase()] = operationOf(route, version);
  }
  return paths;
};

/** `base`: where the API is. Routes and fields newer than 1.`version` are not in it. */
export const describe = (routes: readonly Row[], version: number, base: string): object => {
  const there = routes.filter(exists(version));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Bare Metal API',
      version: `1.${version}`,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base }],
    security: [{ basic: [] }, { bearer: [] }, { keystone: [] }],
    paths: pathsOf(there, version),
    components: { ...components, schemas: schemasOf(there, version) },
  };
};
