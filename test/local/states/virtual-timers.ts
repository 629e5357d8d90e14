/** Time that stands still until a test moves it. */
import type { Timers } from '../../../local/states/timers.ts';

export type VirtualTimers = Timers & {
  /** Goes to the next timer and calls it; false if there is none. */
  skip(): boolean;
  /** Lets so many milliseconds pass without calling timers: the process was down. */
  pass(ms: number): void;
};

export const createVirtualTimers = (start = Date.parse('2026-01-01T00:00:00Z')): VirtualTimers => {
  let now = start;
  const waiting = new Set<{ when: number; call: () => void }>();
  return {
    now: () => now,
    at: (when, call) => {
      const timer = { when, call };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
    skip: () => {
      const [next] = [...waiting].sort((a, b) => a.when - b.when);
      if (!next) return false;
      waiting.delete(next);
      now = Math.max(now, next.when);
      next.call();
      return true;
    },
    pass: (ms) => {
      now += ms;
    },
  };
};
