/** One time for the interpreter, the functions and the agents; it stands still until a test moves it. */
import type { Timers } from '../../local/states/timers.ts';
import type { Clock } from '../../layers/platform/platform.ts';

export type VirtualTime = Timers &
  Clock & {
    /** Goes to the next timer that is due within `seconds` and calls it; false: goes to the end of that time instead. */
    skip(seconds: number): boolean;
  };

export const createVirtualTime = (): VirtualTime => {
  let now = Date.UTC(2026, 0, 1);
  const waiting = new Set<{ readonly when: number; call(): void }>();
  return {
    now: () => now,
    sleep: async () => {},
    at: (when, call) => {
      const timer = { when, call };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
    skip: (seconds) => {
      const until = now + seconds * 1000;
      const [next] = [...waiting].sort((a, b) => a.when - b.when);
      if (!next || next.when > until) {
        now = until;
        return false;
      }
      waiting.delete(next);
      now = Math.max(now, next.when);
      next.call();
      return true;
    },
  };
};
