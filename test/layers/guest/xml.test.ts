import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { element, writeXml } from '../../../layers/guest/xml.ts';

const characters: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
/** What a parser makes of text between tags or quotes. */
const parsed = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#(\d+)|(\w+));/g, (_all, code: string, name: string) =>
      code ? String.fromCharCode(Number(code)) : characters[name]!,
    );

const readable = (value: string) =>
  // oxlint-disable-next-line no-control-regex -- it is what this is about
  value.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').toWellFormed();

describe('XML', () => {
  it('is the same value to a parser whatever stands in it, also in attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
        const text = writeXml(element('a', { b: value }, value));
        const [, attribute, content] = /^<a b="([^"<]*)">([^<]*)<\/a>\n$/.exec(text)!;
        expect(attribute).not.toMatch(/[\n\r\t]/);
        expect(parsed(attribute!)).toBe(readable(value));
        expect(parsed(content!)).toBe(readable(value));
      }),
      { numRuns: 300 },
    );
  });

  it('holds no character that XML 1.0 has no place for', () => {
    expect(writeXml(element('a', {}, 'x\u0000y\u001b[31m\ud800z\uffff\u{1f600}'))).toBe(
      '<a>x\ufffdy\ufffd[31m\ufffdz\ufffd\u{1f600}</a>\n',
    );
  });

  it('cannot be broken out of', () => {
    expect(writeXml(element('a', { b: '"/><evil c="' }, ']]></a><evil/>&lt;'))).toBe(
      '<a b="&quot;/&gt;&lt;evil c=&quot;">]]&gt;&lt;/a&gt;&lt;evil/&gt;&amp;lt;</a>\n',
    );
  });
});
