/** Port groups (ironic-api.md 4); their ports are listed in port/list.ts. */
import { Conflict, Invalid } from '../../layers/domain/fault.ts';
import { filtersOf } from '../../layers/domain/filters.ts';
import { portgroup as portgroupFields, portgroupFilters } from '../../layers/domain/portgroup.ts';
import type { Want } from '../../layers/domain/projection.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { belongingRoutes, belongingView, type Edit } from './belonging.ts';
import { selectBelongings } from './belonging-list.ts';
import { answersOf, listAnswer, lists } from './crud.ts';
import { findByIdent } from './node/find.ts';
import { type Answer, type Call, type Deps, route, type Route } from './route.ts';
import { kinds, type StoredPortgroup } from '../../layers/store/kinds/kinds.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
import { refuseLocked } from '../../layers/store/reservation.ts';

const filters = filtersOf<StoredPortgroup>(portgroupFields, portgroupFilters);
const named = { kind: kinds.portgroup, collection: 'portgroups' } as const;

/** Throws NodeLocked, or Conflict (409) while the node is inspected. */
const refuseEdit = ({ node }: Edit<StoredPortgroup>): void => {
  refuseLocked(node);
  if (node.provision_state === 'inspecting') {
    throw Conflict(`Port groups of node ${node.uuid} can not be updated while it is being inspected.`);
  }
};

/** Throws Invalid (400) while ports are in the group of this node. */
const refuseWithPorts = async ({ table }: Deps, { uuid }: StoredPortgroup, node: string): Promise<void> => {
  const port = (await recordsOf(table, kinds.port, node)).find(({ portgroup_uuid }) => portgroup_uuid === uuid);
  if (port) throw Invalid(`Portgroup ${uuid} still has ports, such as ${port.uuid}; take them out of it first.`);
};

/** A list has one of these. */
const places = ['node', 'address', 'shard', 'conductor_groups'];

/** Throws Invalid (400). */
const refuseMixed = (query: Call['query']): void => {
  const given = places.filter((name) => query[name]);
  if (given.length > 1) throw Invalid(`${given.join(' and ')} can not be used together.`);
};

const answer = async (deps: Deps, call: Call, path: string, want: Want, node?: StoredNode): Promise<Answer> => {
  refuseMixed(call.query);
  const view = belongingView<StoredPortgroup>(named);
  return listAnswer(call, { path, name: 'portgroups', rows: portgroupFields, want, view }, async (page) =>
    selectBelongings<StoredPortgroup>(deps, kinds.portgroup, { ...call, filters, page, want, node }),
  );
};

const listRoutes: Route[] = lists.flatMap(([suffix, query, wantOf]) => [
  route({
    at: `GET /v1/portgroups${suffix}`,
    since: 23,
    policy: 'baremetal:portgroup:list_all',
    own: 'baremetal:portgroup:list',
    query: { ...query, ...filters },
    ...answersOf('portgroups', portgroupFields).list,
    handle: async (deps, call) => answer(deps, call, `/v1/portgroups${suffix}`, wantOf(call, portgroupFields)),
  }),
  route<undefined, StoredNode>({
    at: `GET /v1/nodes/{ident}/portgroups${suffix}`,
    since: 24,
    policy: 'baremetal:node:get',
    query,
    ...answersOf('portgroups', portgroupFields).list,
    find: findByIdent,
    handle: async (deps, call) => {
      const path = `/v1/nodes/${call.target.uuid}/portgroups${suffix}`;
      return answer(deps, call, path, wantOf(call, portgroupFields), call.target);
    },
  }),
]);

export const portgroupRoutes: readonly Route[] = [
  ...listRoutes,
  ...belongingRoutes<StoredPortgroup>({
    ...named,
    since: 23,
    policy: {
      get: 'baremetal:portgroup:get',
      create: 'baremetal:portgroup:create',
      update: 'baremetal:portgroup:update',
      delete: 'baremetal:portgroup:delete',
    },
    rules: {
      edit: refuseEdit,
      // A group that moves to another node would leave its ports behind.
      whole: async (deps, group, before) => {
        if (before && before.node_uuid !== group.node_uuid) await refuseWithPorts(deps, group, before.node_uuid);
      },
      remove: async (deps, group, node) => refuseWithPorts(deps, group, node.uuid),
    },
  }),
];
