import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Page } from '../../../layers/domain/page.ts';
import { everyShard, readList, readPage, type Shown, type Span } from '../../../layers/store/lists.ts';
import type { Item, Query, Table } from '../../../layers/platform/table.ts';

/** A table that holds one list in 16 shards, already sorted, and counts what is read of it. */
const shardedTable = (count: number, shardOf: (n: number) => number = (n) => (n * 7919) % 16) => {
  const shards: Item[][] = Array.from({ length: 16 }, () => []);
  for (let n = 0; n < count; n += 1) {
    const position = String(n).padStart(8, '0');
    shards[shardOf(n)]!.push({ pk: `x#${n}`, sk: 'x', uuid: `u${n}`, position, n, third: n % 3 });
  }
  const read = { items: 0, queries: 0 };
  const query = async ({ partition, after, before, descending, limit }: Query) => {
    const shard = shards[Number(partition.split('#')[1])]!;
    const inside = shard.filter(
      (item) => (!after || String(item['position']) > after) && (!before || String(item['position']) < before),
    );
    const found = (descending ? inside.toReversed() : inside).slice(0, limit);
    read.items += found.length;
    read.queries += 1;
    return found;
  };
  return { table: { query } as unknown as Table, read };
};

const places = everyShard('list', (shard) => `x#${shard}`);
const numbers = (items: readonly Item[]) => items.map(({ n }) => n as number);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('a merged list', () => {
  it('is what one sorted list would be, wherever it starts and however it is sharded', async () => {
    const span = fc.record({
      count: fc.nat(200),
      limit: fc.integer({ min: 1, max: 80 }),
      from: fc.option(fc.nat(200)),
      descending: fc.boolean(),
      modulus: fc.integer({ min: 1, max: 5 }),
      spread: fc.integer({ min: 1, max: 16 }),
    });
    await fc.assert(
      fc.asyncProperty(span, async ({ count, limit, from, descending, modulus, spread }) => {
        const { table } = shardedTable(count, (n) => n % spread);
        const after = from === null ? undefined : String(from).padStart(8, '0');
        const items = await readList(
          table,
          places,
          { after, descending, limit },
          ({ n }) => (n as number) % modulus === 0,
        );
        const ordered = descending ? upTo(count).toReversed() : upTo(count);
        const expected = ordered
          .filter((n) => from === null || (descending ? n < from : n > from))
          .filter((n) => n % modulus === 0)
          .slice(0, limit);
        expect(numbers(items)).toEqual(expected);
      }),
    );
  });

  it('reads as much of a large fleet as of a small one', async () => {
    const cost = async (count: number) => {
      const { table, read } = shardedTable(count);
      const span: Span = { descending: false, limit: 1000 };
      expect(await readList(table, places, span)).toHaveLength(1000);
      return read;
    };
    const small = await cost(2000);
    const large = await cost(100_000);
    expect(large).toEqual(small);
    expect(large.items).toBeLessThan(1500);
    expect(large.queries).toBeLessThan(24);
  });

  it('has an item that is in two places once', async () => {
    const { table } = shardedTable(50);
    const items = await readList(table, [...places, ...places], { descending: false, limit: 30 });
    expect(numbers(items)).toEqual(upTo(30));
  });
});

describe('a page by another key', () => {
  const { table } = shardedTable(20);
  const page: Page = { limit: 4, marker: undefined, sort_key: 'third', descending: false };
  const read = async (options: Partial<Page>, shown: Partial<Shown> = {}) =>
    numbers(
      await readPage(
        table,
        places,
        { ...page, ...options },
        { keep: () => true, find: async () => undefined, ...shown },
      ),
    );

  it('goes on after its marker, ties in the order of creation', async () => {
    expect(await read({})).toEqual([0, 3, 6, 9]);
    expect(await read({ marker: 'u9' })).toEqual([12, 15, 18, 1]);
    expect(await read({ descending: true })).toEqual([2, 5, 8, 11]);
  });

  it('has what hides its key where it has what lacks it', async () => {
    const hides = ({ uuid }: Item) => uuid === 'u7' || uuid === 'u2';
    expect(await read({}, { hides })).toEqual([2, 7, 0, 3]);
    expect(await read({ marker: 'u7' }, { hides })).toEqual([0, 3, 6, 9]);
    expect(await read({ descending: true, limit: 20 }, { hides })).toSatisfy(
      (all: number[]) => all.slice(-2).join() === '2,7',
    );
  });

  it('does not know a marker that is not in it', async () => {
    await expect(read({ marker: 'nope' })).rejects.toMatchObject({ code: 404 });
    await expect(read({ marker: 'nope', sort_key: 'id' })).rejects.toMatchObject({ code: 404 });
  });
});
