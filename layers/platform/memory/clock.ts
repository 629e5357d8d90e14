/** Virtual time. */
import type { Clock } from '../platform.ts';

export type VirtualClock = Clock & {
  /** Moves time on by so many milliseconds and wakes who sleeps until then, in order. */
  advance(ms: number): void;
};

type Sleeper = { readonly at: number; readonly wake: () => void };

/**
 * A clock that starts at 2026-01-01T00:00:00Z. By default a sleep ends at once and moves time on (sleepers wake in the
 * order of their times); with `manual` it ends only when a test calls `advance`.
 */
export const createVirtualClock = ({ start = Date.UTC(2026, 0, 1), manual = false } = {}): VirtualClock => {
  let now = start;
  const sleepers: Sleeper[] = [];
  const wakeNext = (until: number): boolean => {
    sleepers.sort((a, b) => a.at - b.at);
    const next = sleepers[0];
    if (!next || next.at > until) return false;
    sleepers.shift();
    now = Math.max(now, next.at);
    next.wake();
    return true;
  };
  return {
    now: () => now,
    sleep: async (ms) =>
      new Promise((wake) => {
        sleepers.push({ at: now + ms, wake });
        if (!manual) setImmediate(wakeNext, Infinity);
      }),
    advance: (ms) => {
      const until = now + ms;
      while (wakeNext(until));
      now = until;
    },
  };
};
