/** What no table takes, because DynamoDB does not. */
import { describe, expect, it } from 'vitest';

import { maxItemBytes } from '../../layers/platform/limits.ts';
import { type Table, type Write } from '../../layers/platform/table.ts';
import { fresh, put, refusal } from './table-item.ts';

const nested = (levels: number, wrap: (inner: unknown) => unknown = (a) => ({ a })): unknown =>
  levels === 0 ? 1 : wrap(nested(levels - 1, wrap));

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
      ['a list with a gap', [{ put: { ...key, value: Array(2) } }]],
      ['a set', [{ put: { ...key, value: new Set() } }]],
      ['a set with content', [{ put: { ...key, value: { a: new Set(['x']) } } }]],
      ['a date', [{ put: { ...key, value: new Date(0) } }]],
      ['bytes', [{ put: { ...key, value: new Uint8Array(1) } }]],
      ['a large integer', [{ put: { ...key, value: 1n } }]],
      ['NaN', [{ put: { ...key, value: Number.NaN } }]],
      ['an update of the key', [{ update: key, set: { sk: 'other' } }]],
      ['an attribute set and removed', [{ update: key, set: { a: 1 }, remove: ['a'] }]],
      ['an update of nothing', [{ update: key }]],
      ['a check of nothing', [{ check: key, when: [] }]],
    ];
    it.each(unwritable)('refuse %s', async (_what, writes) => {
      expect(await refusal(table.write(writes))).toMatchObject({ name: 'Unwritable', code: 500 });
    });

    const invalid: readonly [string, Write][] = [
      ['an empty key', { put: { pk: 'x', sk: '' } }],
      ['a partition key of more than 2048 bytes', { put: { pk: 'é'.repeat(1025), sk: 'x' } }],
      ['a sort key of more than 1024 bytes', { delete: { pk: 'x', sk: 'x'.repeat(1025) } }],
      ['a number past 2^53', { put: { ...key, value: 2 ** 60 } }],
      ['a number of more digits than 38', { put: { ...key, value: 1e39 } }],
      ['infinity', { put: { ...key, value: Number.POSITIVE_INFINITY } }],
      ['a number that is hardly one', { put: { ...key, value: 1e-131 } }],
      ['33 levels of JSON', { put: { ...key, value: nested(33) } }],
      ['33 levels of lists', { update: key, set: { value: nested(31, (inner) => [inner, [[]]]) } }],
      ['an attribute without a name', { put: { ...key, '': 1 } }],
      ['an attribute of a name past 64 KB', { put: { ...key, value: { ['x'.repeat(65_536)]: 1 } } }],
    ];
    it.each(invalid)('refuse %s as bad input', async (_what, write) => {
      expect(await refusal(table.write([write]))).toMatchObject({ name: 'Invalid', code: 400 });
    });

    const nameless: readonly [string, unknown][] = [
      ['extra', { '': 1 }],
      ['extra.a.b', { a: { b: { '': null } } }],
      ['extra.1.0', [1, [{ '': {} }]]],
    ];
    it.each(nameless)('refuse an empty key in %s, and say where it is', async (path, extra) => {
      const item = { ...fresh(), value: 1 };
      await put(table, item);
      const place = { pk: item.pk, sk: item.sk };
      const other = { put: { ...fresh(), value: 1 } };
      for (const write of [{ put: { ...place, extra } }, { update: place, set: { extra } }]) {
        for (const writes of [[write], [other, write]]) {
          const said = await refusal(table.write(writes));
          expect(said).toMatchObject({ name: 'Invalid', code: 400 });
          expect(said).toHaveProperty(
            'message',
            `${path} has a key that is empty, which cannot be stored: give it a name.`,
          );
        }
      }
      expect(await table.getMany([place, other.put])).toEqual([item, undefined]);
    });

    const impossible = [
      { pk: 'x', sk: '' },
      { pk: '', sk: 'x' },
      { pk: 'é'.repeat(1025), sk: 'x' },
      { pk: 'x', sk: 'x'.repeat(1025) },
    ];
    it.each(impossible)('find nothing where nothing can be (%#)', async (place) => {
      const item = { ...fresh(), value: 1 };
      await put(table, item);
      expect(await table.get(place)).toBeUndefined();
      expect(await table.getMany([place, item])).toEqual([undefined, item]);
    });

    it.each(['', 'é'.repeat(1025)])('find nothing in a partition that can not be (%#)', async (partition) => {
      expect(await table.query({ partition })).toEqual([]);
    });

    it('take an empty text, list and object, and a key of spaces', async () => {
      const item = { ...fresh(), text: '', many: [], object: {}, ' ': { ' ': '' }, small: 1e-130 };
      await put(table, item);
      expect(await table.get({ pk: item.pk, sk: item.sk })).toEqual(item);
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
