/** What the OpenAPI document of the Network API says besides its rows. */
import type { Book } from '../../layers/http/openapi/book.ts';

const description = `Ingot speaks the OpenStack Networking API (Neutron v2.0), as far as machines have networks. It has no
microversions: what there is of Neutron's extensions says /v2.0/extensions.`;

const text = { type: 'string' };
const link = { type: 'object', properties: { rel: text, href: { type: 'string', format: 'uri' } } };

export const book: Book = {
  title: 'Network API',
  description,
  spell: () => '2.0',
  error: {
    media: 'application/json',
    schema: {
      type: 'object',
      properties: {
        NeutronError: {
          type: 'object',
          required: ['type', 'message', 'detail'],
          properties: { type: text, message: text, detail: text },
        },
      },
    },
  },
  pages: (list) => ({
    [`${list}_links`]: { type: 'array', items: link, description: 'The pages around this one.' },
  }),
  refusals: [400, 503],
  accepted: 'Accepted.',
};
