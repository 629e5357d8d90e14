/** Chassis (ironic-api.md 5) and the nodes that stand in one. */
import { Invalid } from '../../layers/domain/fault.ts';
import { node as nodeFields } from '../../layers/domain/node.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { kinds, type StoredChassis } from '../../layers/store/kinds/kinds.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import { answersOf, lists, recordRoutes, uuidFinder } from './crud.ts';
import { answerNodes, nodeQuery } from './node/list.ts';
import { type Deps, route, type Route } from './route.ts';

const find = uuidFinder(kinds.chassis);

/** Throws Invalid (400) while nodes are in it. On AWS the index may miss one of the last second. */
const refuseDelete = async ({ table }: Deps, { uuid }: StoredChassis): Promise<void> => {
  const inside = { lookups: [{ index: 'chassis_uuid', value: uuid }] };
  const one = { limit: 1, marker: undefined, sort_key: 'id', descending: false };
  const [node] = await listRecords(table, kinds.node, one, inside);
  if (node) throw Invalid(`Chassis ${uuid} still has nodes, such as ${node.uuid}; take them out of it first.`);
};

const { chassis_uuid: _chassis, ...filters } = nodeQuery;

const nodeRoutes = lists.map(([suffix, query, wantOf]) =>
  route<undefined, StoredChassis>({
    at: `GET /v1/chassis/{uuid}/nodes${suffix}`,
    policy: 'baremetal:chassis:get',
    query: { ...query, ...filters },
    ...answersOf('nodes', nodeFields).list,
    find,
    handle: async (deps, call) => {
      const path = `/v1/chassis/${call.target.uuid}/nodes${suffix}`;
      return answerNodes(deps, call, path, wantOf(call, nodeFields), { chassis_uuid: [call.target.uuid] });
    },
  }),
);

export const chassisRoutes: readonly Route[] = [
  ...recordRoutes({
    collection: 'chassis',
    ident: 'uuid',
    kind: kinds.chassis,
    policy: {
      list: 'baremetal:chassis:get',
      get: 'baremetal:chassis:get',
      create: 'baremetal:chassis:create',
      update: 'baremetal:chassis:update',
      delete: 'baremetal:chassis:delete',
    },
    shown: { nodes: ({ uuid }, { base }) => [resourceLinks(base, `chassis/${uuid}`, 'nodes')] },
    detail: true,
    find,
    refuseDelete,
  }),
  ...nodeRoutes,
];
