/** What lists of ports and port groups have in common: they are asked for by address, or by what their node is. */
import { readList, type Page } from '../../layers/domain/page.ts';
import { check } from '../../layers/domain/schema.ts';
import { belongingBy, belongingsOf, listBelongings, type Kind, type Stored } from '../../layers/store/belongings.ts';
import { cutPage } from '../../layers/store/lists.ts';
import { nodesWith } from '../../layers/store/node-lists.ts';
import { findNode, type StoredNode } from '../../layers/store/nodes.ts';
import type { Call, Deps } from './route.ts';

type Belonging = { readonly uuid: string; readonly node_uuid: string };

/** Of those that are asked for by what their node is, the nodes; undefined if by nothing of the kind. */
const nodesOf = async ({ table }: Deps, query: Call['query']): Promise<Set<string> | undefined> => {
  if (query['shard']) return nodesWith(table, 'shard', readList(query['shard']));
  if (query['conductor_groups']) return nodesWith(table, 'conductor_group', readList(query['conductor_groups']));
  return undefined;
};

/** Those in one place: a node, or the one with an address. undefined: in the whole fleet. */
const placeOf = async <R extends Belonging>(
  { table }: Deps,
  kind: Kind,
  query: Call['query'],
  node: StoredNode | undefined,
): Promise<Stored<R>[] | undefined> => {
  const ident = query['node']?.[0] ?? query['node_uuid']?.[0];
  const home = node ?? (ident === undefined ? undefined : await findNode(table, ident));
  const { schema, unique } = kind.fields['address']!;
  if (query['address']) {
    const address = check(schema, query['address'][0]) as string;
    const found = await belongingBy<R>(table, kind, unique!, address);
    return found && (!home || found.node_uuid === home.uuid) ? [found] : [];
  }
  return home && belongingsOf<R>(table, kind, home.uuid);
};

/**
 * A page by the filters node, node_uuid, address, shard and conductor_groups, of those that `keep` keeps; with `node`
 * only of this one. Without a node or an address it is a pass over all. Throws NotFound (404), Invalid (400).
 */
export const selectBelongings = async <R extends Belonging>(
  deps: Deps,
  kind: Kind,
  { query, page, node }: { query: Call['query']; page: Page; node: StoredNode | undefined },
  keep: (record: Stored<R>) => boolean,
): Promise<Stored<R>[]> => {
  const nodes = await nodesOf(deps, query);
  const wanted = (record: Stored<R>) => keep(record) && (!nodes || nodes.has(record.node_uuid));
  const place = await placeOf<R>(deps, kind, query, node);
  return place ? cutPage(place.filter(wanted), page) : listBelongings<R>(deps.table, kind, page, wanted);
};
