/** GET validate: what each interface of the node has to say, without touching the machine (ironic-api.md 2.1). */
import { validateNode } from '../../../layers/bmc/validation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { authorize } from '../../../layers/domain/policy.ts';
import { belongingTo } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Call, type Deps, type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Whether the node has a port: the deploy agent is found by its MAC address. */
export const hasPorts = async ({ table }: Pick<Deps, 'table'>, uuid: string): Promise<boolean> => {
  const found = await table.query({ ...belongingTo(kinds.port, uuid), limit: 1 });
  return found.length > 0;
};

/** Takes no lock: it answers while the node is being worked on. */
const validate = async (deps: Deps, { target }: Call<undefined, StoredNode>) => ({
  body: validateNode(target, { hasPorts: await hasPorts(deps, target.uuid) }),
});

export const validateRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/validate',
    policy: 'baremetal:node:validate',
    find: findByIdent,
    handle: validate,
  }),
  route({
    at: 'GET /v1/nodes/validate',
    policy: 'baremetal:node:validate',
    own: 'baremetal:node:validate',
    query: { node: {}, node_uuid: {} },
    handle: async (deps, call) => {
      const ident = call.query['node_uuid']?.[0] ?? call.query['node']?.[0];
      if (ident === undefined) throw Invalid('Missing mandatory parameter: node_uuid.');
      const target = await findByIdent(deps, { ident }, call.version);
      authorize('baremetal:node:validate', call.subject, target, ident);
      return validate(deps, { ...call, target });
    },
  }),
];
