/** What a node is doing, and the requests that change it (ironic-api.md 2.1). */
import type { Field, Fields } from '../../../layers/domain/fields.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { projector } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';
import { powerRoute } from './power.ts';
import { provisionRoute } from './provision.ts';

/** In the order in which they came to the API. */
const stateFields: Fields = Object.fromEntries(
  Object.entries<Field>(nodeFields)
    .filter(([, { state }]) => state)
    .toSorted(([a, { since: from = 1 }], [b, { since: to = 1 }]) => from - to || (a < b ? -1 : 1)),
);

export const stateRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/states',
    policy: 'baremetal:node:get_states',
    answers: { name: 'NodeStates', rows: stateFields },
    find: findByIdent,
    handle: async (_deps, call) => ({ body: projector(stateFields, call, 'all')(call.target) }),
  }),
  powerRoute,
  provisionRoute,
];
