/** What a table finds: ranges, indexes, and nothing that has expired. */
import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';

import { type Item, type Table } from '../../layers/platform/table.ts';
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

export const describeIndexes = (table: Table) =>
  describe('indexes', () => {
    const list = `node#${randomUUID()}`;
    const positions = async (query: object = {}) =>
      (await table.query({ index: 'list', partition: list, ...query })).map(({ position }) => position);
    const item = (n: number, more: object = {}): Item => ({ ...fresh(), list, position: `p${n}`, ...more });

    it('hold items by position, follow every write, and leave out what lacks the attributes', async () => {
      const items = [3, 1, 2, 4].map((n) => item(n, { by_driver: `${list}#redfish` }));
      await put(table, ...items, { ...fresh(), list }, { ...fresh(), position: 'p9' });
      expect(await positions()).toEqual(['p1', 'p2', 'p3', 'p4']);
      expect(await positions({ after: 'p1', before: 'p4', descending: true, limit: 1 })).toEqual(['p3']);
      expect(await table.query({ index: 'by_driver', partition: `${list}#redfish`, limit: 1 })).toEqual([items[1]]);

      const [third, first, second] = items as [Item, Item, Item];
      await table.write([
        { update: { pk: third.pk, sk: third.sk }, remove: ['list'] },
        { delete: { pk: first.pk, sk: first.sk } },
        { update: { pk: second.pk, sk: second.sk }, set: { by_driver: `${list}#fake`, other: 1 } },
      ]);
      expect(await positions()).toEqual(['p2', 'p4']);
      const drivers = async (driver: string) =>
        (await table.query({ index: 'by_driver', partition: `${list}#${driver}` })).map(({ position }) => position);
      expect(await drivers('redfish')).toEqual(['p3', 'p4']);
      expect(await drivers('fake')).toEqual(['p2']);
    });
  });

export const describeExpiry = (table: Table) =>
  describe('expiry', () => {
    it('leaves out of every read what is past its expires_at', async () => {
      const { pk } = fresh();
      const place = { list: pk, position: 'p' };
      // Years from any clock that a test may run on.
      const old: Item = { pk, sk: 'old', ...place, expires_at: 1_000_000_000 };
      const later: Item = { pk, sk: 'later', ...place, expires_at: 10_000_000_000 };
      await put(table, old, later);
      expect(await table.get({ pk, sk: 'old' })).toBeUndefined();
      expect(await table.getMany([old, later])).toEqual([undefined, later]);
      expect(await table.query({ partition: pk, limit: 1, descending: true })).toEqual([later]);
      expect(await table.query({ index: 'list', partition: pk })).toEqual([later]);
    });
  });
