/** What lists of ports, port groups and volumes have in common: they are asked for by address, or by what their node is. */
import { readList, type Page } from '../../layers/domain/page.ts';
import { allows } from '../../layers/domain/policy.ts';
import { check } from '../../layers/domain/schema.ts';
import type { Kept, KindOf } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { cutPage } from '../../layers/store/lists.ts';
import { nodesOfProject, nodesWith } from '../../layers/store/node-lists.ts';
import type { ListedNode, StoredNode } from '../../layers/store/nodes.ts';
import { readRecord, readRecordBy, recordsOf, recordsOfMany } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import { findVisible } from './node/find.ts';
import type { Call, Deps } from './route.ts';

type Belonging = Kept & { readonly node_uuid: string };

/** The node that a path stands for, the page, and what else of the call matters. */
type Asked = Pick<Call, 'query' | 'subject' | 'only'> & { readonly page: Page; readonly node: StoredNode | undefined };

/** Filters by a field of the node. */
const nodeFilters = { shard: 'shard', conductor_groups: 'conductor_group' } as const;

/** What those ask for; undefined if there is none. */
const wantedOf = (query: Call['query']) =>
  Object.entries(nodeFilters)
    .filter(([name]) => query[name])
    .map(([name, field]) => {
      const values = readList(query[name]!);
      return { field, values, fits: (node: ListedNode) => values.includes(node[field] ?? '') };
    })[0];

/** Of those that are asked for by what their node is, the nodes; undefined if by nothing of the kind. */
const nodesOf = async ({ table }: Deps, { query, only }: Asked): Promise<string[] | undefined> => {
  const wanted = wantedOf(query);
  if (only === null) return wanted && [...(await nodesWith(table, wanted.field, wanted.values))];
  const mine = await nodesOfProject(table, only);
  return mine.filter((node) => wanted?.fits(node) ?? true).map(({ uuid }) => uuid);
};

/** The one with an address; none if it is not of this node, or of one that the caller may not see. */
const byAddress = async <R extends Belonging>(
  { table }: Deps,
  kind: KindOf<R>,
  { query, subject }: Asked,
  home: StoredNode | undefined,
): Promise<R[]> => {
  const { schema, unique } = kind.fields['address']!;
  const found = await readRecordBy(table, kind, unique!, check(schema, query['address']![0]) as string);
  if (!found || (home && found.node_uuid !== home.uuid)) return [];
  const node = home ?? (await readRecord(table, kinds.node, found.node_uuid));
  const fits = node && allows('baremetal:node:get', subject, node) && (wantedOf(query)?.fits(node) ?? true);
  return fits ? [found] : [];
};

/**
 * A page by the filters node, node_uuid, address, shard and conductor_groups, of those that `keep` keeps; with `node`
 * only of this one. For all projects, without a node or an address, it is a pass over all; for one project it reads
 * what the project's nodes have. Throws NotFound (404), Invalid (400).
 */
export const selectBelongings = async <R extends Belonging>(
  deps: Deps,
  kind: KindOf<R>,
  asked: Asked,
  keep: (record: R) => boolean,
): Promise<R[]> => {
  const { query, page, subject, only } = asked;
  const ident = query['node']?.[0] ?? query['node_uuid']?.[0];
  const home = asked.node ?? (ident === undefined ? undefined : await findVisible(deps, subject, ident));
  if (query['address']) return cutPage((await byAddress<R>(deps, kind, asked, home)).filter(keep), page);
  if (home) return cutPage((await recordsOf(deps.table, kind, home.uuid)).filter(keep), page);
  const nodes = await nodesOf(deps, asked);
  if (only !== null) return cutPage((await recordsOfMany(deps.table, kind, nodes!)).filter(keep), page);
  const known = nodes && new Set(nodes);
  const kept = (record: R) => keep(record) && (known?.has(record.node_uuid) ?? true);
  return listRecords(deps.table, kind, page, { keep: kept });
};
