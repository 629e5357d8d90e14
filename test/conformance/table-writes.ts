/** What a table stores: items, updates, transactions. */
import { describe, expect, it } from 'vitest';

import { absent, present, type Item, type Table, type Write } from '../../layers/platform/table.ts';
import { fresh, put, refusal } from './table-item.ts';

export const describeItems = (table: Table) =>
  describe('items', () => {
    it('gives back every JSON value as it was put', async () => {
      const item = {
        ...fresh(),
        text: 'Zażółć 🦊 \u0000 "quoted"',
        empty: '',
        numbers: [0, -1, 1.5, 1e20 / 1e6, 0.1, Number.MAX_SAFE_INTEGER],
        no: null,
        flags: [true, false],
        deep: { list: [{ a: [] }, {}, 'x'], 'strange name #:': 1 },
      };
      await put(table, item);
      expect(await table.get({ pk: item.pk, sk: item.sk })).toEqual(item);
    });

    it('has nothing under a key that was never put', async () => {
      expect(await table.get(fresh())).toBeUndefined();
    });

    it('replaces the whole item by a put', async () => {
      const key = fresh();
      await put(table, { ...key, old: 1 });
      await put(table, { ...key, next: 2 });
      expect(await table.get(key)).toEqual({ ...key, next: 2 });
    });

    it('deletes, also what is not there', async () => {
      const key = fresh();
      await put(table, { ...key });
      await table.write([{ delete: key }]);
      await table.write([{ delete: key }]);
      expect(await table.get(key)).toBeUndefined();
    });

    it('gets many in the order of the keys, absent and repeated ones too', async () => {
      const { pk } = fresh();
      const keys = Array.from({ length: 230 }, (_, at) => ({ pk, sk: `${at}` }));
      for (let at = 0; at < 230; at += 100) await put(table, ...keys.slice(at, at + 100));
      const wanted = [...keys.toReversed(), { pk, sk: 'none' }, keys[5]!];
      expect(await table.getMany(wanted)).toEqual([...keys.toReversed(), undefined, keys[5]]);
      expect(await table.getMany([])).toEqual([]);
      // Nobody has written for a while, so what may be old is not.
      expect(await table.getMany(wanted, { stale: true })).toEqual(await table.getMany(wanted));
    });

    it('is not changed by what the caller does to its objects later', async () => {
      const item = { ...fresh(), many: [1] };
      await put(table, item);
      item.many.push(2);
      expect((await table.get({ pk: item.pk, sk: item.sk }))?.['many']).toEqual([1]);
    });
  });

export const describeUpdates = (table: Table) =>
  describe('updates', () => {
    it('sets and removes single attributes', async () => {
      const key = fresh();
      await put(table, { ...key, keep: 1, drop: 2, change: 3 });
      await table.write([{ update: key, set: { change: [4], size: null }, remove: ['drop', 'unknown'] }]);
      expect(await table.get(key)).toEqual({ ...key, keep: 1, change: [4], size: null });
    });

    it('makes an item that is not there, unless it has to be present', async () => {
      const [key, other] = [fresh(), fresh()];
      await table.write([{ update: key, set: { value: 1 } }]);
      expect(await table.get(key)).toEqual({ ...key, value: 1 });
      const error = await refusal(table.write([{ update: other, set: { value: 1 }, when: [present] }]));
      expect(error).toMatchObject({ name: 'ConditionFailed', index: 0 });
      expect(await table.get(other)).toBeUndefined();
    });
  });

export const describeTransactions = (table: Table) =>
  describe('transactions', () => {
    it('do all of it or nothing, and tell which write was refused by which item', async () => {
      const [record, guard, taken, gone] = [fresh('record'), fresh('guard'), fresh('guard'), fresh('gone')];
      await put(table, { ...taken, node: 'other' }, { ...gone });
      const writes = (second: Item): Write[] => [
        { put: { ...record, value: 1 }, when: [absent] },
        { put: second, when: [absent] },
        { delete: gone },
      ];
      const error = await refusal(table.write(writes({ ...taken, node: 'mine' })));
      expect(error).toMatchObject({ name: 'ConditionFailed', index: 1, item: { ...taken, node: 'other' } });
      expect(await table.getMany([record, gone])).toEqual([undefined, gone]);

      await table.write(writes({ ...guard, node: 'mine' }));
      expect(await table.getMany([record, guard, gone])).toEqual([
        { ...record, value: 1 },
        { ...guard, node: 'mine' },
        undefined,
      ]);
    });

    it('tell the first refused write and no item when there is none', async () => {
      const writes: Write[] = [fresh(), fresh(), fresh()].map((check) => ({ check, when: [present] }));
      writes[0] = { put: { ...fresh() } };
      const error = await refusal(table.write(writes));
      expect(error).toMatchObject({ name: 'ConditionFailed', index: 1 });
      expect(error.item).toBeUndefined();
    });

    it('take 100 writes', async () => {
      const { pk } = fresh();
      await put(table, ...Array.from({ length: 100 }, (_, at) => ({ pk, sk: `${at}` })));
      expect(await table.query({ partition: pk })).toHaveLength(100);
    });
  });
