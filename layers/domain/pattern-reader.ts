/** Reads regular expressions in Python's form (`re`, Python 3) into pieces. What `pattern.ts` cannot follow is refused. */
import { Invalid } from './fault.ts';

/** Between which characters of a text, and how many are left. */
export type Place = { readonly before: string | undefined; readonly after: string | undefined; readonly left: number };

/** A pattern as it was read. */
export type Piece =
  | { readonly is: 'character'; test(character: string): boolean }
  | { readonly is: 'place'; holds(place: Place): boolean }
  | { readonly is: 'sequence' | 'choice'; readonly of: readonly Piece[] }
  | { readonly is: 'repeat'; readonly of: Piece; readonly least: number; readonly most: number };

type Test = (character: string) => boolean;
/** Letters of Python: i ignores case, m lets ^ and $ be at lines, s lets . be a line's end, a knows ASCII only. */
type Flags = { readonly i?: boolean; readonly m?: boolean; readonly s?: boolean; readonly a?: boolean };

const maxDepth = 20;
const maxRepeats = 1000;

/** The Fault (400) for a pattern; `why` goes into a sentence. */
export const wrongPattern = (pattern: string, why: string) =>
  Invalid(`"${pattern.slice(0, 80)}" is no regular expression that is known here: ${why}.`);

type Classes = Readonly<Record<string, Test>>;

const isSeparator: Test = (one) => '\x1c' <= one && one <= '\x1f';

/** What Python takes for digits, letters and spaces. */
const unicode: Classes = {
  d: (one) => /\p{Nd}/u.test(one),
  w: (one) => /[\p{L}\p{N}_]/u.test(one),
  s: (one) => /[^\S\ufeff]|\x85/.test(one) || isSeparator(one),
};
const ascii: Classes = {
  d: (one) => /[0-9]/.test(one),
  w: (one) => /[A-Za-z0-9_]/.test(one),
  s: (one) => /[ \t\n\r\f\v]/.test(one),
};

/** `\d` and its like, or undefined; a capital letter is the opposite. */
const classOf = (name: string, { a }: Flags): Test | undefined => {
  const known = (a ? ascii : unicode)[name.toLowerCase()];
  const isOpposite = name !== name.toLowerCase();
  return known && ((one) => known(one) !== isOpposite);
};

const isWord = (character: string | undefined, flags: Flags): boolean =>
  character !== undefined && classOf('w', flags)!(character);

const atWordsEdge = (flags: Flags, wanted: boolean): Piece => ({
  is: 'place',
  holds: ({ before, after }) => (isWord(before, flags) !== isWord(after, flags)) === wanted,
});

const lineBegin: Piece = { is: 'place', holds: ({ before }) => before === undefined || before === '\n' };
const lineEnd: Piece = { is: 'place', holds: ({ after }) => after === undefined || after === '\n' };
export const textBegin: Piece = { is: 'place', holds: ({ before }) => before === undefined };
export const textEnd: Piece = { is: 'place', holds: ({ after }) => after === undefined };
/** Python's `$`: the end, or the line's end that is the last character. */
const lastEnd: Piece = { is: 'place', holds: ({ after, left }) => left === 0 || (left === 1 && after === '\n') };

const places: Readonly<Record<string, (flags: Flags) => Piece>> = {
  A: () => textBegin,
  Z: () => textEnd,
  b: (flags) => atWordsEdge(flags, true),
  B: (flags) => atWordsEdge(flags, false),
};

const literals: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07', 0: '\0' };
const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

const character = (test: Test, { i }: Flags): Piece => {
  if (!i) return { is: 'character', test };
  // A letter whose other case is two letters has none here, as in Python.
  const single = (one: string) => Array.from(one).length === 1 && test(one);
  return { is: 'character', test: (one) => test(one) || single(one.toLowerCase()) || single(one.toUpperCase()) };
};

