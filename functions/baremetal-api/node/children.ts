/** The nodes whose parent_node is this one (ironic-api.md 2.1, since 1.83). */
import { allows } from '../../../layers/domain/policy.ts';
import { childrenOf } from '../../../layers/store/node-lists.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

export const childrenRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/children',
    since: 83,
    policy: 'baremetal:node:get',
    find: findByIdent,
    handle: async ({ table }, { base, subject, target: { uuid } }) => {
      const children = (await childrenOf(table, uuid)).filter((child) => allows('baremetal:node:get', subject, child));
      const links = { href: `${base}/v1/nodes/${uuid}/children`, rel: 'self' };
      return { body: { children: children.map((child) => child.uuid), links } };
    },
  }),
];
