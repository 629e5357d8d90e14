/** GET /v1/nodes and /v1/nodes/detail (ironic-api.md 2.3). */
import { NotFound } from '../../../layers/domain/fault.ts';
import { nodeFilters, selectNodes, type Filter } from '../../../layers/domain/filters.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { nextLink, pageQuery, readBool, readPage, readWant } from '../../../layers/domain/page.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import { listNodes, nodeOfInstance, type ListedNode } from '../../../layers/store/node-lists.ts';
import { route, type Answer, type Call, type Deps, type QueryTable } from '../route.ts';
import { nodeTexts } from './list-texts.ts';
import { chassisExists } from './references.ts';

const filters: QueryTable = { ...nodeFilters } as Readonly<Record<string, Filter>>;
const filterQuery: QueryTable = { ...filters, conductor: { since: 49 }, include_children: { since: 83 } };
const { fields: _fields, detail: _detail, ...pagingOnly } = pageQuery;

/** The nodes of the page, and whether there may be another. */
const select = async (deps: Deps, { query, version }: Call): Promise<{ nodes: ListedNode[]; limit: number }> => {
  const page = readPage(nodeFields, version, query);
  const { instance_uuid: instance, chassis_uuid: chassis, conductor, parent_node: parent } = query;
  const children = readBool(query, 'include_children') ?? false;
  const selection = selectNodes(query, children || parent !== undefined || instance !== undefined);
  if (chassis && !(await chassisExists(deps.table, chassis[0]!))) {
    throw NotFound(`Chassis ${chassis[0]} could not be found.`);
  }
  // One site serves all nodes.
  if (conductor && conductor[0] !== deps.config.site) return { nodes: [], limit: page.limit };
  if (!instance) return { nodes: await listNodes(deps.table, selection, page), limit: page.limit };
  const node = await nodeOfInstance(deps.table, instance[0]!);
  return { nodes: node && selection.keep(node) ? [node] : [], limit: Infinity };
};

const answer = async (deps: Deps, call: Call, path: string, want: Want): Promise<Answer> => {
  const { nodes, limit } = await select(deps, call);
  const next = nextLink(call.base, path, call.query, limit, nodes);
  const texts = await nodeTexts(deps, call, want, nodes);
  return { json: `{"nodes":[${texts.join(',')}]${next ? `,"next":${JSON.stringify(next)}` : ''}}` };
};

export const listRoutes = [
  route({
    at: 'GET /v1/nodes',
    policy: 'baremetal:node:list_all',
    query: { ...pageQuery, ...filterQuery },
    handle: async (deps, call) => answer(deps, call, '/v1/nodes', readWant(nodeFields, call.version, call.query)),
  }),
  route({
    at: 'GET /v1/nodes/detail',
    policy: 'baremetal:node:list_all',
    query: { ...pagingOnly, ...filterQuery },
    handle: async (deps, call) => answer(deps, call, '/v1/nodes/detail', 'all'),
  }),
];
