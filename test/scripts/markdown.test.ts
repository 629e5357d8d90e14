import { describe, expect, it } from 'vitest';

import { fill, table } from '../../scripts/markdown.ts';

describe('a table', () => {
  it('keeps bars and line ends inside a cell', () => {
    expect(table(['a', 'b'], [['x | y', 'one\ntwo']])).toBe('| a | b |\n| --- | --- |\n| x \\| y | one two |');
  });
});

describe('a marked part of a page', () => {
  const page = 'before\n<!-- part -->\nold\n<!-- /part -->\nafter';

  it('is replaced, and nothing else', () => {
    expect(fill(page, 'part', 'new')).toBe('before\n<!-- part -->\n\nnew\n\n<!-- /part -->\nafter');
  });

  it('comes out the same a second time', () => {
    const once = fill(page, 'part', 'new');
    expect(fill(once, 'part', 'new')).toBe(once);
  });

  it('has to be there', () => {
    expect(() => fill(page, 'other', 'new')).toThrow(/<!-- other -->/);
  });
});
