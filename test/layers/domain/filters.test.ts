import * as z from 'zod';
import { describe, expect, it } from 'vitest';

import { fields } from '../../../layers/domain/fields.ts';
import { filtersOf, selectBy } from '../../../layers/domain/filters.ts';
import { bool, mac, text } from '../../../layers/domain/values.ts';

const rows = fields({
  name: { access: 'update', schema: text(9), filter: true, doc: '' },
  colour: { access: 'update', since: 7, schema: z.enum(['red', 'blue']), filter: { rank: 2 }, index: true, doc: '' },
  size: {
    access: 'update',
    since: 7,
    schema: text(9),
    filter: { since: 3, many: true, rank: 1 },
    index: true,
    doc: '',
  },
  address: { access: 'update', schema: mac, filter: true, doc: '' },
  node: { access: 'update', schema: text(9), filter: { names: 'node' }, doc: '' },
  site: { access: 'read', schema: text(9), computed: true, filter: true, index: true, doc: '' },
  plain: { access: 'update', schema: text(9), doc: '' },
});
type Row = { name?: string | null; colour?: string; size?: string | null; address?: string };

const filters = filtersOf<Row>(rows, {
  sized: { schema: bool, keep: ({ size }, wanted: boolean) => (size !== null) === wanted },
  wide: { since: 5 },
});
const keeps = (query: Record<string, string>, record: Row): boolean =>
  selectBy(filters, Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]))).keep(record);
const lookupsOf = (query: Record<string, string[]>) => selectBy(filters, query).lookups;

describe('the filters of a table', () => {
  it('are its fields with the column, and the others beside them', () => {
    expect(Object.keys(filters)).toEqual(['name', 'colour', 'size', 'address', 'node', 'site', 'sized', 'wide']);
  });

  it('are as old as their fields unless the column says otherwise', () => {
    const since = Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, filter.since]));
    expect(since).toMatchObject({ name: undefined, colour: 7, size: 3, wide: 5 });
  });
});

it('can not be made of a field that is withheld from some', () => {
  const closed = { ...rows.name, withheld: { notice: null } };
  expect(() => filtersOf({ closed })).toThrow('A filter by closed would tell');
});

describe('a filter', () => {
  it('compares with the field of its name', () => {
    expect([keeps({ name: 'a' }, { name: 'a' }), keeps({ name: 'a' }, { name: 'b' })]).toEqual([true, false]);
    expect([keeps({ name: '' }, { name: null }), keeps({ name: 'much too long' }, { name: 'b' })]).toEqual([
      false,
      false,
    ]);
  });

  it('takes a value as the field does, and refuses what the field would not take', () => {
    expect(keeps({ address: '52-54-00-00-00-AA' }, { address: '52:54:00:00:00:aa' })).toBe(true);
    expect(() => keeps({ address: 'x' }, {})).toThrow('Invalid value for address: must be a MAC address.');
    expect(() => keeps({ colour: 'green' }, {})).toThrow('Invalid value for colour');
    expect(() => keeps({ sized: 'x' }, {})).toThrow('Invalid value for sized');
  });

  it('may take several values', () => {
    expect(keeps({ size: 's,L' }, { size: 'l' })).toBe(true);
    expect([keeps({ size: 's,m' }, { size: 'l' }), keeps({ size: 's' }, { size: null })]).toEqual([false, false]);
  });

  it('combines with others by AND', () => {
    const record = { name: 'a', size: 's' };
    expect(keeps({ name: 'a', size: 's', sized: 'true' }, record)).toBe(true);
    expect(keeps({ name: 'a', size: 's', sized: 'false' }, record)).toBe(false);
    expect(keeps({}, record)).toBe(true);
  });

  it('is left to the list where the value is not stored or has to be found first', () => {
    expect(keeps({ node: 'n1', site: 'x', wide: 'perhaps' }, { name: 'a' })).toBe(true);
    expect(lookupsOf({ site: ['x'], node: ['n1'] })).toBeUndefined();
  });
});

describe('an index', () => {
  it('is read for the filter that keeps fewest', () => {
    expect(lookupsOf({ name: ['a'] })).toBeUndefined();
    expect(lookupsOf({ name: ['a'], colour: ['red'] })).toEqual([{ index: 'colour', value: 'red' }]);
    expect(lookupsOf({ colour: ['red'], size: ['s,m'] })).toEqual([
      { index: 'size', value: 's' },
      { index: 'size', value: 'm' },
    ]);
  });

  it('of several filters is read where all of them have its values, before those that keep more', () => {
    const together = {
      given: { colour: 'red' },
      lookups: ({ name }: Readonly<Record<string, unknown>>) => [{ index: 'red', value: name ?? '*' }],
      rank: 1,
    };
    const ways = (query: Record<string, string[]>) => selectBy(filters, query, [together]).lookups;
    expect(ways({ colour: ['red'], name: ['a'] })).toEqual([{ index: 'red', value: 'a' }]);
    expect(ways({ colour: ['red'], size: ['s'] })).toEqual([{ index: 'red', value: '*' }]);
    expect(ways({ colour: ['blue'], name: ['a'] })).toEqual([{ index: 'colour', value: 'blue' }]);
    const later = { ...together, rank: 1.5 };
    expect(selectBy(filters, { colour: ['red'], size: ['s'] }, [later]).lookups).toEqual([
      { index: 'size', value: 's' },
    ]);
  });
});
