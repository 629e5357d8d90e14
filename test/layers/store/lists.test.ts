import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Page } from '../../../layers/domain/page.ts';
import type { Item, Query, Table } from '../../../layers/platform/table.ts';
import { cutPage, readList, type Found, type Span } from '../../../layers/store/lists.ts';

/** A table that holds one list in 16 shards, already sorted, and counts what is read of it. */
const shardedTable = (count: number, shardOf: (n: number) => number = (n) => (n * 7919) % 16) => {
  const shards: Item[][] = Array.from({ length: 16 }, () => []);
  for (let n = 0; n < count; n += 1) {
    const shard = shardOf(n);
    shards[shard]!.push({ pk: `x#${shard}`, sk: String(n).padStart(8, '0'), n });
  }
  const read = { items: 0, queries: 0 };
  const query = async ({ partition, after, before, descending, limit }: Query) => {
    const shard = shards[Number(partition.split('#')[1])]!;
    const inside = shard.filter(({ sk }) => (!after || sk > after) && (!before || sk < before));
    const found = (descending ? inside.toReversed() : inside).slice(0, limit);
    read.items += found.length;
    read.queries += 1;
    return found;
  };
  return { table: { query } as unknown as Table, read };
};

const shards = Array.from({ length: 16 }, (_, shard) => ({ partition: `x#${shard}`, place: 'x' }));
/** What entries lead to is their number. */
const resolve = async (found: readonly Found<string>[]) =>
  found.map(({ entry }) => (entry as unknown as Item)['n'] as number);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('a merged list', () => {
  it('is what one sorted list would be, wherever it starts, however it is sharded, and whatever is gone', async () => {
    const span = fc.record({
      count: fc.nat(200),
      limit: fc.integer({ min: 1, max: 80 }),
      from: fc.option(fc.nat(200)),
      descending: fc.boolean(),
      modulus: fc.integer({ min: 1, max: 5 }),
      gone: fc.integer({ min: 2, max: 9 }),
      spread: fc.integer({ min: 1, max: 16 }),
    });
    await fc.assert(
      fc.asyncProperty(span, async ({ count, limit, from, descending, modulus, gone, spread }) => {
        const { table } = shardedTable(count, (n) => n % spread);
        const after = from === null ? undefined : String(from).padStart(8, '0');
        const found = await readList(
          table,
          shards,
          { after, descending, limit },
          async (entries) => (await resolve(entries)).map((n) => (n % gone === 1 ? undefined : n)),
          (n) => n % modulus === 0,
        );
        const ordered = descending ? upTo(count).toReversed() : upTo(count);
        const expected = ordered
          .filter((n) => from === null || (descending ? n < from : n > from))
          .filter((n) => n % modulus === 0 && n % gone !== 1)
          .slice(0, limit);
        expect(found).toEqual(expected);
      }),
    );
  });

  it('reads as much of a large fleet as of a small one', async () => {
    const cost = async (count: number) => {
      const { table, read } = shardedTable(count);
      const resolved: number[] = [];
      const span: Span = { descending: false, limit: 1000 };
      const found = await readList(table, shards, span, async (entries) => {
        resolved.push(entries.length);
        return resolve(entries);
      });
      expect(found).toHaveLength(1000);
      return { ...read, resolved };
    };
    const small = await cost(2000);
    const large = await cost(100_000);
    expect(large).toEqual(small);
    expect(large.items).toBeLessThan(1500);
    expect(large.queries).toBeLessThan(24);
    // What entries lead to is dearer than they are: nothing of it is read in vain.
    expect(large.resolved).toEqual([1000]);
  });

  it('has what is in two places once', async () => {
    const { table } = shardedTable(50);
    expect(await readList(table, [...shards, ...shards], { descending: false, limit: 30 }, resolve)).toEqual(upTo(30));
  });
});

describe('a page by another key', () => {
  const records = upTo(20).map((n) => ({ uuid: `u${n}`, position: String(n).padStart(8, '0'), third: n % 3 }));
  const page: Page = { limit: 4, marker: undefined, sort_key: 'third', descending: false };
  const cut = (options: Partial<Page>, hides?: (record: { uuid: string }) => boolean) =>
    cutPage(records, { ...page, ...options }, hides).map(({ uuid }) => Number(uuid.slice(1)));

  it('goes on after its marker, ties in the order of creation', () => {
    expect(cut({})).toEqual([0, 3, 6, 9]);
    expect(cut({ marker: 'u9' })).toEqual([12, 15, 18, 1]);
    expect(cut({ descending: true })).toEqual([2, 5, 8, 11]);
  });

  it('has what hides its key where it has what lacks it', () => {
    const hides = ({ uuid }: { uuid: string }) => uuid === 'u7' || uuid === 'u2';
    expect(cut({}, hides)).toEqual([2, 7, 0, 3]);
    expect(cut({ marker: 'u7' }, hides)).toEqual([0, 3, 6, 9]);
    expect(cut({ descending: true, limit: 20 }, hides).slice(-2)).toEqual([2, 7]);
  });

  it('does not know a marker that is not in it', () => {
    expect(() => cut({ marker: 'nope' })).toThrow(expect.objectContaining({ code: 404 }));
  });
});
