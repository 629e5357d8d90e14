/**
 * Counts what our own code does, in steps instead of time: each time that a function is called or a branch or a loop is
 * gone through, as V8 counts for coverage, and each character that is handed to a native function of texts. One run
 * takes as many steps as the next, however busy the machine is. Only code that is loaded after `start` is counted whole.
 */
import { Session } from 'node:inspector/promises';

type Native = (this: string, ...args: unknown[]) => unknown;
/** How many characters a call has read, by what it answered. */
type Read = (text: string, answer: unknown, from: number) => number;

const toTheEnd: Read = (text) => text.length;
const toWhatWasFound: Read = ({ length }, found, from) =>
  ((found as number) < 0 ? length : (found as number) + 1) - from;
const whatWasCut: Read = (_text, cut) => (cut as string).length;

/** Native functions that read the text that they are called on: to V8 each call is one step. */
const natives: Readonly<Record<string, Read>> = {
  indexOf: toWhatWasFound,
  slice: whatWasCut,
  substring: whatWasCut,
  lastIndexOf: toTheEnd,
  includes: toTheEnd,
  split: toTheEnd,
  replace: toTheEnd,
  replaceAll: toTheEnd,
  match: toTheEnd,
  matchAll: toTheEnd,
  search: toTheEnd,
  trim: toTheEnd,
  normalize: toTheEnd,
  toLowerCase: toTheEnd,
  toUpperCase: toTheEnd,
  toWellFormed: toTheEnd,
};

/** Code of the product. */
const isOurs = (url: string): boolean => /\/(layers|functions|workflows)\//.test(url) && !url.includes('/test/');

export type Steps = {
  /** How many steps this took. */
  of(work: () => unknown): Promise<number>;
  stop(): Promise<void>;
};

/** One at a time in a process: before the code is loaded that is to be counted. */
export const startCounting = async (): Promise<Steps> => {
  let characters = 0;
  const texts = String.prototype as unknown as Record<string, Native>;
  const originals = Object.keys(natives).map((name) => [name, texts[name]!] as const);
  for (const [name, native] of originals) {
    texts[name] = function counted(...args) {
      const answer = native.apply(this, args);
      characters += Math.max(0, natives[name]!(this, answer, typeof args[1] === 'number' ? args[1] : 0));
      return answer;
    };
  }
  const patterns = RegExp.prototype as { exec(this: RegExp, text: string): RegExpExecArray | null };
  const { exec } = patterns;
  patterns.exec = function counted(text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    characters += (found ? found.index + found[0].length : text.length) - from;
    return found;
  };
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** Since it was last asked. */
  const gone = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = result
      .filter(({ url }) => isOurs(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    const all = counts.reduce((sum, count) => sum + count, 0) + characters;
    characters = 0;
    return all;
  };
  return {
    of: async (work) => {
      await gone();
      await work();
      return gone();
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
      for (const [name, native] of originals) texts[name] = native;
      patterns.exec = exec;
    },
  };
};