const refusedGroups: readonly (readonly [begin: string, why: string])[] = [
  ['=', 'it looks ahead'],
  ['!', 'it looks ahead'],
  ['<', 'it looks behind'],
  ['>', 'it keeps what it took'],
  ['(', 'it asks for a group'],
  ['P=', 'it refers back to a group'],
];

/** The pieces of a pattern. Throws Invalid (400). */
export const readPattern = (pattern: string): Piece => {
  const text = Array.from(pattern);
  let at = 0;
  const wrong = (why: string) => wrongPattern(pattern, why);
  const peek = (): string | undefined => text[at];
  const rest = (): string => text.slice(at, at + 80).join('');
  const take = (wanted: string): boolean => {
    if (text[at] !== wanted) return false;
    at += 1;
    return true;
  };
  const next = (why: string): string => {
    const one = text[at];
    if (one === undefined) throw wrong(why);
    at += 1;
    return one;
  };
  const takeAll = (found: string): void => {
    at += Array.from(found).length;
  };

  const coded = (name: string): string => {
    const code = new RegExp(`^[0-9a-fA-F]{${digits[name]}}`).exec(rest())?.[0];
    if (code === undefined || Number.parseInt(code, 16) > 0x10ffff)
      throw wrong(`\\${name} needs ${digits[name]} digits`);
    takeAll(code);
    return String.fromCodePoint(Number.parseInt(code, 16));
  };

  /** What an escape stands for: a character, or a class of them. */
  const escaped = (flags: Flags): string | Test => {
    const name = next('it ends with a backslash');
    const known = classOf(name, flags);
    if (known) return known;
    if (Object.hasOwn(digits, name)) return coded(name);
    if (/[1-9]/.test(name)) throw wrong(`\\${name} refers back to a group`);
    if (Object.hasOwn(literals, name)) return literals[name]!;
    if (/[a-zA-Z]/.test(name)) throw wrong(`\\${name} is not known`);
    return name;
  };

  const setMember = (flags: Flags): string | Test => {
    if (!take('\\')) return next('a [ is not closed');
    return take('b') ? '\b' : escaped(flags);
  };

  const setRange = (flags: Flags): Test => {
    const first = setMember(flags);
    if (typeof first !== 'string') return first;
    if (peek() !== '-' || text[at + 1] === ']' || text[at + 1] === undefined) return (one) => one === first;
    at += 1;
    const last = setMember(flags);
    if (typeof last !== 'string') throw wrong(`${first}- leads to no character`);
    const [least, most] = [first.codePointAt(0)!, last.codePointAt(0)!];
    if (most < least) throw wrong(`${first}-${last} ends before it begins`);
    return (one) => least <= one.codePointAt(0)! && one.codePointAt(0)! <= most;
  };

  const set = (flags: Flags): Piece => {
    const isWithout = take('^');
    const members = [setRange(flags)];
    while (!take(']')) members.push(setRange(flags));
    const inside = character((one) => members.some((member) => member(one)), flags);
    return isWithout && inside.is === 'character' ? { is: 'character', test: (one) => !inside.test(one) } : inside;
  };

  /** The flags of `(?i)`, `(?i:` and `(?-i:` from those around; undefined if it is another group. */
  const flagsHere = (around: Flags): { readonly flags: Flags; readonly end: string } | undefined => {
    const [all, on = '', off = '', end = ''] = /^([aimsuxL]*)(?:-([imsx]+))?([:)])/.exec(rest()) ?? [];
    if (all === undefined) return undefined;
    const unknown = /[xL]/.exec(on + off)?.[0];
    if (unknown) throw wrong(`the flag ${unknown} is not known`);
    takeAll(all);
    const changed = [...Array.from(on, (flag) => [flag, true]), ...Array.from(off, (flag) => [flag, false])];
    return { flags: { ...around, ...(Object.fromEntries(changed) as Flags) }, end };
  };

  const closed = (piece: Piece): Piece => {
    if (!take(')')) throw wrong('a ( is not closed');
    return piece;
  };

  const group = (depth: number, flags: Flags): Piece => {
    if (!take('?')) return closed(choice(depth + 1, flags));
    const named = /^P<[\p{L}_][\p{L}\p{N}_]*>/u.exec(rest())?.[0];
    if (named) {
      takeAll(named);
      return closed(choice(depth + 1, flags));
    }
    if (take('#')) {
      while (peek() !== undefined && peek() !== ')') at += 1;
      return closed({ is: 'sequence', of: [] });
    }
    const refused = refusedGroups.find(([begin]) => rest().startsWith(begin));
    if (refused) throw wrong(`(?${refused[0]} is not possible, ${refused[1]}`);
    const given = flagsHere(flags);
    if (given?.end === ':') return closed(choice(depth + 1, given.flags));
    throw wrong(given ? 'flags for all of it stand at its begin' : `(?${peek() ?? ''} is not known`);
  };

  const atom = (depth: number, flags: Flags): Piece => {
    if (take('^')) return flags.m ? lineBegin : textBegin;
    if (take('$')) return flags.m ? lineEnd : lastEnd;
    if (take('.')) return { is: 'character', test: (one) => flags.s === true || one !== '\n' };
    if (take('[')) return set(flags);
    if (take('(')) return group(depth, flags);
    if (take('\\')) {
      const name = peek() ?? '';
      if (Object.hasOwn(places, name)) {
        at += 1;
        return places[name]!(flags);
      }
      const meant = escaped(flags);
      return character(typeof meant === 'string' ? (one) => one === meant : meant, flags);
    }
    const literal = next('something is missing');
    if ('*+?'.includes(literal)) throw wrong(`there is nothing before ${literal} to repeat`);
    return character((one) => one === literal, flags);
  };

  /** Of `{2}`, `{2,}`, `{,5}` and `{2,5}`; any other brace is a character, as in Python. */
  const bounds = (): readonly [least: number, most: number] | undefined => {
    if (take('*')) return [0, Infinity];
    if (take('+')) return [1, Infinity];
    if (take('?')) return [0, 1];
    const [all, least = '', comma = '', most = ''] = /^\{(\d*)(,?)(\d*)\}/.exec(rest()) ?? [];
    if (all === undefined || all === '{}') return undefined;
    takeAll(all);
    if (Number(least) > maxRepeats || Number(most) > maxRepeats) throw wrong('it is too large');
    return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)];
  };

  const repeated = (depth: number, flags: Flags): Piece => {
    const piece = atom(depth, flags);
    const many = bounds();
    if (!many) return piece;
    const [least, most] = many;
    if (piece.is === 'place') throw wrong('there is nothing to repeat');
    if (most < least) throw wrong(`{${least},${most}} ends before it begins`);
    // As few as possible is found in the same texts as as many as possible.
    if (!take('?') && peek() === '+') throw wrong('a + that keeps what it took is not possible');
    if (bounds()) throw wrong('what is repeated is repeated again');
    return { is: 'repeat', of: piece, least, most };
  };

  const sequence = (depth: number, flags: Flags): Piece => {
    const pieces: Piece[] = [];
    while (peek() !== undefined && peek() !== '|' && peek() !== ')') pieces.push(repeated(depth, flags));
    return { is: 'sequence', of: pieces };
  };

  const choice = (depth: number, flags: Flags): Piece => {
    if (depth > maxDepth) throw wrong(`groups are nested deeper than ${maxDepth}`);
    const pieces = [sequence(depth, flags)];
    while (take('|')) pieces.push(sequence(depth, flags));
    return pieces.length === 1 ? pieces[0]! : { is: 'choice', of: pieces };
  };

  let flags: Flags = {};
  for (let global = /^\(\?[a-zA-Z]+\)/.exec(rest()); global; global = /^\(\?[a-zA-Z]+\)/.exec(rest())) {
    at += 2;
    const given = flagsHere(flags);
    if (!given) throw wrong(`${global[0]} has a flag that is not known`);
    flags = given.flags;
  }
  const all = choice(0, flags);
  if (peek() !== undefined) throw wrong('a ) closes nothing');
  return all;
};
