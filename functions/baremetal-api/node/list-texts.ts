/**
 * The JSON of nodes in lists. It is kept as long as a table hands out the same item: on one machine until the node is
 * written (local/table/reader.ts). Most nodes of a list that is asked for again have not changed.
 */
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { withheldFrom, type Want } from '../../../layers/domain/projection.ts';
import type { Call, Deps } from '../route.ts';
import { needsInfo, nodeView } from './view.ts';
import { withInfo } from '../../../layers/store/node-lists.ts';
import type { ListedNode } from '../../../layers/store/nodes.ts';

type Texts = WeakMap<ListedNode, string>;

/** Ways to show nodes, by everything a text depends on. Clients choose them, so only the last few are kept. */
const views = new Map<string, Texts>();
const maxViews = 8;

const textsOf = (view: string): Texts => {
  const texts = views.get(view) ?? new WeakMap<ListedNode, string>();
  views.delete(view);
  views.set(view, texts);
  for (const oldest of views.keys()) if (views.size > maxViews) views.delete(oldest);
  return texts;
};

/**
 * Sorts nodes by what of them is withheld from this caller: a text is shared by all who see the same, and by nobody
 * else.
 */
const shelves = (view: readonly unknown[], call: Call) => {
  const namesOf = withheldFrom(nodeFields, call.subject);
  const known = new Map<string, Texts>();
  return (node: ListedNode): Texts => {
    const key = namesOf(node).join();
    const texts = known.get(key) ?? textsOf(JSON.stringify([...view, key]));
    known.set(key, texts);
    return texts;
  };
};

/** The JSON of each node as this caller asked for it. Reads the instance_info of those that are not kept. */
export const nodeTexts = async (
  deps: Pick<Deps, 'config' | 'table'>,
  call: Call,
  want: Want,
  nodes: readonly ListedNode[],
): Promise<string[]> => {
  const shelfOf = shelves([deps.config.site, call.base, call.version, want], call);
  const placed = nodes.map((node) => ({ node, texts: shelfOf(node) }));
  const fresh = placed.filter(({ node, texts }) => !texts.has(node));
  // Who writes instance_info writes the node too, so a node that is still the same has the instance_info it had.
  const whole = await withInfo(
    deps.table,
    fresh.map(({ node }) => node),
    needsInfo(want),
  );
  const view = nodeView(deps, call, want);
  fresh.forEach(({ node, texts }, at) => texts.set(node, JSON.stringify(view(whole[at]!))));
  return placed.map(({ node, texts }) => texts.get(node)!);
};
