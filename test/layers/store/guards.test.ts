import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { fields } from '../../../layers/domain/fields.ts';
import { guardChanges, guardKey, guardsOf } from '../../../layers/store/guards.ts';
import { absent } from '../../../layers/platform/table.ts';

const rows = fields({
  name: { access: 'update', schema: z.string(), unique: 'thing_name', doc: '' },
  address: { access: 'update', schema: z.string(), unique: 'thing_address', doc: '' },
  owner: { access: 'update', schema: z.string(), doc: '' },
});
const refers = { thing: '1' };
const guard = (what: string, value: string) => ({ pk: `unique#${what}#${value}`, sk: 'guard' });

describe('guardsOf', () => {
  it('names each unique value that the record has', () => {
    expect(guardsOf(rows, { name: 'a', address: null, owner: 'x' })).toEqual([guard('thing_name', 'a')]);
    expect(guardKey('thing_name', 'a')).toEqual(guard('thing_name', 'a'));
  });
});

describe('a value that is unique within another', () => {
  const within = fields({
    kind: { access: 'update', schema: z.string(), doc: '' },
    place: { access: 'update', schema: z.int(), unique: 'thing_place', within: 'kind', doc: '' },
  });

  it('is guarded together with it, and no two pairs look alike', () => {
    expect(guardsOf(within, { kind: 'a', place: 0 })).toEqual([guard('thing_place', 'a#0')]);
    const keys = [
      { kind: 'a', place: 'b#c' },
      { kind: 'a#b', place: 'c' },
      { kind: 'a%23b', place: 'c' },
    ].flatMap((record) => guardsOf(within, record).map(({ pk }) => pk));
    expect(new Set(keys).size).toBe(3);
  });

  it('moves when either changes', () => {
    expect(guardChanges(within, { kind: 'a', place: 1 }, { kind: 'b', place: 1 }, refers)).toEqual([
      { put: { ...guard('thing_place', 'b#1'), ...refers }, when: [absent] },
      { delete: guard('thing_place', 'a#1') },
    ]);
  });
});

describe('guardChanges', () => {
  it('takes the values of a new record, each on the condition that it is free', () => {
    expect(guardChanges(rows, undefined, { name: 'a', address: 'm' }, refers)).toEqual([
      { put: { ...guard('thing_name', 'a'), ...refers }, when: [absent] },
      { put: { ...guard('thing_address', 'm'), ...refers }, when: [absent] },
    ]);
  });

  it('moves only what has changed', () => {
    expect(guardChanges(rows, { name: 'a', address: 'm' }, { name: 'b', address: 'm' }, refers)).toEqual([
      { put: { ...guard('thing_name', 'b'), ...refers }, when: [absent] },
      { delete: guard('thing_name', 'a') },
    ]);
    expect(guardChanges(rows, { name: 'a', owner: 'x' }, { name: 'a', owner: 'y' }, refers)).toEqual([]);
  });

  it('frees the values of a record that goes', () => {
    expect(guardChanges(rows, { name: 'a', address: null }, undefined, refers)).toEqual([
      { delete: guard('thing_name', 'a') },
    ]);
  });
});
