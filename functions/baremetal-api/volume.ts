/**
 * Volume connectors and targets (ironic-api.md 7, since 1.32). They are kept for whoever attaches volumes: storage
 * interface `noop` does not.
 */
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { maskSecrets } from '../../layers/domain/masking.ts';
import { pageQuery, readWant } from '../../layers/domain/page.ts';
import { allows, ownOf, type Owned } from '../../layers/domain/policy.ts';
import { projector, resourceLinks, type Want } from '../../layers/domain/projection.ts';
import type { Kept, Kind } from '../../layers/store/kinds/kind.ts';
import { kinds, type StoredVolumeConnector, type StoredVolumeTarget } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { selectBelongings } from './belonging-list.ts';
import { belongingRoutes, refuseLocked } from './belonging.ts';
import { answersOf, listAnswer } from './crud.ts';
import { findByIdent } from './node/find.ts';
import { route, type Answer, type Call, type Deps, type Route } from './route.ts';

type Volume = Kept & { readonly node_uuid: string; readonly properties?: Readonly<Record<string, unknown>> };
/** One of the two collections. */
type Collection<R extends Volume> = { readonly name: 'connectors' | 'targets'; readonly kind: Kind<R, StoredNode> };

const since = 32;
const at = '/v1/volume';

const connectors: Collection<StoredVolumeConnector> = { name: 'connectors', kind: kinds.volume_connector };
const targets: Collection<StoredVolumeTarget> = { name: 'targets', kind: kinds.volume_target };

/** Instead of properties that a caller may not see (ironic-rbac.md 3). */
const redacted = {
  redacted_contents:
    '** Value redacted: Requires permission baremetal:volume:view_target_properties access. Permission denied. **',
};

/**
 * The node that a request is about. Without a target it is a list or a POST, whose nodes are the project's or the
 * caller sees those of all projects.
 */
const nodeOf = ({ target, subject }: Call): Owned => {
  const found = target as { readonly node?: Owned } | undefined;
  return found?.node ?? (target as Owned | undefined) ?? ownOf(subject) ?? {};
};

const view =
  <R extends Volume>({ name, kind }: Collection<R>) =>
  (call: Call, want: Want) => {
    const { base, version, subject } = call;
    const visible = allows('baremetal:volume:view_target_properties', subject, nodeOf(call));
    return projector<R>(kind.fields, version, want, {
      links: ({ uuid }) => resourceLinks(base, `volume/${name}`, uuid),
      properties: ({ properties }) => (visible ? maskSecrets(properties) : redacted),
    });
  };

/** A machine that runs may be using its volumes. Throws NodeLocked (409), Invalid (400). */
const refuseRunning = ({ title }: Pick<Kind<Volume>, 'title'>, node: StoredNode): void => {
  refuseLocked(node);
  if (node.power_state === 'power off') return;
  throw Invalid(
    `The ${title.toLowerCase()} of node ${node.uuid} can not be changed or deleted in power state "${node.power_state}", only in "power off".`,
  );
};

/** A page of those of a node, or of all nodes. */
const list = async <R extends Volume>(
  deps: Deps,
  call: Call,
  collection: Collection<R>,
  node?: StoredNode,
): Promise<Answer> => {
  const { name, kind } = collection;
  const rows = kind.fields;
  const path = node ? `/v1/nodes/${node.uuid}/volume/${name}` : `${at}/${name}`;
  const want = readWant(rows, call.version, call.query);
  return listAnswer(call, { path, name, rows, want, view: view(collection) }, async (page) =>
    selectBelongings(deps, kind, { ...call, page, node }, () => true),
  );
};

/** Unlike other lists they had it from the start. */
const query = { ...pageQuery, detail: {} };

const routesOf = <R extends Volume>(collection: Collection<R>): Route[] => {
  const { name, kind } = collection;
  return [
    route({
      at: `GET ${at}/${name}`,
      since,
      policy: 'baremetal:volume:list_all',
      own: 'baremetal:volume:list',
      query: { ...query, node: {} },
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
      view: view(collection),
      rules: {
        edit: ({ node }) => refuseRunning(kind, node),
        remove: (_deps, _record, node) => {
          if (!stateOf(node).deletable) refuseRunning(kind, node);
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
