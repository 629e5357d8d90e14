/** What the last inspection found (ironic-api.md 2.1, since 1.81). */
import { NotFound } from '../../../layers/domain/fault.ts';
import { readInventoryText } from '../../../layers/store/inventories.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

export const inventoryRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/inventory',
    since: 81,
    policy: 'baremetal:node:inventory:get',
    find: findByIdent,
    handle: async (deps, { target: { uuid } }) => {
      const json = await readInventoryText(deps, uuid);
      if (json === undefined) throw NotFound(`Node ${uuid} has no inventory, it was not inspected yet.`);
      return { json };
    },
  }),
];
