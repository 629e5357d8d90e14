/** Which nodes an allocation may get, and if there are none, why. */
import { type Allocation, createTally, fits } from '../../layers/domain/allocation.ts';
import { freeIndex, freePartition, indexName, indexPartition, shards } from '../../layers/store/indexes.ts';
import type { Chance, Platform } from '../../layers/platform/platform.ts';
import type { Item, Table } from '../../layers/platform/table.ts';
import { guardKey } from '../../layers/store/kinds/key.ts';
import { keyOf } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { ListedNode } from '../../layers/store/nodes.ts';

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

const everyShard = Array.from({ length: shards }, (_, shard) => shard);

/** The free nodes of a resource class, in parts. */
async function* freeNodes({ table, chance }: Needs, resourceClass: string): AsyncGenerator<Item[]> {
  for (const shard of shuffle(chance, everyShard)) {
    const place = { index: freeIndex, partition: freePartition(resourceClass, shard), limit: chunk };
    let part: Item[] = await table.query(place);
    for (; part.length > 0; part = part.length < chunk ? [] : await table.query({ ...place, after: lastOf(part) })) {
      yield part;
    }
  }
}

const lastOf = (part: readonly Item[]): string => part.at(-1)!['position'] as string;

/** The nodes that were named; those that do not exist any more are left out. */
async function* namedNodes(table: Table, uuids: readonly string[]): AsyncGenerator<Item[]> {
  yield (await table.getMany(uuids.map((uuid) => keyOf(kinds.node, uuid)))).filter((item) => item !== undefined);
}

/** The node that has the name of the allocation, if that may have it. */
const namesake = async (table: Table, allocation: Allocation): Promise<ListedNode[]> => {
  const { name, candidate_nodes: named } = allocation;
  const uuid =
    name === null ? undefined : ((await table.get(guardKey('node_name', name)))?.['node'] as string | undefined);
  if (uuid === undefined || (named.length > 0 && !named.includes(uuid))) return [];
  const node = (await table.get(keyOf(kinds.node, uuid))) as ListedNode | undefined;
  return node && fits(node, allocation) ? [node] : [];
};

/** Says so if not even a node that is in use has the resource class: then it is misspelt, or nodes lack theirs. */
const unknownClass = async (table: Table, resourceClass: string): Promise<string> => {
  const found = await Promise.all(
    everyShard.map(async (shard) =>
      table.query({
        index: indexName('resource_class'),
        partition: indexPartition('node', 'resource_class', resourceClass, shard),
        limit: 1,
      }),
    ),
  );
  return found.flat().length > 0 ? '' : ` No node at all has resource class "${resourceClass}".`;
};

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
  const parts = named.length > 0 ? namedNodes(table, named) : freeNodes(needs, resourceClass!);
  for await (const part of parts) {
    fitting.push(...(part as unknown as ListedNode[]).filter(tally.see));
    if (fitting.length >= enough) break;
  }
  const others = shuffle(chance, fitting).filter(({ uuid }) => uuid !== first[0]?.uuid);
  const nodes = [...first, ...others];
  const hint = nodes.length === 0 ? await unknownClass(table, resourceClass!) : '';
  return { nodes, reason: `${tally.tell()}.${hint}` };
};
