/**
 * Regular expressions that tenants send to find servers by (compute-api.md 3). JavaScript's own go back on what they tried,
 * so a few characters of one can keep a function busy for hours. These are followed in all ways at once (Thompson): a text
 * costs its length times that of the pattern, whatever that is. No groups are kept, no reference leads back.
 */
import { Invalid } from '../fault.ts';

/** What a state waits for: a character, the begin or the end of the text, or nothing: it only leads on. */
type State =
  | { readonly is: 'character'; test(character: string): boolean; next: number }
  | { readonly is: 'begin' | 'end'; next: number }
  | { readonly is: 'fork'; readonly next: number[] }
  | { readonly is: 'found' };

/** A pattern as it was read. */
type Piece =
  | { readonly is: 'character'; test(character: string): boolean }
  | { readonly is: 'begin' | 'end' }
  | { readonly is: 'sequence' | 'choice'; readonly of: readonly Piece[] }
  | { readonly is: 'repeat'; readonly of: Piece; readonly least: number; readonly most: number };

/** `{2,100}` makes as many states as it says. */
const maxStates = 1000;
const maxDepth = 20;

const wrong = (pattern: string, why: string) => Invalid(`"${pattern.slice(0, 80)}" is no regular expression: ${why}.`);

const classes: Readonly<Record<string, RegExp>> = { d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/ };

/** Reads a pattern from left to right. Throws Invalid (400). */
const createReader = (pattern: string) => {
  const text = Array.from(pattern);
  let at = 0;
  const peek = (): string | undefined => text[at];
  const take = (wanted: string): boolean => {
    if (text[at] !== wanted) return false;
    at += 1;
    return true;
  };
  const next = (why: string): string => {
    const character = text[at];
    if (character === undefined) throw wrong(pattern, why);
    at += 1;
    return character;
  };

  const escaped = (): ((character: string) => boolean) => {
    const name = next('it ends with a backslash');
    const known = classes[name];
    if (known) return (character) => known.test(character);
    if (/[a-zA-Z0-9]/.test(name)) throw wrong(pattern, `\\${name} is not known here`);
    return (character) => character === name;
  };

  const setMember = (): ((character: string) => boolean) => {
    if (take('\\')) return escaped();
    const first = next('a [ is not closed');
    if (peek() !== '-' || text[at + 1] === ']') return (character) => character === first;
    at += 1;
    const last = next('a [ is not closed');
    if (last < first) throw wrong(pattern, `${first}-${last} ends before it begins`);
    return (character) => first <= character && character <= last;
  };

  const set = (): Piece => {
    const isWithout = take('^');
    const members = [setMember()];
    while (!take(']')) members.push(setMember());
    return { is: 'character', test: (character) => members.some((one) => one(character)) !== isWithout };
  };

  const atom = (depth: number): Piece => {
    if (take('^')) return { is: 'begin' };
    if (take('$')) return { is: 'end' };
    if (take('.')) return { is: 'character', test: () => true };
    if (take('[')) return set();
    if (take('\\')) return { is: 'character', test: escaped() };
    if (take('(')) {
      if (take('?') && !take(':')) throw wrong(pattern, 'of groups with ? only (?: is known here');
      const inside = choice(depth + 1);
      if (!take(')')) throw wrong(pattern, 'a ( is not closed');
      return inside;
    }
    const literal = next('something is missing');
    if ('*+?{'.includes(literal)) throw wrong(pattern, `there is nothing before ${literal} to repeat`);
    return { is: 'character', test: (character) => character === literal };
  };

  /** Of `{2}`, `{2,}` and `{2,5}`. */
  const bounds = (): readonly [least: number, most: number] | undefined => {
    if (take('*')) return [0, Infinity];
    if (take('+')) return [1, Infinity];
    if (take('?')) return [0, 1];
    if (peek() !== '{') return undefined;
    const [all, least, comma, most] = /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(text.slice(at).join('')) ?? [];
    if (all === undefined) throw wrong(pattern, 'a { is not followed by {n}, {n,} or {n,m}');
    at += all.length;
    return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)];
  };

  const repeated = (depth: number): Piece => {
    let piece = atom(depth);
    for (let many = bounds(); many; many = bounds()) {
      const [least, most] = many;
      if (most < least) throw wrong(pattern, `{${least},${most}} ends before it begins`);
      piece = { is: 'repeat', of: piece, least, most };
    }
    return piece;
  };

  const sequence = (depth: number): Piece => {
    const pieces: Piece[] = [];
    while (peek() !== undefined && peek() !== '|' && peek() !== ')') pieces.push(repeated(depth));
    return { is: 'sequence', of: pieces };
  };

  const choice = (depth: number): Piece => {
    if (depth > maxDepth) throw wrong(pattern, `groups are nested deeper than ${maxDepth}`);
    const pieces = [sequence(depth)];
    while (take('|')) pieces.push(sequence(depth));
    return pieces.length === 1 ? pieces[0]! : { is: 'choice', of: pieces };
  };

  return (): Piece => {
    const all = choice(0);
    if (peek() !== undefined) throw wrong(pattern, 'a ) closes nothing');
    return all;
  };
};

