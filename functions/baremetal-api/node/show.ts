/** GET /v1/nodes/{ident}. */
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { pageQuery, readFields } from '../../../layers/domain/page.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { answersOf } from '../crud.ts';
import { route } from '../route.ts';
import { findByIdent } from './find.ts';
import { nodeView } from './view.ts';

export const showRoute = route<undefined, StoredNode>({
  at: 'GET /v1/nodes/{ident}',
  policy: 'baremetal:node:get',
  query: { fields: pageQuery.fields },
  ...answersOf('nodes', nodeFields).record,
  find: findByIdent,
  handle: async (deps, call) => {
    const want = readFields(nodeFields, call.version, call.query) ?? 'all';
    return { body: nodeView(deps, call, want)(call.target) };
  },
});
