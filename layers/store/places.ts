/**
 * Spaces of numbered places, each of which one has at most: the addresses of a subnet, what a project may still make of a
 * kind. Who has a place is an item, written with the record in one transaction, so none is ever given twice. A free one
 * is found by chance: hundreds who look at once look in different parts, and a search reads no more than the full stretch
 * that it happens to begin in, unless all places are taken.
 */
import type { Chance } from '../platform/platform.ts';
import { absent, type Item, type Key, type Table, type Write } from '../platform/table.ts';

/** `digits`: how many hexadecimal ones all numbers have, so that their keys sort as they do. */
export type Space = { readonly partition: string; readonly digits: number };

/** Places from one to another, both included. */
export type Stretch = { readonly first: bigint; readonly last: bigint };

const sortOf = ({ digits }: Space, place: bigint): string => place.toString(16).padStart(digits, '0');

const keyOf = (space: Space, place: bigint): Key => ({ pk: space.partition, sk: sortOf(space, place) });

const placeOf = ({ sk }: Key): bigint => BigInt(`0x${sk}`);

/** Takes a place for `holder`; refused if somebody has it. */
export const takePlace = (space: Space, place: bigint, holder: string): Write => ({
  put: { ...keyOf(space, place), holder },
  when: [absent],
});

/** Gives a place back, in the transaction that is about its holder. */
export const freePlace = (space: Space, place: bigint): Write => ({ delete: keyOf(space, place) });

/** Nobody has the place. */
export const isFree = (space: Space, place: bigint): Write => ({ check: keyOf(space, place), when: [absent] });

/** A number below `count`, as evenly as chance is. */
const random = (chance: Chance, count: bigint): bigint =>
  (BigInt(Math.floor(chance.number() * 2 ** 52)) * count) >> 52n;

const lengthOf = ({ first, last }: Stretch): bigint => last - first + 1n;

/** The stretches in the order of a search that begins at their `at`-th place and goes round. */
const roundFrom = (stretches: readonly Stretch[], at: bigint): Stretch[] => {
  let before = 0n;
  for (const [index, stretch] of stretches.entries()) {
    const inside = at - before;
    before += lengthOf(stretch);
    if (at >= before) continue;
    const { first, last } = stretch;
    const rest = { first: first + inside, last };
    const start = inside === 0n ? [] : [{ first, last: first + inside - 1n }];
    return [rest, ...stretches.slice(index + 1), ...stretches.slice(0, index), ...start];
  }
  return [];
};

/** Places that one query asks for, at first and at most; in a space that is rather empty few are enough. */
const chunks = { first: 32, most: 1000 } as const;

const taken = async (table: Table, space: Space, { first, last }: Stretch, limit?: number): Promise<Item[]> =>
  table.query({
    partition: space.partition,
    ...(first > 0n && { after: sortOf(space, first - 1n) }),
    // Of all keys the next one is the same with one more character.
    before: `${sortOf(space, last)}0`,
    ...(limit !== undefined && { limit }),
  });

const firstFree = async (table: Table, space: Space, stretch: Stretch): Promise<bigint | undefined> => {
  let next = stretch.first;
  for (let limit: number = chunks.first; next <= stretch.last; limit = Math.min(limit * 4, chunks.most)) {
    const found = await taken(table, space, { first: next, last: stretch.last }, limit);
    for (const item of found) {
      if (placeOf(item) !== next) return next;
      next += 1n;
    }
    if (found.length < limit) break;
  }
  return next <= stretch.last ? next : undefined;
};

/**
 * A place of these stretches that nobody has, as far as can be told before it is taken; undefined if all are taken. The
 * stretches have none in common.
 */
export const findFree = async (
  { table, chance }: { readonly table: Table; readonly chance: Chance },
  space: Space,
  stretches: readonly Stretch[],
): Promise<bigint | undefined> => {
  const count = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0n);
  for (const stretch of roundFrom(stretches, random(chance, count))) {
    const found = await firstFree(table, space, stretch);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Whether anybody has a place. */
export const isAnyTaken = async (table: Table, { partition }: Space): Promise<boolean> =>
  (await table.query({ partition, limit: 1 })).length > 0;

/** How many places of a space are taken, from one on; it costs as much. */
export const countTaken = async (table: Table, space: Space, from = 0n): Promise<number> => {
  const { partition } = space;
  return (await table.query({ partition, ...(from > 0n && { after: sortOf(space, from - 1n) }) })).length;
};
