/** What the OpenAPI document of the Bare Metal API says besides its rows. */
import { DEFAULT, MAX, MIN } from '../../layers/domain/versions.ts';
import type { Book } from '../../layers/http/openapi/book.ts';

const spell = (version: number): string => `1.${version}`;

const description = `Ingot speaks the OpenStack Bare Metal API (Ironic v1). This document describes one microversion:
ask for another with the header \`X-OpenStack-Ironic-API-Version\`, from ${spell(MIN)} to ${spell(MAX)} or \`latest\`; without it
everything is as at ${spell(DEFAULT)}.`;

const errorText =
  'JSON of its own, as text: {"faultcode", "faultstring", "debuginfo"}, or of a router {"code", "title", "description"}.';

const next = { type: 'string', format: 'uri', description: 'The next page; absent on the last one.' };

export const book: Book = {
  title: 'Bare Metal API',
  description,
  spell,
  header: {
    name: 'X-OpenStack-Ironic-API-Version',
    description: `Microversion, ${spell(MIN)} to ${spell(MAX)} or latest. OpenStack-API-Version: baremetal 1.N does as well.`,
    default: spell(DEFAULT),
  },
  error: {
    media: 'application/json',
    schema: { type: 'object', properties: { error_message: { type: 'string', description: errorText } } },
  },
  pages: () => ({ next }),
  refusals: [400, 406, 503],
  accepted: 'Accepted; the node tells how it goes on.',
  byAddress: ['agent_networks'],
};
