/** Which nodes an allocation may get, and if there are none, why. */
import { type Allocation, createTally, fits } from '../../layers/domain/allocation.ts';
import { freeValue } from '../../layers/domain/free-nodes.ts';
import { placementClass } from '../../layers/domain/resource-class.ts';
import type { Chance, Platform } from '../../layers/platform/platform.ts';
import type { Table } from '../../layers/platform/table.ts';
import { toListed } from '../../layers/store/kinds/form.ts';
import { keyOf } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { ListedNode } from '../../layers/store/nodes.ts';
import { readRecordBy } from '../../layers/store/records/find.ts';
import { isAny, recordsIn } from '../../layers/store/records/list.ts';

type Needs = Pick<Platform, 'table' | 'chance'>;

/** `reason` tells how many nodes met which wish. */
export type Candidates = { readonly nodes: readonly ListedNode[]; readonly reason: string };

/** So many are enough to find one that nobody else takes at the same moment. */
const enough = 50;
/** Most nodes that one query reads. */
const chunk = 200;

/** In random order, so that allocations of the same moment do not all want the same node. */
const shuffle = <T>({ number }: Chance, items: readonly T[]): T[] => {
  const keyed = items.map((item) => ({ item, key: number() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
};

/** The nodes that were named, in one part; those that do not exist any more are left out. */
async function* namedNodes(table: Table, uuids: readonly string[]): AsyncGenerator<ListedNode[]> {
  const items = await table.getMany(uuids.map((uuid) => keyOf(kinds.node, uuid)));
  yield items.flatMap((item) => (item ? [toListed<ListedNode>(kinds.node, item)] : []));
}

/** The node that has the name of the allocation, if that may have it. */
const namesake = async (table: Table, allocation: Allocation): Promise<ListedNode[]> => {
  const { name, candidate_nodes: named } = allocation;
  const node = name === null ? undefined : await readRecordBy(table, kinds.node, 'node_name', name);
  if (!node || (named.length > 0 && !named.includes(node.uuid))) return [];
  return fits(node, allocation) ? [node] : [];
};

/** Says so if not even a node that is in use has the resource class: then it is misspelt, or nodes lack theirs. */
const unknownClass = async (table: Table, resourceClass: string): Promise<string> =>
  (await isAny(table, kinds.node, { index: 'resource_class', value: resourceClass }))
    ? ''
    : ` No node at all has resource class "${resourceClass}".`;

/**
 * Nodes that fit the allocation, in the order in which they should be tried. Only the free nodes of the resource class
 * are read, or those that the allocation names, never the fleet.
 */
export const findCandidates = async (needs: Needs, allocation: Allocation): Promise<Candidates> => {
  const { table, chance } = needs;
  const { candidate_nodes: named, resource_class: resourceClass } = allocation;
  const tally = createTally(allocation);
  const first = await namesake(table, allocation);
  const fitting: ListedNode[] = [];
  const free = { index: 'free', value: freeValue({ placement_class: placementClass(resourceClass ?? '') }) };
  const arrange = <T>(shards: readonly T[]) => shuffle(chance, shards);
  const parts =
    named.length > 0 ? namedNodes(table, named) : recordsIn<ListedNode>(table, kinds.node, free, { chunk, arrange });
  for await (const part of parts) {
    fitting.push(...part.filter(tally.see));
    if (fitting.length >= enough) break;
  }
  const others = shuffle(chance, fitting).filter(({ uuid }) => uuid !== first[0]?.uuid);
  const nodes = [...first, ...others];
  const hint = nodes.length === 0 ? await unknownClass(table, resourceClass!) : '';
  return { nodes, reason: `${tally.tell()}.${hint}` };
};
