/**
 * Volume connectors and targets (ironic-api.md 7, since 1.32). They are kept for whoever attaches volumes: storage
 * interface `noop` does not.
 */
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { filtersOf, type Filters } from '../../layers/domain/filters.ts';
import { pageQuery, readWant } from '../../layers/domain/page.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { volumeFilters } from '../../layers/domain/volume.ts';
import type { Kept, Kind } from '../../layers/store/kinds/kind.ts';
import { kinds, type StoredVolumeConnector, type StoredVolumeTarget } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { belongingRoutes, belongingView } from './belonging.ts';
import { selectBelongings } from './belonging-list.ts';
import { answersOf, listAnswer } from './crud.ts';
import { findByIdent } from './node/find.ts';
import { type Answer, type Call, type Deps, route, type Route } from './route.ts';
import { refuseLocked } from '../../layers/store/reservation.ts';

type Volume = Kept & { readonly node_uuid: string };
/** One of the two collections. */
type Collection<R extends Volume> = {
  readonly name: 'connectors' | 'targets';
  readonly kind: Kind<R, StoredNode>;
  readonly filters: Filters<R>;
};

const since = 32;
const at = '/v1/volume';

const connectors: Collection<StoredVolumeConnector> = {
  name: 'connectors',
  kind: kinds.volume_connector,
  filters: filtersOf(kinds.volume_connector.fields, volumeFilters),
};
const targets: Collection<StoredVolumeTarget> = {
  name: 'targets',
  kind: kinds.volume_target,
  filters: filtersOf(kinds.volume_target.fields, volumeFilters),
};

/** A machine that runs may be using its volumes. Throws NodeLocked (409), Invalid (400) in Ironic's words. */
const refuseRunning = (
  { title }: Pick<Kind<Volume>, 'title'>,
  node: StoredNode,
  doing: 'update' | 'deletion',
): void => {
  refuseLocked(node);
  if (node.power_state === 'power off') return;
  const state = node.power_state ?? 'None';
  throw Invalid(
    `The requested action "${title.toLowerCase()} ${doing}" can not be performed on node "${node.uuid}" while it is in state "${state}".`,
  );
};

/** A page of those of a node, or of all nodes. */
const list = async <R extends Volume>(
  deps: Deps,
  call: Call,
  { name, kind, filters }: Collection<R>,
  node?: StoredNode,
): Promise<Answer> => {
  const rows = kind.fields;
  const path = node ? `/v1/nodes/${node.uuid}/volume/${name}` : `${at}/${name}`;
  const want = readWant(rows, call.version, call.query);
  const view = belongingView({ kind, collection: `volume/${name}` });
  return listAnswer(call, { path, name, rows, want, view }, async (page) =>
    selectBelongings(deps, kind, { ...call, filters, page, want, node }),
  );
};

/** Unlike other lists they had it from the start. */
const query = { ...pageQuery, detail: {} };

const routesOf = <R extends Volume>(collection: Collection<R>): Route[] => {
  const { name, kind, filters } = collection;
  return [
    route({
      at: `GET ${at}/${name}`,
      since,
      policy: 'baremetal:volume:list_all',
      own: 'baremetal:volume:list',
      query: { ...query, ...filters },
      ...answersOf(`volume/${name}`, kind.fields).list,
      handle: async (deps, call) => list(deps, call, collection),
    }),
    ...belongingRoutes<R>({
      kind,
      collection: `volume/${name}`,
      since,
      policy: {
        get: 'baremetal:volume:get',
        create: 'baremetal:volume:create',
        update: 'baremetal:volume:update',
        delete: 'baremetal:volume:delete',
      },
      rules: {
        edit: ({ node }) => refuseRunning(kind, node, 'update'),
        remove: (_deps, _record, node) => {
          if (!stateOf(node).idle) refuseRunning(kind, node, 'deletion');
        },
      },
    }),
    route<undefined, StoredNode>({
      at: `GET /v1/nodes/{ident}/volume/${name}`,
      since,
      policy: 'baremetal:node:get',
      query,
      ...answersOf(`volume/${name}`, kind.fields).list,
      find: findByIdent,
      handle: async (deps, call) => list(deps, call, collection, call.target),
    }),
  ];
};

/** Where the two collections are. */
const links = ({ base }: Call, place: string) => ({
  links: resourceLinks(base, place, ''),
  ...Object.fromEntries([connectors, targets].map(({ name }) => [name, resourceLinks(base, place, name)])),
});

export const volumeRoutes: readonly Route[] = [
  route({
    at: `GET ${at}`,
    since,
    policy: 'baremetal:volume:list_all',
    own: 'baremetal:volume:list',
    handle: async (_deps, call) => ({ body: links(call, 'volume') }),
  }),
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/volume',
    since,
    policy: 'baremetal:node:get',
    find: findByIdent,
    handle: async (_deps, call) => ({ body: links(call, `nodes/${call.target.uuid}/volume`) }),
  }),
  ...routesOf(connectors),
  ...routesOf(targets),
];
