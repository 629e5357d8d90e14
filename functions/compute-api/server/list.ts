/** GET /servers and /servers/detail (compute-api.md 3): the newest first, a page at a time. */
import { Forbidden, Invalid, isFault } from '../../../layers/domain/fault.ts';
import type { Lookup } from '../../../layers/domain/filters.ts';
import { readBool } from '../../../layers/domain/page.ts';
import { allows, denied } from '../../../layers/domain/policy.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { listRecords } from '../../../layers/store/records/list.ts';
import { goneSince } from '../../../layers/store/servers.ts';
import { cutAfter, inOrder, nextLinks, type Order, readLimit, readOrder } from '../list.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { readFilters, type Selection, serverFilters } from './filters.ts';
import { serverShape, showServers } from './view.ts';

const kind = computeKinds.server;

/** Nova's words for what servers are sorted by. */
const sortKeys = {
  created_at: ({ position }) => position,
  updated_at: ({ updated_at, created_at }) => updated_at ?? created_at,
  display_name: ({ name }) => name,
  uuid: ({ uuid }) => uuid,
  vm_state: ({ vm_state: state }) => state,
  task_state: ({ task_state: state }) => state,
  power_state: ({ power_state: state }) => state,
  launched_at: ({ launched_at: at }) => at,
  terminated_at: ({ terminated_at: at }) => at,
  hostname: ({ hostname }) => hostname,
  key_name: ({ key_name: key }) => key,
  image_ref: ({ image }) => image,
  user_id: ({ user_id: user }) => user,
  project_id: ({ tenant_id: project }) => project,
  availability_zone: ({ availability_zone: zone }) => zone,
  config_drive: ({ config_drive: given }) => given,
  locked: ({ locked_by: by }) => by !== null,
  locked_by: ({ locked_by: by }) => by,
  access_ip_v4: ({ accessIPv4: address }) => address,
  access_ip_v6: ({ accessIPv6: address }) => address,
} as const satisfies Readonly<Record<string, (server: StoredServer) => unknown>>;

const newest = { key: 'created_at', descending: true } as const;

/** Who may list those of all projects. */
const ofEverybody = {
  index: 'os_compute_api:servers:index:get_all_tenants',
  detail: 'os_compute_api:servers:detail:get_all_tenants',
} as const;

/** Whose servers: null is everybody's. Throws Forbidden (403), Invalid (400). */
const projectOf = (call: Call, what: 'index' | 'detail', isAdmin: boolean): string | null => {
  const { query, subject } = call;
  const named = isAdmin ? (query['project_id'] ?? query['tenant_id'])?.[0] : undefined;
  // Empty is as good as true.
  const asked = query['all_tenants']?.[0] === '' ? true : readBool(query, 'all_tenants');
  if (!(asked ?? named !== undefined)) return subject.project;
  const rule = ofEverybody[what];
  if (!allows(rule, subject)) throw denied(rule);
  return named ?? null;
};

/** Those that are deleted are for administrators. Throws Forbidden (403). */
const deletedOf = ({ query }: Call, isAdmin: boolean): boolean => {
  const asked = query['status']?.some((status) => status.toLowerCase() === 'deleted') || readBool(query, 'deleted');
  if (asked && !isAdmin) throw Forbidden('Only administrators may list deleted instances');
  return asked ?? false;
};

type Wanted = {
  readonly selection: Selection;
  readonly project: string | null;
  readonly limit: number;
  readonly marker: string | undefined;
  readonly order: Order<StoredServer>;
  /** Only those that are deleted. */
  readonly gone: boolean;
};

type Page = { readonly servers: readonly StoredServer[]; readonly next: string | undefined };

const lookupsOf = ({ selection: { lookup }, project }: Wanted): readonly Lookup[] | undefined => {
  if (lookup) return [lookup];
  return project === null ? undefined : [{ index: 'tenant_id', value: project }];
};

const isOf = (project: string | null) => (server: StoredServer) => project === null || server.tenant_id === project;

const always = ['uuid', 'name', 'tenant_id'] as const;

/** In the order of creation it costs what it shows. */
const readPage = async (table: Table, wanted: Wanted, descending: boolean, want: Want): Promise<Page> => {
  const { selection, project, limit, marker } = wanted;
  const sees = isOf(project);
  const page = { limit, marker, sort_key: 'id', descending };
  const servers = await listRecords(table, kind, page, {
    keep: (server) => sees(server) && selection.keep(server),
    sees,
    lookups: lookupsOf(wanted),
    reads: want === 'summary' ? [...always, ...selection.looksAt] : undefined,
  }).catch((error: unknown) => {
    throw isFault(error) && error.code === 404 ? Invalid(`marker [${marker}] not found`, error) : error;
  });
  return { servers, next: servers.length === limit ? servers.at(-1)?.uuid : undefined };
};

/** What else is asked for needs all that may be shown. */
const readAll = async (table: Table, wanted: Wanted): Promise<Page> => {
  const { selection, project, gone, limit, marker, order } = wanted;
  const sees = isOf(project);
  const page = { limit: Infinity, marker: undefined, sort_key: 'id', descending: true };
  const live = gone ? [] : await listRecords(table, kind, page, { keep: sees, lookups: lookupsOf(wanted) });
  const since = gone ? '' : selection.goneSince;
  const dead = since === undefined ? [] : await goneSince(table, project, since);
  const found = inOrder([...live, ...dead].filter(selection.keep), order);
  const { page: servers, next } = cutAfter(found, ({ uuid }) => uuid, limit, marker?.toLowerCase());
  return { servers, next };
};

const select = async ({ table }: Deps, call: Call, what: 'index' | 'detail'): Promise<Page> => {
  const isAdmin = allows('os_compute_api:servers:allow_all_filters', call.subject);
  const wanted = {
    selection: readFilters(call, isAdmin),
    project: projectOf(call, what, isAdmin),
    gone: deletedOf(call, isAdmin),
    limit: readLimit(call),
    marker: call.query['marker']?.[0],
    order: readOrder(call, sortKeys, newest),
  };
  const { selection, gone, order } = wanted;
  const [first, ...others] = order;
  const isSimple = !gone && selection.goneSince === undefined;
  if (isSimple && others.length === 0 && first?.of === sortKeys.created_at) {
    return readPage(table, wanted, first.descending, what === 'index' ? 'summary' : 'all');
  }
  return readAll(table, wanted);
};

const query = {
  limit: {},
  marker: {},
  sort_key: {},
  sort_dir: {},
  all_tenants: {},
  tenant_id: {},
  project_id: {},
  deleted: {},
  ...Object.fromEntries(
    Object.entries(serverFilters).map(([name, { since, doc }]) => [name, { doc, ...(since && { since }) }]),
  ),
};

const listRoute = (suffix: '' | '/detail', what: 'index' | 'detail', want: Want): Route =>
  route({
    at: `GET /v2.1/servers${suffix}`,
    policy: `os_compute_api:servers:${what}`,
    query,
    answers: serverShape.list,
    handle: async (deps, call) => {
      const { servers, next } = await select(deps, call, what);
      const shown = await showServers(deps.table, call, want, servers);
      return { body: { servers: shown, ...nextLinks(call, `/v2.1/servers${suffix}`, 'servers', next) } };
    },
  });

export const listRoutes: readonly Route[] = [listRoute('', 'index', 'summary'), listRoute('/detail', 'detail', 'all')];
