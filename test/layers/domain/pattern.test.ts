/** Patterns that clients send: they mean what they mean elsewhere, and none of them takes forever. */
import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createPattern } from '../../../layers/domain/pattern.ts';
import { isFault } from '../../../layers/domain/fault.ts';

const python = JSON.parse(readFileSync(new URL('../../fixtures/python-re.json', import.meta.url), 'utf8')) as {
  texts: string[];
  patterns: { pattern: string; found: number[]; whole: number[] }[];
  refused: string[];
};

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

  it.each(python.refused)('is refused with 400 if it is %s, as Python does', (pattern) => {
    expect(() => createPattern(pattern)).toThrow(expect.objectContaining({ code: 400 }));
  });

  it.each([
    ['(?=a)', 'it looks ahead'],
    ['(?!a)', 'it looks ahead'],
    ['(?<=a)b', 'it looks behind'],
    ['(?<!a)b', 'it looks behind'],
    ['(a)\\1', '\\1 refers back to a group'],
    ['(?P<n>a)(?P=n)', 'it refers back to a group'],
    ['(a)?(?(1)b|c)', 'it asks for a group'],
    ['(?>a+)b', 'it keeps what it took'],
    ['a++b', 'keeps what it took'],
    ['(?x) a', 'the flag x is not known'],
    ['(((a{99}){99}){99})', 'too large'],
    ['a{1001}', 'too large'],
    ['(){9999999999}', 'too large'],
    ['(((((){999}){999}){999}){999})', 'too large'],
  ])('is refused with a sentence if it is %s, which cannot be bounded', (pattern, why) => {
    expect(() => createPattern(pattern)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(why) as string }),
    );
  });

  it.each(python.patterns)('$pattern finds what that of Python finds', ({ pattern, found, whole }) => {
    const [search, match] = [createPattern(pattern), createPattern(pattern, { isWhole: true })];
    const numbers = (is: (text: string) => boolean) => python.texts.flatMap((text, at) => (is(text) ? [at] : []));
    expect({ found: numbers(search), whole: numbers(match) }).toEqual({ found, whole });
  });

  it('finds what the one of JavaScript finds', () => {
    const piece = fc.oneof(
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '\\w', '^', '$', 'a|b'),
      fc.constantFrom('a*', 'b+', '(ab)?', 'a{1,2}', '(a*)*'),
    );
    const pattern = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (given, where) => {
        expect(createPattern(given)(where)).toBe(new RegExp(given).test(where));
      }),
      { numRuns: 500 },
    );
  });

  it('that goes back on itself in others takes no longer than its length', () => {
    const hostile = createPattern('(a+)+(a|aa)*(.*)*x$');
    // An engine that tries one way after the other would not be done within the age of the universe.
    expect(hostile('a'.repeat(255))).toBe(false);
  });

  it('gives up on a text after so many steps, however long it is', () => {
    const large = createPattern(`(${'[^x]?'.repeat(300)})y`);
    expect(() => large('a'.repeat(65_536))).toThrow(expect.objectContaining({ name: 'PatternTooSlow', code: 400 }));
    expect(createPattern('a+b')(`${'a'.repeat(65_536)}b`)).toBe(true);
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
