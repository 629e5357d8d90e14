/** A dump as words, texts and signs, one after another: no statement of it has to fit into memory. */
import { Invalid } from '../../../layers/domain/fault.ts';
import type { Dialect, Quoting } from './dialect.ts';
import { unescapePostgresql } from './escapes.ts';

export type Token =
  | { readonly is: 'word' | 'name' | 'text' | 'number' | 'sign'; readonly value: string }
  /** A line of COPY, without its end. */
  | { readonly is: 'line'; readonly value: string };

/** There may be more of it in what is still to come. */
const unfinished = -1;

const blank = /\s+/y;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const number = /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const dollars = /\$(?:[A-Za-z_]\w*)?\$/y;

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

const endOfBlockComment = (text: string, at: number, nested: boolean): number => {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at + 2;
  for (let depth = 1; ;) {
    const found = mark.exec(text);
    if (!found) return unfinished;
    if (found[0] === '*/') depth -= 1;
    else if (nested) depth += 1;
    if (depth === 0) return mark.lastIndex;
  }
};

/** What a text may hold that needs a look, by its closing mark; with backslashes and without. */
const looks = new Map(
  ["'", '"', '`', ']'].map((mark) => [
    mark,
    { plain: new RegExp(`[\\${mark}]`, 'g'), escaped: new RegExp(`[\\${mark}\\\\]`, 'g') },
  ]),
);

/** Where a text ends that begins at `at` and is closed by `mark`. */
const endOfQuoted = (text: string, at: number, mark: string, escapes: boolean): number => {
  const look = looks.get(mark)![escapes ? 'escaped' : 'plain'];
  look.lastIndex = at + 1;
  for (;;) {
    const found = look.exec(text);
    if (!found) return unfinished;
    if (found[0] === '\\' || text[look.lastIndex] === mark) look.lastIndex += 1;
    else return look.lastIndex;
  }
};

/** Words that stand right before a text and say how it is read: E'\n', X'00', N'', _utf8'', and the like. */
const prefix = /^(?:[eExXbBnN]|_\w+)$/;

export class Tokens {
  /** `ending`: what is left of the line before. */
  #lines: 'none' | 'ending' | 'all' = 'none';
  #rest = '';
  #line = 1;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** The line that was read last, from 1. */
  get line(): number {
    return this.#line;
  }

  /** From the next line on there are lines, to one that is `\.`. */
  startLines(): void {
    this.#lines = 'ending';
  }

  /** What there is in `text`, as far as it is whole; the rest waits. `last`: no more comes. Throws Invalid. */
  *read(text: string, last: boolean): Generator<Token> {
    const all = this.#rest + text;
    let at = 0;
    let newline = all.indexOf('\n');
    while (at < all.length) {
      const [end, token] = this.#lines !== 'none' ? this.#lineAt(all, at, last) : this.#tokenAt(all, at, last);
      if (end === unfinished) break;
      for (; newline >= 0 && newline < end; newline = all.indexOf('\n', newline + 1)) this.#line += 1;
      at = end;
      if (token) yield token;
    }
    this.#rest = all.slice(at);
    if (last && (this.#rest !== '' || this.#lines !== 'none')) {
      throw Invalid(`The dump ends in the middle of something that begins in line ${this.#line}: it was cut off.`);
    }
  }

  /** How much waits for more. */
  get waiting(): number {
    return this.#rest.length;
  }

  #lineAt(all: string, at: number, last: boolean): [number, Token?] {
    const end = all.indexOf('\n', at);
    if (end < 0) return last && all.slice(at).trim() === '\\.' ? this.#endOfLines(all.length) : [unfinished];
    if (this.#lines === 'ending') {
      this.#lines = 'all';
      return [end + 1];
    }
    const value = all.slice(at, all[end - 1] === '\r' ? end - 1 : end);
    return value === '\\.' ? this.#endOfLines(end + 1) : [end + 1, { is: 'line', value }];
  }

  #endOfLines(end: number): [number] {
    this.#lines = 'none';
    return [end];
  }

  #tokenAt(all: string, at: number, last: boolean): [number, Token?] {
    const { comment, isPostgresql, quotes } = this.#dialect;
    const first = all[at]!;
    const skipped = endOf(blank, all, at);
    if (skipped > at) return [skipped];
    const open = !last;
    const commented = endOf(comment, all, at);
    if (commented > at) return [open && commented === all.length ? unfinished : commented];
    // What may be one of two things, if the next character is not there yet.
    if (open && at + 2 >= all.length) return [unfinished];
    if (all.startsWith('/*', at)) return [endOfBlockComment(all, at, isPostgresql)];
    const quoting = quotes[first];
    if (quoting) return this.#quotedAt(all, at, quoting, last);
    return this.#plainAt(all, at, last);
  }

  #quotedAt(all: string, at: number, { gives, unescape, end: closing }: Quoting, last: boolean): [number, Token?] {
    const mark = closing ?? all[at]!;
    const end = endOfQuoted(all, at, mark, unescape !== undefined);
    // A mark at the very end may be the first of two.
    if (end === unfinished || (end === all.length && !last)) return [unfinished];
    const inner = all.slice(at + 1, end - 1).replaceAll(mark + mark, mark);
    return [end, { is: gives, value: unescape ? unescape(inner) : inner }];
  }

  #plainAt(all: string, at: number, last: boolean): [number, Token?] {
    const cut = (end: number, token: Token): [number, Token?] =>
      // The exponent of a number takes three characters to be told from a word.
      end + 3 > all.length && !last ? [unfinished] : [end, token];
    const endOfWord = endOf(word, all, at);
    if (endOfWord > at) {
      const value = all.slice(at, endOfWord);
      return all[endOfWord] === "'" && prefix.test(value)
        ? this.#prefixedAt(all, endOfWord, value, last)
        : cut(endOfWord, { is: 'word', value });
    }
    const endOfNumber = endOf(number, all, at);
    if (endOfNumber > at) return cut(endOfNumber, { is: 'number', value: all.slice(at, endOfNumber) });
    const endOfTag = this.#dialect.isPostgresql ? endOf(dollars, all, at) : at;
    if (endOfTag > at) return this.#dollarsAt(all, at, endOfTag);
    return [at + 1, { is: 'sign', value: all[at]! }];
  }

  #prefixedAt(all: string, at: number, kind: string, last: boolean): [number, Token?] {
    const quoting: Quoting = /^e$/i.test(kind)
      ? { gives: 'text', unescape: unescapePostgresql }
      : this.#dialect.quotes["'"]!;
    const [end, token] = this.#quotedAt(all, at, quoting, last);
    if (!token || !/^x$/i.test(kind)) return token ? [end, token] : [end];
    return [end, { is: 'text', value: Buffer.from(token.value, 'hex').toString('utf8') }];
  }

  #dollarsAt(all: string, at: number, begin: number): [number, Token?] {
    const tag = all.slice(at, begin);
    const end = all.indexOf(tag, begin);
    return end < 0 ? [unfinished] : [end + tag.length, { is: 'text', value: all.slice(begin, end) }];
  }
}
