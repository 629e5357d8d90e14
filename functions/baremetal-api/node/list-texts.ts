/**
 * The JSON of nodes in lists. It is kept as long as a table hands out the same item: on one machine until the node is
 * written (local/table/reader.ts). Most nodes of a list that is asked for again have not changed.
 */
import type { Want } from '../../../layers/domain/projection.ts';
import { withInfo, type ListedNode } from '../../../layers/store/node-lists.ts';
import type { Call, Deps } from '../route.ts';
import { needsInfo, nodeView } from './view.ts';

type Texts = WeakMap<ListedNode, string>;

/** Ways to show nodes, by everything `nodeView` depends on. Clients choose them, so only the last few are kept. */
const views = new Map<string, Texts>();
const maxViews = 8;

const textsOf = (view: string): Texts => {
  const texts = views.get(view) ?? new WeakMap<ListedNode, string>();
  views.delete(view);
  views.set(view, texts);
  for (const oldest of views.keys()) if (views.size > maxViews) views.delete(oldest);
  return texts;
};

/** The JSON of each node as this caller asked for it. Reads the instance_info of those that are not kept. */
export const nodeTexts = async (
  deps: Pick<Deps, 'config' | 'table'>,
  call: Call,
  want: Want,
  nodes: readonly ListedNode[],
): Promise<string[]> => {
  const texts = textsOf(JSON.stringify([deps.config.site, call.base, call.version, want]));
  const fresh = nodes.filter((node) => !texts.has(node));
  // Who writes instance_info writes the node too, so a node that is still the same has the instance_info it had.
  const whole = await withInfo(deps.table, fresh, needsInfo(want));
  const view = nodeView(deps, call, want);
  fresh.forEach((node, at) => texts.set(node, JSON.stringify(view(whole[at]!))));
  return nodes.map((node) => texts.get(node)!);
};
