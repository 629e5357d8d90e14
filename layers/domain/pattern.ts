/**
 * Regular expressions that clients send: of inspection rules (ironic-api.md 9), which are written for Python's `re`, and
 * what tenants find servers by (compute-api.md 3). JavaScript's own go back on what they tried, so a few characters of one
 * can keep a function busy for hours, and rules meet what strangers' machines say. These are followed in all ways at
 * once (Thompson): a text costs its length times that of the pattern, whatever they are (ADR 26).
 */
import { Fault } from './fault.ts';
import { readPattern, textBegin, textEnd, wrongPattern, type Piece, type Place } from './pattern-reader.ts';

/** What a state waits for: a character, a place in the text, or nothing: it only leads on. */
type State =
  | { readonly is: 'character'; test(character: string): boolean; readonly next: number }
  | { readonly is: 'place'; holds(place: Place): boolean; readonly next: number }
  | { readonly is: 'fork'; readonly next: number[] }
  | { readonly is: 'found' };

/** `{2,100}` makes as many states as it says. */
const maxStates = 1000;
/** What makes no state, `(){99}`, is counted too. */
const maxMade = 10_000;
/** One step is one state at one character. A tenth of a second or so. */
const maxSteps = 5_000_000;

/** The states of a piece, made from its end: each is told where it leads. Answers where it begins. */
const createStates = (pattern: string, piece: Piece): { readonly states: readonly State[]; readonly start: number } => {
  const states: State[] = [{ is: 'found' }];
  let made = 0;
  const add = (state: State): number => {
    if (states.length >= maxStates) throw wrongPattern(pattern, 'it is too large');
    return states.push(state) - 1;
  };
  const make = (one: Piece, next: number): number => {
    made += 1;
    if (made > maxMade) throw wrongPattern(pattern, 'it is too large');
    switch (one.is) {
      case 'character':
      case 'place':
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

/** Called for each state that is looked at. */
type Step = () => void;

type Machine = ReturnType<typeof createStates>;

const TooLong = (pattern: string) =>
  new Fault('PatternTooSlow', 400, `"${pattern.slice(0, 80)}" takes more than ${maxSteps} steps to look for.`);

/** Follows what needs no character, and marks what it came to. Answers the states that wait for one; undefined: found. */
const spread = (states: readonly State[], left: number[], seen: Int32Array, at: number, place: Place, step: Step) => {
  const waiting: number[] = [];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (seen[one] === at) continue;
    seen[one] = at;
    step();
    const state = states[one]!;
    if (state.is === 'found') return undefined;
    if (state.is === 'fork') left.push(...state.next);
    else if (state.is === 'character') waiting.push(one);
    else if (state.holds(place)) left.push(state.next);
  }
  return waiting;
};

const search = ({ states, start }: Machine, text: string, step: Step): boolean => {
  const characters = Array.from(text);
  const seen = new Int32Array(states.length).fill(-1);
  let left: number[] = [];
  for (let at = 0; at <= characters.length; at += 1) {
    const place = { before: characters[at - 1], after: characters[at], left: characters.length - at };
    const waiting = spread(states, [...left, start], seen, at, place, step);
    if (!waiting) return true;
    const { after } = place;
    if (after === undefined) break;
    left = waiting.flatMap((one) => {
      const state = states[one] as State & { is: 'character' };
      return state.test(after) ? [state.next] : [];
    });
  }
  return false;
};

const whole = (piece: Piece): Piece => ({ is: 'sequence', of: [textBegin, piece, textEnd] });

/**
 * Makes the function that says whether a pattern of Python is somewhere in a text; `isWhole`: is all of it. Throws Invalid
 * (400), with what is not known here: what looks ahead or behind, refers back to a group, or keeps what it took. The
 * function throws PatternTooSlow (400) for a text in which so large a pattern cannot be looked for.
 */
export const createPattern = (pattern: string, { isWhole = false } = {}): ((text: string) => boolean) => {
  const piece = readPattern(pattern);
  const machine = createStates(pattern, isWhole ? whole(piece) : piece);
  return (text) => {
    let steps = 0;
    return search(machine, text, () => {
      steps += 1;
      if (steps > maxSteps) throw TooLong(pattern);
    });
  };
};
