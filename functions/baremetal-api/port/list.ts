/** GET /v1/ports, those of a node and of a port group, and their detail forms. */
import { Forbidden, Invalid } from '../../../layers/domain/fault.ts';
import { filtersOf } from '../../../layers/domain/filters.ts';
import { port as portFields, portFilters } from '../../../layers/domain/port.ts';
import { authorize } from '../../../layers/domain/policy.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { belongingFinder, type BelongingTarget, belongingView } from '../belonging.ts';
import { selectBelongings } from '../belonging-list.ts';
import { answersOf, listAnswer, lists } from '../crud.ts';
import { findByIdent } from '../node/find.ts';
import { type Answer, type Call, type Deps, route, type Route } from '../route.ts';
import { kinds, type StoredPort, type StoredPortgroup } from '../../../layers/store/kinds/kinds.ts';

const refuseMixed = (query: Call['query']): void => {
  const places = ['node', 'node_uuid', 'portgroup', 'shard'].filter((name) => query[name]);
  if (places.length > 1) throw Forbidden(`${places.join(' and ')} can not be used together.`);
  const beside = ['node', 'node_uuid', 'portgroup', 'address'].filter((name) => query[name]);
  if (query['conductor_groups'] && beside.length > 0) {
    throw Invalid(`conductor_groups and ${beside.join(', ')} can not be used together.`);
  }
};

const filters = filtersOf<StoredPort>(portFields, portFilters);
const view = belongingView<StoredPort>({ kind: kinds.port, collection: 'ports' });

const findGroup = belongingFinder<StoredPortgroup>({ kind: kinds.portgroup });

/** The port group that a query names. Throws NotFound (404), also for one that the caller may not see. */
const namedGroup = async (deps: Deps, { version, subject }: Call, ident: string) => {
  const found = await findGroup(deps, { ident }, version);
  authorize('baremetal:portgroup:get', subject, found.node, ident);
  return found;
};

/** What of the fleet a list is of, as its path or a filter says. */
type Part = { readonly node?: StoredNode; readonly group?: BelongingTarget<StoredPortgroup> };

const answer = async (deps: Deps, call: Call, path: string, want: Want, part: Part = {}): Promise<Answer> => {
  const { query } = call;
  refuseMixed(query);
  const ident = query['portgroup']?.[0];
  const group = part.group ?? (ident === undefined ? undefined : await namedGroup(deps, call, ident));
  const inGroup = group && {
    reads: ['portgroup_uuid'],
    keep: ({ portgroup_uuid }: StoredPort) => portgroup_uuid === group.record.uuid,
  };
  return listAnswer(call, { path, name: 'ports', rows: portFields, want, view }, async (page) =>
    selectBelongings<StoredPort>(
      deps,
      kinds.port,
      { ...call, filters, page, want, node: group?.node ?? part.node },
      inGroup,
    ),
  );
};

export const listRoutes: Route[] = lists.flatMap(([suffix, query, wantOf]) => [
  route({
    at: `GET /v1/ports${suffix}`,
    policy: 'baremetal:port:list_all',
    own: 'baremetal:port:list',
    query: { ...query, ...filters },
    ...answersOf('ports', portFields).list,
    handle: async (deps, call) => answer(deps, call, `/v1/ports${suffix}`, wantOf(call, portFields)),
  }),
  route<undefined, StoredNode>({
    at: `GET /v1/nodes/{ident}/ports${suffix}`,
    policy: 'baremetal:node:get',
    query,
    ...answersOf('ports', portFields).list,
    find: findByIdent,
    handle: async (deps, call) => {
      const path = `/v1/nodes/${call.target.uuid}/ports${suffix}`;
      return answer(deps, call, path, wantOf(call, portFields), { node: call.target });
    },
  }),
  route<undefined, BelongingTarget<StoredPortgroup>>({
    at: `GET /v1/portgroups/{ident}/ports${suffix}`,
    since: 24,
    policy: 'baremetal:portgroup:get',
    query,
    ...answersOf('ports', portFields).list,
    find: findGroup,
    handle: async (deps, call) => {
      const path = `/v1/portgroups/${call.target.record.uuid}/ports${suffix}`;
      return answer(deps, call, path, wantOf(call, portFields), { group: call.target });
    },
  }),
]);
