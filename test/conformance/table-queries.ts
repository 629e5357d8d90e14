/** What a table finds: ranges, all there is, and nothing that has expired. */
import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';

import type { Item, Key, Table } from '../../layers/platform/table.ts';
import { fresh, put } from './table-item.ts';

export const describeQueries = (table: Table) =>
  describe('queries', () => {
    const pk = `test#${randomUUID()}`;
    const sorts = ['a', 'node', 'port#1', 'port#10', 'port#2', 'port#😀', 'port#\uffee', 'portgroup#1', 'z', 'é', '😀'];
    const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const ask = async (query: object) => (await table.query({ partition: pk, ...query })).map(({ sk }) => sk);

    beforeAll(async () => {
      await put(table, ...sorts.map((sk) => ({ pk, sk, value: sk })), { pk: `${pk}x`, sk: 'node' });
    });

    it('give a partition in the order of its UTF-8 bytes', async () => {
      expect(await ask({})).toEqual(sorts.toSorted(bytes));
      expect(await ask({ descending: true })).toEqual(sorts.toSorted(bytes).toReversed());
      expect(await table.query({ partition: `${pk}y` })).toEqual([]);
    });

    const bounds = [undefined, 'a', 'node', 'port#', 'port#1', 'port#2', 'port#3', 'q', '😀'];
    const cases = [undefined, 'port', 'port#', 'port#1', 'none', '😀'].flatMap((begins) =>
      bounds.flatMap((after) => bounds.map((before) => ({ begins, after, before }))),
    );
    it('combine begins, after and before', async () => {
      for (const { begins, after, before } of cases) {
        const query = { ...(begins && { begins }), ...(after && { after }), ...(before && { before }) };
        const expected = sorts
          .toSorted(bytes)
          .filter((sk) => !begins || sk.startsWith(begins))
          .filter((sk) => !after || bytes(sk, after) > 0)
          .filter((sk) => !before || bytes(sk, before) < 0);
        expect([query, await ask(query)]).toEqual([query, expected]);
        const limited = await ask({ ...query, limit: 2, descending: true });
        expect([query, limited]).toEqual([query, expected.toReversed().slice(0, 2)]);
      }
    });

    it('page through more than one answer of the database holds', async () => {
      const partition = `test#${randomUUID()}`;
      const body = 'x'.repeat(100_000);
      for (let at = 0; at < 24; at += 1) await put(table, { pk: partition, sk: `${100 + at}`, body });
      expect(await table.query({ partition })).toHaveLength(24);
      const limited = await table.query({ partition, limit: 15, after: '102' });
      expect(limited.map(({ sk }) => sk)).toEqual(Array.from({ length: 15 }, (_, at) => `${103 + at}`));
    });
  });

export const describeScans = (table: Table) =>
  describe('scans', () => {
    const all = async (limit: number): Promise<Item[]> => {
      const found: Item[] = [];
      let after: Key | undefined;
      do {
        const part = await table.scan({ after, limit });
        found.push(...part.items);
        after = part.next;
      } while (after);
      return found;
    };

    it('come upon everything once, in parts of any size, in an order that stays', async () => {
      const pk = `test#${randomUUID()}`;
      const mine = Array.from({ length: 25 }, (_, at) => ({ pk: at % 2 === 0 ? pk : `${pk}${at}`, sk: `${at}` }));
      await put(table, ...mine);
      const ours = async (limit: number) => (await all(limit)).filter((item) => item.pk.startsWith(pk));
      const found = await ours(7);
      expect(found).toHaveLength(mine.length);
      expect(new Set(found.map(({ sk }) => sk))).toEqual(new Set(mine.map(({ sk }) => sk)));
      expect(await ours(1000)).toEqual(found);
    });

    it('go on after an item that is gone', async () => {
      const keys = Array.from({ length: 5 }, () => fresh());
      await put(table, ...keys);
      const { next } = await table.scan({ limit: 1 });
      await put(table, { ...next!, again: 1 });
      const before = (await all(1000)).filter(({ pk, sk }) => pk !== next!.pk || sk !== next!.sk);
      await table.write([{ delete: next! }]);
      const rest = await table.scan({ after: next, limit: 1000 });
      expect(rest.items).toEqual(before.slice(0, rest.items.length));
    });
  });

export const describeExpiry = (table: Table) =>
  describe('expiry', () => {
    it('leaves out of every read what is past its expires_at', async () => {
      const { pk } = fresh();
      // Years from any clock that a test may run on.
      const old: Item = { pk, sk: 'old', expires_at: 1_000_000_000 };
      const later: Item = { pk, sk: 'later', expires_at: 10_000_000_000 };
      await put(table, old, later);
      expect(await table.get({ pk, sk: 'old' })).toBeUndefined();
      expect(await table.getMany([old, later])).toEqual([undefined, later]);
      expect(await table.query({ partition: pk, limit: 1, descending: true })).toEqual([later]);
      expect(await table.query({ partition: pk })).toEqual([later]);
      expect((await table.scan({ limit: 1000 })).items).not.toContainEqual(old);
    });
  });
