/**
 * GET guest-metadata, an addition to Ironic's API: the guest document of a machine for operators, as it would be written
 * now. Everybody else is answered as if there were no such node.
 */
import { hasGuest } from '../../../layers/domain/baremetal/guest.ts';
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { type DocumentSchema, documentSchemas, renderGuestDocument } from '../../../layers/guest/guest-document.ts';
import { guestOf } from '../../../layers/store/guest-documents.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Call, route, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

const isSchema = (value: string): value is DocumentSchema => (documentSchemas as readonly string[]).includes(value);

const schemaOf = ({ query }: Call<undefined, StoredNode>): DocumentSchema => {
  const [asked = '1.0'] = query['schema'] ?? [];
  if (!isSchema(asked)) throw Invalid(`schema "${asked}" is none of ${documentSchemas.join(', ')}.`);
  return asked;
};

export const guestMetadataRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/guest-metadata',
    policy: 'baremetal:guest_metadata:get',
    title: 'Node',
    media: 'application/xml',
    query: { schema: { doc: '1.0, or 1.1 with flavor id and extra specs. Default: 1.0.' } },
    find: findByIdent,
    handle: async ({ table }, call) => {
      const { target: node } = call;
      const schema = schemaOf(call);
      if (!hasGuest(node)) throw NotFound(`Node ${node.uuid} has no guest: it is ${node.provision_state}.`);
      return { content: { type: 'application/xml', text: renderGuestDocument(await guestOf(table, node), schema) } };
    },
  }),
];
