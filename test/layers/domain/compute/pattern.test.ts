/** Patterns that tenants find servers by: they mean what they mean elsewhere, and none of them takes forever. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createPattern } from '../../../../layers/domain/compute/pattern.ts';
import { isFault } from '../../../../layers/domain/fault.ts';

describe('a pattern', () => {
  it.each([
    ['web', 'my-web-1', true],
    ['^web', 'my-web-1', false],
    ['^web-\\d+$', 'web-17', true],
    ['^web-\\d+$', 'web-17a', false],
    ['w.b', 'wüb', true],
    ['[a-c]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['[]-]', ']', true],
    ['a{2,3}b', 'aab', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^(?:ab|cd)*e$', 'abcdabe', true],
    ['(a|b)?c', 'c', true],
    ['', 'anything', true],
    ['a\\.b', 'axb', false],
    ['$', '', true],
  ])('%s in %s: %s', (pattern, text, expected) => {
    expect(createPattern(pattern)(text)).toBe(expected);
  });

  it.each(['(', ')', '[a', '*a', 'a{', '\\', '\\1', '(?=a)', '[b-a]', 'a{3,2}', '(((a{99}){99}){99})'])(
    'is refused with 400 if it is %s',
    (pattern) => {
      expect(() => createPattern(pattern)).toThrow(expect.objectContaining({ code: 400 }));
    },
  );

  it('finds what the one of JavaScript finds', () => {
    const piece = fc.oneof(
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '\\w', '^', '$', 'a|b'),
      fc.constantFrom('a*', 'b+', '(ab)?', 'a{1,2}', '(a*)*'),
    );
    const pattern = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (given, where) => {
        expect(createPattern(given)(where)).toBe(new RegExp(given, 's').test(where));
      }),
      { numRuns: 500 },
    );
  });

  it('that goes back on itself in others takes no longer than its length', () => {
    const hostile = createPattern('(a+)+(a|aa)*(.*)*x$');
    // An engine that tries one way after the other would not be done within the age of the universe.
    expect(hostile('a'.repeat(255))).toBe(false);
  });

  it('is either read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (given) => {
        const outcome = () => {
          try {
            return typeof createPattern(given)('text');
          } catch (error) {
            return isFault(error) && error.code;
          }
        };
        expect(['boolean', 400]).toContain(outcome());
      }),
    );
  });
});
