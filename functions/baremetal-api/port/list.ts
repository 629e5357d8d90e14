/** GET /v1/ports, /v1/nodes/{ident}/ports and their detail forms. */
import { Forbidden, Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { nextLink, pageQuery, readList, readPage, readWant, type Page } from '../../../layers/domain/page.ts';
import { port as portFields } from '../../../layers/domain/port.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import { check } from '../../../layers/domain/schema.ts';
import { nodesWith } from '../../../layers/store/node-lists.ts';
import { listPorts, portByAddress, portsOf, type StoredPort } from '../../../layers/store/node-ports.ts';
import { cutPage } from '../../../layers/store/lists.ts';
import { findNode, type StoredNode } from '../../../layers/store/nodes.ts';
import { findByIdent } from '../node/find.ts';
import { route, type Answer, type Call, type Deps, type QueryTable } from '../route.ts';
import { portView } from './view.ts';

const filters: QueryTable = {
  node: {},
  node_uuid: {},
  address: {},
  portgroup: { since: 24 },
  shard: { since: 82 },
  description_contains: {},
  conductor_groups: { since: 99 },
};
const { fields: _fields, detail: _detail, ...pagingOnly } = pageQuery;

const refuseMixed = (query: Call['query']): void => {
  const places = ['node', 'node_uuid', 'portgroup', 'shard'].filter((name) => query[name]);
  if (places.length > 1) throw Forbidden(`${places.join(' and ')} can not be used together.`);
  const beside = ['node', 'node_uuid', 'portgroup', 'address'].filter((name) => query[name]);
  if (query['conductor_groups'] && beside.length > 0) {
    throw Invalid(`conductor_groups and ${beside.join(', ')} can not be used together.`);
  }
};

/** Of the ports that are asked for by what their node is, the nodes; undefined if by nothing of the kind. */
const nodesOf = async ({ table }: Deps, { query }: Call): Promise<Set<string> | undefined> => {
  if (query['shard']) return nodesWith(table, 'shard', readList(query['shard']));
  if (query['conductor_groups']) return nodesWith(table, 'conductor_group', readList(query['conductor_groups']));
  return undefined;
};

/** The ports in one place: a node, or the one with an address. undefined: in the whole fleet. */
const placeOf = async ({ table }: Deps, { query }: Call, node?: StoredNode): Promise<StoredPort[] | undefined> => {
  const ident = query['node']?.[0] ?? query['node_uuid']?.[0];
  const home = node ?? (ident === undefined ? undefined : await findNode(table, ident));
  const address = query['address'] && check(portFields.address.schema, query['address'][0]);
  if (address !== undefined) {
    const found = await portByAddress(table, address);
    return found && (!home || found.node_uuid === home.uuid) ? [found] : [];
  }
  return home && portsOf(table, home.uuid);
};

/** A pass over all ports is made only for `description_contains`, `shard`, `conductor_groups` and other sort keys. */
const select = async (deps: Deps, call: Call, page: Page, node?: StoredNode): Promise<StoredPort[]> => {
  const { query } = call;
  refuseMixed(query);
  if (query['portgroup']) throw NotFound(`Portgroup ${query['portgroup'][0]} could not be found.`);
  const part = query['description_contains']?.[0];
  const nodes = await nodesOf(deps, call);
  const keep = ({ description, node_uuid }: StoredPort) =>
    (part === undefined || (description ?? '').includes(part)) && (!nodes || nodes.has(node_uuid));
  const place = await placeOf(deps, call, node);
  return place ? cutPage(place.filter(keep), page) : listPorts(deps.table, page, keep);
};

const answer = async (deps: Deps, call: Call, path: string, want: Want, node?: StoredNode): Promise<Answer> => {
  const page = readPage(portFields, call.version, call.query);
  const ports = await select(deps, call, page, node);
  const next = nextLink(call.base, path, call.query, page.limit, ports);
  return { body: { ports: ports.map(portView(call, want)), ...(next && { next }) } };
};

const wantOf = ({ version, query }: Call) => readWant(portFields, version, query);

export const listRoutes = [
  route({
    at: 'GET /v1/ports',
    policy: 'baremetal:port:list_all',
    query: { ...pageQuery, ...filters },
    handle: async (deps, call) => answer(deps, call, '/v1/ports', wantOf(call)),
  }),
  route({
    at: 'GET /v1/ports/detail',
    policy: 'baremetal:port:list_all',
    query: { ...pagingOnly, ...filters },
    handle: async (deps, call) => answer(deps, call, '/v1/ports/detail', 'all'),
  }),
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/ports',
    policy: 'baremetal:node:get',
    query: pageQuery,
    find: findByIdent,
    handle: async (deps, call) => answer(deps, call, `/v1/nodes/${call.target.uuid}/ports`, wantOf(call), call.target),
  }),
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/ports/detail',
    policy: 'baremetal:node:get',
    query: pagingOnly,
    find: findByIdent,
    handle: async (deps, call) => answer(deps, call, `/v1/nodes/${call.target.uuid}/ports/detail`, 'all', call.target),
  }),
];
