import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compareText } from '../../../layers/platform/evaluate.ts';
import { isWithin, rangeOf } from '../../../layers/platform/range.ts';

/** Few characters, at the borders of UTF-8 lengths and of the surrogates, so that strings often share beginnings. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '#', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'),
});
const maybe = fc.option(text, { nil: undefined });

describe('rangeOf', () => {
  it('holds exactly the keys that begin so, come after and come before', () => {
    fc.assert(
      fc.property(text, maybe, maybe, maybe, (sort, begins, after, before) => {
        const query = {
          partition: 'p',
          ...(begins !== undefined && { begins }),
          ...(after !== undefined && { after }),
          ...(before !== undefined && { before }),
        };
        const range = rangeOf(query);
        const expected =
          sort.startsWith(begins ?? '') &&
          (!after || compareText(sort, after) > 0) &&
          (before === undefined || compareText(sort, before) < 0);
        expect(range !== undefined && isWithin(range, sort)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('is nothing when the bounds leave no room', () => {
    expect(rangeOf({ partition: 'p', after: 'b', before: 'a' })).toBeUndefined();
    expect(rangeOf({ partition: 'p', begins: 'a', before: 'a' })).toBeUndefined();
    expect(rangeOf({ partition: 'p', begins: 'a', after: 'b' })).toBeUndefined();
  });
});
