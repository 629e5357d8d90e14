/** When a table refuses a write: conditions, and races that they decide. */
import { describe, expect, it } from 'vitest';

import {
  absent,
  below,
  equals,
  present,
  unset,
  type Condition,
  type Table,
  type Write,
} from '../../layers/platform/table.ts';
import { fresh, put, refusal } from './table-item.ts';

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
  [below('number', 6), true, false],
  [below('number', 5), false, false],
  [below('text', 'ba'), true, false],
  [below('text', 'b'), false, false],
  [below('text', 6), false, false],
  [below('missing', 6), false, false],
  [below('no', 6), false, false],
];

export const describeConditions = (table: Table) =>
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

export const describeRaces = (table: Table) =>
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
