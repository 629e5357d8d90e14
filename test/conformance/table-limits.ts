/** What no table takes, because DynamoDB does not. */
import { describe, expect, it } from 'vitest';

import { maxItemBytes } from '../../layers/store/limits.ts';
import { oneOf, type Table, type Write } from '../../layers/store/table.ts';
import { fresh, put, refusal } from './table-item.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

export const describeLimits = (table: Table) =>
  describe('limits', () => {
    const key = fresh();
    const many = (count: number) =>
      Array.from({ length: count }, (_, at): Write => ({ put: { pk: key.pk, sk: `${at}` } }));
    const big = (bytes: number, sk = 'it') => ({ put: { ...fresh(sk), body: 'x'.repeat(bytes) } });
    const unwritable: readonly [string, Write[]][] = [
      ['no write', []],
      ['101 writes', many(101)],
      ['two writes to one item', [{ put: { ...key } }, { delete: key }]],
      ['undefined', [{ put: { ...key, value: undefined } }]],
      ['undefined in an update', [{ update: key, set: { value: undefined } }]],
      ['undefined deep inside', [{ put: { ...key, value: [{ a: undefined }] } }]],
      ['NaN', [{ put: { ...key, value: Number.NaN } }]],
      ['an index attribute that is no string', [{ put: { ...key, list: null } }]],
      ['an update of the key', [{ update: key, set: { sk: 'other' } }]],
      ['an attribute set and removed', [{ update: key, set: { a: 1 }, remove: ['a'] }]],
      ['an update of nothing', [{ update: key }]],
      ['a check of nothing', [{ check: key, when: [] }]],
      ['a condition on no values', [{ delete: key, when: [oneOf('a', [])] }]],
    ];
    it.each(unwritable)('refuse %s', async (_what, writes) => {
      expect(await refusal(table.write(writes))).toMatchObject({ name: 'Unwritable', code: 500 });
    });

    const invalid: readonly [string, Write][] = [
      ['an empty key', { put: { pk: 'x', sk: '' } }],
      ['a partition key of more than 2048 bytes', { put: { pk: 'é'.repeat(1025), sk: 'x' } }],
      ['a sort key of more than 1024 bytes', { delete: { pk: 'x', sk: 'x'.repeat(1025) } }],
      ['a number past 2^53', { put: { ...key, value: 2 ** 60 } }],
      ['33 levels of JSON', { put: { ...key, value: nested(33) } }],
    ];
    it.each(invalid)('refuse %s as bad input', async (_what, write) => {
      expect(await refusal(table.write([write]))).toMatchObject({ name: 'Invalid', code: 400 });
    });

    it('take as many levels of JSON as they say', async () => {
      const item = { ...fresh(), value: nested(31) };
      await put(table, item);
      expect(await table.get({ pk: item.pk, sk: item.sk })).toEqual(item);
    });

    it('refuse an item past 400 KB, whether put whole or grown by an update', async () => {
      expect(await refusal(table.write([big(maxItemBytes)]))).toMatchObject({ name: 'TooLarge', code: 413 });
      const { put: grown } = big(300_000);
      await put(table, grown);
      const more = { update: { pk: grown.pk, sk: grown.sk }, set: { more: 'x'.repeat(200_000) } };
      expect(await refusal(table.write([more]))).toMatchObject({ name: 'TooLarge', code: 413 });
      const other = { put: { ...key, sk: 'beside' } };
      expect(await refusal(table.write([other, more]))).toMatchObject({ name: 'TooLarge', code: 413 });
      expect(await table.getMany([grown, other.put])).toEqual([grown, undefined]);
      await put(table, big(maxItemBytes - 1000).put);
    });

    it('refuse more than 4 MB in one transaction', async () => {
      const writes = Array.from({ length: 12 }, (_, at) => big(380_000, `${at}`));
      expect(await refusal(table.write(writes))).toMatchObject({ name: 'TooLarge', code: 413 });
    });
  });
