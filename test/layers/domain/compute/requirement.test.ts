/** The operators of exact-filters.md 3, row by row. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { lacksOperand, meets, operators } from '../../../../layers/domain/compute/requirement.ts';

/** Requirement, what meets it, what does not. */
const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['uefi', ['uefi'], ['bios', 'UEFI', '', 'uefi2']],
  ['= 4', ['4', '5', '4.0'], ['3', 'x', '']],
  ['== 4', ['4', '4.0', ' 4 '], ['5', 'four']],
  ['!= 4', ['5', '3.9'], ['4', '4.0', 'x']],
  ['>= 10', ['10', '1e2'], ['9', '9.99']],
  ['<= 10', ['10', '-1', '.5'], ['11', '']],
  ['s== raid1', ['raid1'], ['raid10', 'RAID1']],
  ['s!= raid1', ['raid10'], ['raid1']],
  ['s< b', ['a', 'aa', ''], ['b', 'c']],
  ['s<= b', ['a', 'b'], ['ba', 'c']],
  ['s> b', ['c', 'ba'], ['b', 'a']],
  ['s>= b', ['b', 'c'], ['a']],
  ['<in> sse', ['sse', 'aes,sse4'], ['ss', 'SSE']],
  ['<all-in> aes mmx', ['mmx aes', 'aes,mmx,sse'], ['aes', 'mmx']],
  ['<or> v1 <or> v2', ['v1', 'v2'], ['v3', 'v', '<or>']],
  // Numbers have no > and no <: such a text is compared as a whole.
  ['> 5', ['> 5'], ['6', '5']],
  ['< 5', ['< 5'], ['4']],
  // Numbers are compared as such, and texts as such.
  ['>= 9', ['10'], ['8']],
  ['s>= 9', ['9', 'a'], ['10']],
  // Further words count only where the operator takes several.
  ['== 4 5', ['4'], ['5']],
];

describe('a requirement', () => {
  it.each(rows)('%s is met by what it says, and by nothing else', (requirement, by, notBy) => {
    expect(by.filter((capability) => !meets(capability, requirement))).toEqual([]);
    expect(notBy.filter((capability) => meets(capability, requirement))).toEqual([]);
  });

  it('has a row here for each operator', () => {
    const tried = new Set(rows.map(([requirement]) => requirement.split(' ')[0]));
    expect(Object.keys(operators).filter((sign) => !tried.has(sign))).toEqual([]);
  });

  it('of an operator alone is met by nothing', () => {
    for (const sign of Object.keys(operators)) {
      expect([lacksOperand(sign), lacksOperand(` ${sign}  `), lacksOperand(`${sign} a`)]).toEqual([true, true, false]);
      expect([meets(sign, sign), meets('', sign), meets('4', sign)]).toEqual([false, false, false]);
    }
    expect([lacksOperand('uefi'), lacksOperand('')]).toEqual([false, false]);
  });

  it('takes words that objects have of themselves for texts', () => {
    expect([meets('constructor', 'constructor'), meets('x', 'toString')]).toEqual([true, false]);
  });

  it('orders numbers as numbers, whichever they are', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (capability, asked) => {
        const holds = (sign: string) => meets(String(capability), `${sign} ${asked}`);
        expect([holds('>='), holds('='), holds('<='), holds('=='), holds('!=')]).toEqual([
          capability >= asked,
          capability >= asked,
          capability <= asked,
          capability === asked,
          capability !== asked,
        ]);
      }),
    );
  });

  it('never fails, whatever both are', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('', ...Object.keys(operators)),
        (capability, text, sign) => {
          expect(typeof meets(capability, `${sign} ${text}`)).toBe('boolean');
        },
      ),
    );
  });
});
