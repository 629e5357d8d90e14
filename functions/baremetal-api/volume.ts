/**
 * Volume connectors and targets (ironic-api.md 7, since 1.32). They are kept for whoever attaches volumes: storage
 * interface `noop` does not.
 */
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { filtersOf } from '../../layers/domain/filters.ts';
import { pageQuery, readWant } from '../../layers/domain/page.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { volumeFilters, type VolumeConnector, type VolumeTarget } from '../../layers/domain/volume.ts';
import type { Kind } from '../../layers/store/belongings.ts';
import { volumeConnectors, volumeTargets } from '../../layers/store/node-volumes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { belongingRoutes, belongingView, refuseLocked } from './belonging.ts';
import { selectBelongings } from './belonging-list.ts';
import { answersOf, listAnswer } from './crud.ts';
import { findByIdent } from './node/find.ts';
import { route, type Answer, type Call, type Deps, type Route } from './route.ts';

type Volume = VolumeConnector | VolumeTarget;

const since = 32;
const at = '/v1/volume';

const collections = { connectors: volumeConnectors, targets: volumeTargets } as const;
type Collection = keyof typeof collections;
const filters = {
  connectors: filtersOf<Volume>(volumeConnectors.fields, volumeFilters),
  targets: filtersOf<Volume>(volumeTargets.fields, volumeFilters),
} as const;

/** A machine that runs may be using its volumes. Throws NodeLocked (409), Invalid (400). */
const refuseRunning = ({ title }: Kind, node: StoredNode): void => {
  refuseLocked(node);
  if (node.power_state === 'power off') return;
  throw Invalid(
    `The ${title.toLowerCase()} of node ${node.uuid} can not be changed or deleted in power state "${node.power_state}", only in "power off".`,
  );
};

/** A page of those of a node, or of all nodes. */
const list = async (deps: Deps, call: Call, collection: Collection, node?: StoredNode): Promise<Answer> => {
  const kind = collections[collection];
  const rows = kind.fields;
  const path = node ? `/v1/nodes/${node.uuid}/volume/${collection}` : `${at}/${collection}`;
  const want = readWant(rows, call.version, call.query);
  const view = belongingView<Volume>({ kind, collection: `volume/${collection}` });
  return listAnswer(call, { path, name: collection, rows, want, view }, async (page) =>
    selectBelongings<Volume>(deps, kind, { ...call, filters: filters[collection], page, node }),
  );
};

/** Unlike other lists they had it from the start. */
const query = { ...pageQuery, detail: {} };

const routesOf = (collection: Collection): Route[] => {
  const kind = collections[collection];
  return [
    route({
      at: `GET ${at}/${collection}`,
      since,
      policy: 'baremetal:volume:list_all',
      own: 'baremetal:volume:list',
      query: { ...query, ...filters[collection] },
      ...answersOf(`volume/${collection}`, kind.fields).list,
      handle: async (deps, call) => list(deps, call, collection),
    }),
    ...belongingRoutes<Volume>({
      kind,
      collection: `volume/${collection}`,
      since,
      policy: {
        get: 'baremetal:volume:get',
        create: 'baremetal:volume:create',
        update: 'baremetal:volume:update',
        delete: 'baremetal:volume:delete',
      },
      rules: {
        edit: ({ node }) => refuseRunning(kind, node),
        remove: (_deps, _record, node) => {
          if (!stateOf(node).deletable) refuseRunning(kind, node);
        },
      },
    }),
    route<undefined, StoredNode>({
      at: `GET /v1/nodes/{ident}/volume/${collection}`,
      since,
      policy: 'baremetal:node:get',
      query,
      ...answersOf(`volume/${collection}`, kind.fields).list,
      find: findByIdent,
      handle: async (deps, call) => list(deps, call, collection, call.target),
    }),
  ];
};

/** Where the two collections are. */
const links = ({ base }: Call, place: string) => ({
  links: resourceLinks(base, place, ''),
  ...Object.fromEntries(Object.keys(collections).map((name) => [name, resourceLinks(base, place, name)])),
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
  ...routesOf('connectors'),
  ...routesOf('targets'),
];
