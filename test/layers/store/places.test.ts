/** Numbered places, each of which one has at most. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createMemoryTable } from '../../../layers/platform/memory/table.ts';
import { isConditionFailed, type Table } from '../../../layers/platform/table.ts';
import {
  countTaken,
  findFree,
  freePlace,
  isAnyTaken,
  isFree,
  takePlace,
  type Stretch,
} from '../../../layers/store/places.ts';

const space = { partition: 'addresses#x', digits: 8 } as const;
const always = (number: number) => ({ number: () => number });
const stretches = (...ends: [number, number][]): Stretch[] =>
  ends.map(([first, last]) => ({ first: BigInt(first), last: BigInt(last) }));

const take = async (table: Table, ...places: number[]) => {
  for (const place of places) await table.write([takePlace(space, BigInt(place), `h${place}`)]);
};

/** Counts what is read. */
const counting = (table: Table) => {
  const read = { queries: 0, items: 0 };
  const query: Table['query'] = async (asked) => {
    const found = await table.query(asked);
    read.queries += 1;
    read.items += found.length;
    return found;
  };
  return { table: { ...table, query }, read };
};

describe('a free place', () => {
  it('is one of the stretches that nobody has, as long as there is one', async () => {
    const places = fc.uniqueArray(fc.nat(60), { maxLength: 60 });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(places, chance, async (held, number) => {
        const table = createMemoryTable();
        await take(table, ...held);
        const wanted = stretches([0, 9], [20, 20], [30, 49]);
        const free = [...Array(61).keys()].filter(
          (place) => !held.includes(place) && wanted.some(({ first, last }) => first <= place && place <= last),
        );
        const found = await findFree({ table, chance: always(number) }, space, wanted);
        expect(found === undefined ? free.length === 0 : free.includes(Number(found))).toBe(true);
      }),
    );
  });

  it('can be any of them', async () => {
    const table = createMemoryTable();
    const found = await Promise.all(
      [0, 0.25, 0.5, 0.75, 0.999].map(async (number) =>
        findFree({ table, chance: always(number) }, space, stretches([10, 11], [20, 21])),
      ),
    );
    expect(found).toEqual([10n, 11n, 20n, 21n, 21n]);
  });

  it('is found with one query of few items in a space of millions', async () => {
    const { table, read } = counting(createMemoryTable());
    await take(table, ...Array.from({ length: 500 }, (_, at) => at * 100));
    for (const number of [0.001, 0.3, 0.9]) {
      await findFree({ table, chance: always(number) }, space, stretches([1, 10_000_000]));
    }
    expect(read.queries).toBe(3);
    expect(read.items).toBeLessThan(100);
  });

  it('is nowhere in no stretch', async () => {
    expect(await findFree({ table: createMemoryTable(), chance: always(0) }, space, [])).toBeUndefined();
  });

  it('may be the last one that there is', async () => {
    const wide = { partition: 'addresses#v6', digits: 32 } as const;
    const last = 2n ** 128n - 1n;
    const table = createMemoryTable();
    const one = [{ first: last, last }];
    expect(await findFree({ table, chance: always(0) }, wide, one)).toBe(last);
    await table.write([takePlace(wide, last, 'h')]);
    expect(await findFree({ table, chance: always(0) }, wide, one)).toBeUndefined();
  });
});

describe('a place', () => {
  it('has one holder, until it is given back', async () => {
    const table = createMemoryTable();
    await take(table, 7);
    expect(await isAnyTaken(table, space)).toBe(true);
    await expect(take(table, 7)).rejects.toSatisfy(isConditionFailed);
    await expect(table.write([isFree(space, 7n), takePlace(space, 8n, 'h')])).rejects.toSatisfy(isConditionFailed);
    await table.write([freePlace(space, 7n)]);
    await table.write([isFree(space, 7n), takePlace(space, 8n, 'h')]);
    await table.write([isFree(space, 7n)]);
  });

  it('is counted while it is taken', async () => {
    const table = createMemoryTable();
    expect(await isAnyTaken(table, space)).toBe(false);
    await take(table, 1, 2, 3);
    expect(await isAnyTaken(table, space)).toBe(true);
    expect(await countTaken(table, space)).toBe(3);
  });
});
