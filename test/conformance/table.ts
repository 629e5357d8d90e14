/** What every table does alike: in memory, on node:sqlite, on DynamoDB. */
import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { maxItemBytes } from '../../layers/store/limits.ts';
import {
  absent,
  below,
  type Condition,
  equals,
  type Item,
  oneOf,
  present,
  type Table,
  unset,
  type Write,
} from '../../layers/store/table.ts';

export type TableUnderTest = { readonly table: Table; readonly close?: () => Promise<void> };

/** `make` opens an empty table, once; the cases use partitions of their own. */
export const describeTable = (name: string, make: () => Promise<TableUnderTest>): void => {
  let opened: TableUnderTest;
  const table: Table = {
    get: async (key) => opened.table.get(key),
    getMany: async (keys) => opened.table.getMany(keys),
    query: async (query) => opened.table.query(query),
    write: async (writes) => opened.table.write(writes),
  };
  beforeAll(async () => {
    opened = await make();
  });
  afterAll(async () => opened?.close?.());

  describe(name, () => {
    describeItems(table);
    describeUpdates(table);
    describeConditions(table);
    describeTransactions(table);
    describeQueries(table);
    describeIndexes(table);
    describeExpiry(table);
    describeLimits(table);
    describeRaces(table);
  });
};

const fresh = (sk = 'it') => ({ pk: `test#${randomUUID()}`, sk });
const put = async (table: Table, ...items: Item[]) => table.write(items.map((item) => ({ put: item })));
type Refusal = { name: string; code?: number; index?: number; item?: Item };
const refusal = async (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    () => ({ name: 'nothing was refused' }),
    (error: unknown) => error as Refusal,
  );

const describeItems = (table: Table) =>
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
    });

    it('is not changed by what the caller does to its objects later', async () => {
      const item = { ...fresh(), many: [1] };
      await put(table, item);
      item.many.push(2);
      const found = (await table.get({ pk: item.pk, sk: item.sk })) as typeof item;
      expect(found.many).toEqual([1]);
      found.many.push(3);
      expect((await table.get({ pk: item.pk, sk: item.sk }))?.['many']).toEqual([1]);
    });
  });

const describeUpdates = (table: Table) =>
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

const stored = { text: 'b', number: 5, yes: true, no: null, many: [1] };

/** Each condition, and whether it holds of an item with the values above and of no item. */
const conditions: readonly [Condition, boolean, boolean][] = [
  [absent, false, true],
  [present, true, false],
  [unset('missing'), true, true],
  [unset('no'), true, true],
  [unset('text'), false, true],
  [equals('text', 'b'), true, false],
  [equals('text', 'c'), false, false],
  [equals('number', 5), true, false],
  [equals('number', '5'), false, false],
  [equals('yes', true), true, false],
  [equals('missing', 1), false, false],
  [equals('no', 1), false, false],
  [oneOf('text', ['a', 'b']), true, false],
  [oneOf('text', ['a', 5]), false, false],
  [oneOf('number', ['a', 5]), true, false],
  [oneOf('missing', ['a']), false, false],
  [below('number', 6), true, false],
  [below('number', 5), false, false],
  [below('text', 'ba'), true, false],
  [below('text', 'b'), false, false],
  [below('text', 6), false, false],
  [below('missing', 6), false, false],
  [below('no', 6), false, false],
];

const describeConditions = (table: Table) =>
  describe('conditions', () => {
    it.each(conditions)('%j holds of an item: %s, of none: %s', async (condition, ofItem, ofNone) => {
      const [key, other, marker] = [fresh(), fresh(), fresh()];
      await put(table, { ...key, ...stored });
      const holds = async (check: Write) =>
        refusal(table.write([check, { put: { ...marker } }])).then(({ name }) => name !== 'ConditionFailed');
      expect(await holds({ check: key, when: [condition] })).toBe(ofItem);
      expect(await holds({ check: other, when: [condition] })).toBe(ofNone);
    });

    it.each(['put', 'update', 'delete', 'check'] as const)('guard a single %s', async (kind) => {
      const key = fresh();
      await put(table, { ...key, value: 1 });
      const when = (value: number) => ({ when: [equals('value', value), unset('other')] });
      const writes = (value: number): Write[] => [
        {
          put: { put: { ...key, value: 1, written: true }, ...when(value) },
          update: { update: key, set: { written: true }, ...when(value) },
          delete: { delete: key, ...when(value) },
          check: { check: key, ...when(value) },
        }[kind],
      ];
      expect(await refusal(table.write(writes(2)))).toMatchObject({
        name: 'ConditionFailed',
        code: 409,
        index: 0,
        item: { ...key, value: 1 },
      });
      expect(await table.get(key)).toEqual({ ...key, value: 1 });
      await table.write(writes(1));
      const after = { put: { written: true }, update: { written: true }, delete: undefined, check: { value: 1 } }[kind];
      expect(await table.get(key)).toEqual(after && { ...key, value: 1, ...after });
    });

    it('take attribute names that are words of the database', async () => {
      const key = fresh();
      await put(table, { ...key, name: 'x', 'a.b': 1, '#size': 2 });
      await table.write([
        {
          update: key,
          set: { 'a.b': 2, status: ':v0' },
          remove: ['#size'],
          when: [equals('name', 'x'), equals('a.b', 1), unset('timestamp')],
        },
      ]);
      expect(await table.get(key)).toEqual({ ...key, name: 'x', 'a.b': 2, status: ':v0' });
    });
  });

const describeTransactions = (table: Table) =>
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

const describeQueries = (table: Table) =>
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

const describeIndexes = (table: Table) =>
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

const describeExpiry = (table: Table) =>
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

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

const describeLimits = (table: Table) =>
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

const describeRaces = (table: Table) =>
  describe('races', () => {
    it('let exactly one of 200 concurrent writers take a free lock', async () => {
      const key = fresh();
      await put(table, { ...key, reservation: null });
      const take = async (run: number): Promise<Write[]> => [
        { update: key, set: { reservation: `run-${run}` }, when: [unset('reservation')] },
      ];
      const results = await Promise.all(
        Array.from({ length: 200 }, async (_, run) => refusal(take(run).then(async (writes) => table.write(writes)))),
      );
      const winners = results.flatMap(({ name }, run) => (name === 'ConditionFailed' ? [] : [`run-${run}`]));
      expect(winners).toHaveLength(1);
      expect((await table.get(key))?.['reservation']).toBe(winners[0]);
    });

    it('let exactly one of 50 concurrent transactions take a name', async () => {
      const guard = fresh('guard');
      const records = Array.from({ length: 50 }, () => fresh('record'));
      const results = await Promise.all(
        records.map(async (record) =>
          refusal(
            table.write([
              { put: { ...record }, when: [absent] },
              { put: { ...guard, record: record.pk }, when: [absent] },
            ]),
          ),
        ),
      );
      expect(results.filter(({ name }) => name === 'ConditionFailed')).toHaveLength(49);
      const kept = (await table.getMany(records)).filter((record) => record !== undefined);
      expect(kept).toHaveLength(1);
      expect((await table.get(guard))?.['record']).toBe(kept[0]?.pk);
    });

    it('lose no count of 20 writers that test and set', async () => {
      const key = fresh();
      await put(table, { ...key, count: 0 });
      const increment = async (): Promise<void> => {
        const count = (await table.get(key))?.['count'] as number;
        const write: Write = { update: key, set: { count: count + 1 }, when: [equals('count', count)] };
        const { name } = await refusal(table.write([write]));
        if (name === 'ConditionFailed') await increment();
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      expect((await table.get(key))?.['count']).toBe(20);
    });
  });
