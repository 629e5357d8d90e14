/** Dumps as tokens: the same wherever they are cut into pieces. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type DialectName, dialectIn, dialects } from '../../../../migrate/sources/dump/dialect.ts';
import { type Token, Tokens } from '../../../../migrate/sources/dump/tokens.ts';

const read = (pieces: readonly string[], name: DialectName, head = ''): Token[] => {
  const tokens = new Tokens(dialectIn(name, head));
  const found: Token[] = [];
  let copies = false;
  const take = (token: Token) => {
    found.push(token);
    if (token.is === 'word' && token.value === 'COPY') copies = true;
    if (copies && token.value === ';') {
      copies = false;
      tokens.startLines();
    }
  };
  for (const piece of pieces) for (const token of tokens.read(piece, false)) take(token);
  for (const token of tokens.read('', true)) take(token);
  return found;
};
const values = (text: string, name: DialectName, head = '') => read([text], name, head).map(({ value }) => value);

const samples: Readonly<Record<DialectName, string>> = {
  mysql: `INSERT INTO \`t\` VALUES (1,'it\\'s','a''b\\\\'); -- x\n/*!40000 a */ # y\n"a\\"b" \`c\`\`d\` _binary 'e' X'41' 0x41 -1.5e3;`,
  postgresql: `SET a = 'b''c'; /* a /* b */ c */ $$a'b$$ E'\\n\\x41\\'' "x""y" 'p'::text;\nCOPY t (a) FROM stdin;\na\\tb\tc\n\n\\N\n\\.\n-- z\nSELECT 1;`,
  sqlite: `PRAGMA x=OFF; INSERT INTO t VALUES(replace('a\\nb','\\n',char(10)),[a b],'it''s',NULL,.5); COMMIT;\n`,
};

describe('tokens', () => {
  it('are the same in whatever pieces the text comes', () => {
    for (const name of Object.keys(dialects) as DialectName[]) {
      const text = samples[name];
      const whole = read([text], name);
      expect(whole.length).toBeGreaterThan(10);
      fc.assert(
        fc.property(fc.array(fc.nat(text.length), { maxLength: 40 }), (cuts) => {
          const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
          const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
          expect(read(pieces, name)).toEqual(whole);
        }),
        { numRuns: 200 },
      );
      // Every character by itself.
      expect(read(text.split(''), name)).toEqual(whole);
    }
  });

  it('of MySQL have its escapes, its comments and its names', () => {
    expect(values(`'a\\'b''c\\n\\\\n\\%\\Z' -- x\n, "a\\"b" # y\n, \`c\`\`d\` /*! no */;`, 'mysql')).toEqual([
      "a'b'c\n\\n\\%\x1a",
      ',',
      'a"b',
      ',',
      'c`d',
      ';',
    ]);
    expect(values('5--1', 'mysql')).toEqual(['5', '-', '-', '1']);
  });

  it('of PostgreSQL keep backslashes where they are none, and read E texts and dollars', () => {
    expect(values(`'a\\' E'\\\\n\\101\\u00fc\\'' $x$ a';$$ $x$ /* a /* b */ c */ "d""e"`, 'postgresql')).toEqual([
      'a\\',
      "\\nAü'",
      " a';$$ ",
      'd"e',
    ]);
    expect(values(`'a\\\\b\\'c'`, 'postgresql', 'SET standard_conforming_strings = off;')).toEqual(["a\\b'c"]);
  });

  it('of PostgreSQL are lines after COPY', () => {
    const lines = read(['COPY t FROM stdin;\na;b\n\n\\N\n\\.\nx'], 'postgresql').slice(5);
    expect(lines).toEqual([
      { is: 'line', value: 'a;b' },
      { is: 'line', value: '' },
      { is: 'line', value: '\\N' },
      { is: 'word', value: 'x' },
    ]);
  });

  it('end with an error if the text does in the middle of one', () => {
    expect(() => read(["INSERT\nINTO 'a"], 'sqlite')).toThrow('begins in line 2: it was cut off');
    expect(() => read(['a /* b'], 'mysql')).toThrow('cut off');
    expect(() => read(['COPY t FROM stdin;\na\n'], 'postgresql')).toThrow('cut off');
  });

  it('take a time that grows with the text, not with its square', () => {
    // Long texts, and long lines without a line end or a backslash: a square of it would be minutes.
    const text = `INSERT INTO t VALUES ${"(1,'abc'),".repeat(400_000)}(2,'${'x'.repeat(4_000_000)}');`;
    const pieces = text.match(/[^]{1,65536}/g)!;
    expect(read(pieces, 'mysql')).toHaveLength(400_001 * 6 - 1 + 5);
  });
});
