/** What stands in VALUES: literals, and the few functions that dump programs write for what a literal cannot hold. */
import { Invalid } from '../../../layers/domain/fault.ts';
import type { Token } from './tokens.ts';

export type DumpValue = string | number | boolean | null;

/** Reads token after token, each by a `yield`. */
export type Reading<T> = Generator<void, T, Token>;

const constants: ReadonlyMap<string, DumpValue> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

const unistr = (text: string): string =>
  text.replace(/\\(?:([0-9a-fA-F]{4})|u([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|U([0-9a-fA-F]{8})|\\)/g, (_, ...parts) => {
    const digits = (parts.slice(0, 4) as (string | undefined)[]).find((one) => one !== undefined);
    return digits === undefined ? '\\' : String.fromCodePoint(Number.parseInt(digits, 16));
  });

/** sqlite3 writes line ends as `replace('a\nb','\n',char(10))`, and since 3.50 control characters as `unistr('...')`. */
const functions: { readonly [name: string]: (args: readonly string[]) => string } = {
  replace: ([text, from, to]) => text!.replaceAll(from!, to!),
  char: (codes) => String.fromCodePoint(...codes.map(Number)),
  unistr: ([text]) => unistr(text!),
};

const call = function* (name: string): Reading<string> {
  const made = functions[name];
  if (!made) throw Invalid(`the function ${name} in VALUES, which no dump program writes`);
  const args: string[] = [];
  for (;;) {
    const [one, next] = yield* value(yield);
    args.push(String(one));
    if (next.value === ')') return made(args);
  }
};

const numberOf = (text: string): DumpValue =>
  /^0x/i.test(text) ? Buffer.from(text.slice(2), 'hex').toString('utf8') : Number(text);

const literal = function* (token: Token): Reading<[DumpValue, Token?]> {
  if (token.is === 'text') return [token.value];
  if (token.is === 'number') return [numberOf(token.value)];
  if (token.is === 'sign' && (token.value === '-' || token.value === '+')) {
    const { value: digits } = yield;
    return [token.value === '-' ? -Number(digits) : Number(digits)];
  }
  const word = token.value.toLowerCase();
  if (token.is === 'word' && constants.has(word)) return [constants.get(word)!];
  const open = yield;
  if (token.is === 'word' && open.is === 'sign' && open.value === '(') return [yield* call(word)];
  // An introducer such as _binary before its text.
  if (/^_\w+$/.test(word) && open.is === 'text') return [open.value];
  throw Invalid('something in VALUES that is no value');
};

/** A value that begins with `from`, and the token behind it. PostgreSQL's `::type` says nothing that is not known. */
export const value = function* (from: Token): Reading<[DumpValue, Token]> {
  const [found] = yield* literal(from);
  let next: Token = yield;
  if (next.is === 'sign' && next.value === ':') {
    while (!(next.is === 'sign' && (next.value === ',' || next.value === ')'))) next = yield;
  }
  return [found, next];
};