/** The states of a piece, made from its end: each is told where it leads. Answers where it begins. */
const createStates = (pattern: string, piece: Piece): { readonly states: readonly State[]; readonly start: number } => {
  const states: State[] = [{ is: 'found' }];
  const add = (state: State): number => {
    if (states.length >= maxStates) throw wrong(pattern, 'it is too large');
    return states.push(state) - 1;
  };
  const make = (one: Piece, next: number): number => {
    switch (one.is) {
      case 'character':
      case 'begin':
      case 'end':
        return add({ ...one, next });
      case 'sequence':
        return one.of.reduceRight((after, part) => make(part, after), next);
      case 'choice':
        return add({ is: 'fork', next: one.of.map((part) => make(part, next)) });
      case 'repeat':
        return repeat(one, next);
    }
  };
  const repeat = ({ of, least, most }: Piece & { is: 'repeat' }, next: number): number => {
    let start = next;
    if (most === Infinity) {
      const fork: State = { is: 'fork', next: [next] };
      start = add(fork);
      fork.next.push(make(of, start));
    } else {
      for (let left = most - least; left > 0; left -= 1) start = add({ is: 'fork', next: [next, make(of, start)] });
    }
    for (let left = least; left > 0; left -= 1) start = make(of, start);
    return start;
  };
  return { states, start: make(piece, 0) };
};

/** Follows what needs no character. */
const spread = (
  states: readonly State[],
  from: readonly number[],
  { isBegin, isEnd }: { readonly isBegin: boolean; readonly isEnd: boolean },
): ReadonlySet<number> => {
  const seen = new Set<number>();
  const left = [...from];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const state = states[at]!;
    if (state.is === 'fork') left.push(...state.next);
    else if ((state.is === 'begin' && isBegin) || (state.is === 'end' && isEnd)) left.push(state.next);
  }
  return seen;
};

/**
 * Makes the function that says whether a pattern is somewhere in a text. Known are letters, `.`, sets, `\d \w \s` and
 * their opposites, groups, `|`, `* + ? {n,m}`, `^` and `$`. Throws Invalid (400) for anything else.
 */
export const createPattern = (pattern: string): ((text: string) => boolean) => {
  const { states, start } = createStates(pattern, createReader(pattern)());
  return (text) => {
    const characters = Array.from(text);
    let before: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      const now = spread(states, [...before, start], { isBegin: at === 0, isEnd: at === characters.length });
      if (now.has(0)) return true;
      before = [...now].flatMap((one) => {
        const state = states[one]!;
        return state.is === 'character' && at < characters.length && state.test(characters[at]!) ? [state.next] : [];
      });
    }
    return false;
  };
};
