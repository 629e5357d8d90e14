/** What the OpenAPI document of the Compute API says besides its rows. */
import { DEFAULT, MAX, MIN } from '../../layers/domain/compute/versions.ts';
import type { Book } from '../../layers/http/openapi/book.ts';

const spell = (version: number): string => `2.${version}`;

const description = `Ingot speaks the OpenStack Compute API (Nova v2.1): servers are whole machines. This document describes
one microversion: ask for another with the header \`OpenStack-API-Version: compute 2.N\`, from ${spell(MIN)} to ${spell(MAX)} or
\`latest\`; without it everything is as at ${spell(DEFAULT)}.`;

const problem = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer' }, message: { type: 'string' } },
};

const link = { type: 'object', properties: { rel: { type: 'string' }, href: { type: 'string', format: 'uri' } } };

export const book: Book = {
  title: 'Compute API',
  description,
  spell,
  header: {
    name: 'OpenStack-API-Version',
    description: `compute 2.N, from ${spell(MIN)} to ${spell(MAX)}, or compute latest. X-OpenStack-Nova-API-Version: 2.N does as well.`,
    default: `compute ${spell(DEFAULT)}`,
  },
  error: {
    media: 'application/json',
    schema: {
      type: 'object',
      description: 'One key by the status, such as badRequest or itemNotFound.',
      additionalProperties: problem,
    },
  },
  pages: (list) => ({
    [`${list}_links`]: { type: 'array', items: link, description: 'The next page; absent on the last one.' },
  }),
  refusals: [400, 406, 503],
  accepted: 'Accepted; the server tells how it goes on.',
};
