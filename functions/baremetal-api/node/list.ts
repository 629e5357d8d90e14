/** GET /v1/nodes and /v1/nodes/detail (ironic-api.md 2.3). */
import { NotFound } from '../../../layers/domain/fault.ts';
import { filtersOf, readsOf, selectBy } from '../../../layers/domain/filters.ts';
import { freeFilters } from '../../../layers/domain/free-nodes.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { isOfProject, type Listed, nodeFilters, placesOfProject } from '../../../layers/domain/node-filters.ts';
import { denied } from '../../../layers/domain/policy.ts';
import { nextLink, readBool, readPage } from '../../../layers/domain/page.ts';
import { hiding, readToShow, type Want } from '../../../layers/domain/projection.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { listRecords } from '../../../layers/store/records/list.ts';
import { answersOf, lists } from '../crud.ts';
import { type Answer, type Call, type Deps, type QueryTable, route } from '../route.ts';
import { nodeTexts } from './list-texts.ts';
import { chassisExists } from './references.ts';
import { nodeOfInstance } from '../../../layers/store/node-lists.ts';
import type { ListedNode } from '../../../layers/store/nodes.ts';

const filters = filtersOf<Listed>(nodeFields, nodeFilters);
/** Everything that narrows a list of nodes. */
export const nodeQuery: QueryTable = filters;

/**
 * What the filters of a query select. Child nodes are kept only when they are asked for (`children`). With `only`
 * nothing is read but what this project owns or leases. Throws Invalid (400).
 */
const selectionOf = (query: Call['query'], children: boolean, only: string | null) => {
  const { lookups, keep, looksAt } = selectBy(filters, query, [freeFilters]);
  const sees = (node: Listed) => only === null || isOfProject(node, only);
  return {
    lookups: only === null ? lookups : placesOfProject(only),
    keep: (node: Listed) => sees(node) && (children || node.parent_node === null) && keep(node),
    sees,
    looksAt: readsOf(looksAt, ['owner', 'lessee', 'parent_node']),
  };
};

/** Throws Forbidden (403) if a caller who sees one project's nodes asks for those of another. */
const refuseForeign = ({ only, query }: Pick<Call, 'only' | 'query'>): void => {
  if (only === null) return;
  const asked = [...(query['owner'] ?? []), ...(query['project'] ?? [])];
  if (asked.some((project) => project !== only)) throw denied('baremetal:node:list_all');
};

/** The nodes of the page, and whether there may be another. */
const select = async (
  deps: Deps,
  { query, version, only, subject }: Pick<Call, 'query' | 'version' | 'only' | 'subject'>,
  want: Want,
): Promise<{ nodes: ListedNode[]; limit: number }> => {
  const page = readPage(nodeFields, version, query);
  const { instance_uuid: instance, chassis_uuid: chassis, conductor, parent_node: parent } = query;
  const children = readBool(query, 'include_children') ?? false;
  const selection = selectionOf(query, children || parent !== undefined || instance !== undefined, only);
  refuseForeign({ only, query });
  if (chassis && !(await chassisExists(deps.table, chassis[0]!))) {
    throw NotFound(`Chassis ${chassis[0]} could not be found.`);
  }
  // One site serves all nodes.
  if (conductor && conductor[0] !== deps.config.site) return { nodes: [], limit: page.limit };
  if (!instance) {
    const hides = hiding(nodeFields, subject, page.sort_key);
    const reads = readsOf(selection.looksAt, readToShow(nodeFields, want, [page.sort_key]));
    return {
      nodes: await listRecords<ListedNode>(deps.table, kinds.node, page, { ...selection, hides, reads }),
      limit: page.limit,
    };
  }
  const node = await nodeOfInstance(deps.table, instance[0]!);
  return { nodes: node && selection.keep(node) ? [node] : [], limit: Infinity };
};

/** A page of nodes by the query of the call; `fixed` are filters that the path stands for. */
export const answerNodes = async (
  deps: Deps,
  call: Call,
  path: string,
  want: Want,
  fixed: Call['query'] = {},
): Promise<Answer> => {
  const { nodes, limit } = await select(deps, { ...call, query: { ...call.query, ...fixed } }, want);
  const next = nextLink(call.base, path, call.query, limit, nodes);
  const texts = await nodeTexts(deps, call, want, nodes);
  return { json: `{"nodes":[${texts.join(',')}]${next ? `,"next":${JSON.stringify(next)}` : ''}}` };
};

export const listRoutes = lists.map(([suffix, query, wantOf]) =>
  route({
    at: `GET /v1/nodes${suffix}`,
    policy: 'baremetal:node:list_all',
    own: 'baremetal:node:list',
    query: { ...query, ...nodeQuery },
    ...answersOf('nodes', nodeFields).list,
    handle: async (deps, call) => answerNodes(deps, call, `/v1/nodes${suffix}`, wantOf(call, nodeFields)),
  }),
);
