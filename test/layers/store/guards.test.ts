import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { fields } from '../../../layers/domain/fields.ts';
import { guardsOf } from '../../../layers/store/guards.ts';
import { guardKey } from '../../../layers/store/kinds/key.ts';

const rows = fields({
  name: { access: 'update', schema: z.string(), unique: 'thing_name', doc: '' },
  address: { access: 'update', schema: z.string(), unique: 'thing_address', doc: '' },
  owner: { access: 'update', schema: z.string(), doc: '' },
});

describe('the guards of a record', () => {
  it('name each unique value that it has, and where its guard stands', () => {
    const key = { pk: 'unique#thing_name#a', sk: 'guard' };
    expect(guardsOf(rows, { name: 'a', address: null, owner: 'x' })).toEqual([
      { unique: 'thing_name', value: 'a', own: 'a', key },
    ]);
    expect(guardKey('thing_name', 'a')).toEqual(key);
  });
});

describe('a value that is unique within another', () => {
  const within = fields({
    kind: { access: 'update', schema: z.string(), doc: '' },
    place: { access: 'update', schema: z.int(), unique: 'thing_place', within: 'kind', doc: '' },
  });

  it('is guarded together with it, and no two pairs look alike', () => {
    expect(guardsOf(within, { kind: 'a', place: 0 }).map(({ key }) => key)).toEqual([guardKey('thing_place', 'a#0')]);
    const keys = [
      { kind: 'a', place: 'b#c' },
      { kind: 'a#b', place: 'c' },
      { kind: 'a%23b', place: 'c' },
    ].flatMap((record) => guardsOf(within, record).map(({ key }) => key.pk));
    expect(new Set(keys).size).toBe(3);
  });
});
