/** What the OpenAPI document of the Image API says besides its rows. */
import type { Book } from '../../layers/http/openapi/book.ts';
import { newest } from './root.ts';

const description = `Ingot speaks the OpenStack Image API (Glance v2). It has no microversions: which it speaks says the
document at its root. Paths in answers leave out what stands before /v2, and clients put it there again.`;

const path = (description: string) => ({ type: 'string', description });

export const book: Book = {
  title: 'Image API',
  description,
  spell: () => newest,
  error: {
    media: 'text/html',
    schema: { type: 'string', description: 'A page whose lines say what is wrong, as clients read it.' },
  },
  pages: () => ({
    first: path('Path of the first page.'),
    next: path('Path of the next page; absent on the last one.'),
    schema: path('Path of the schema.'),
  }),
  refusals: [400, 503],
  accepted: 'Accepted; the image tells how it goes on.',
};
