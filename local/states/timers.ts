/** The time of the interpreter. Tests put a virtual clock in its place and let hours pass in no time. */

/** `now` is milliseconds since the epoch; `at` calls once at or after a time, unless it is cancelled before. */
export type Timers = { now(): number; at(when: number, call: () => void): () => void };

/** A timer of Node.js holds 31 bits; one that is further away fires early, and whoever gets it looks again. */
const longest = 2 ** 31 - 1;

/** The time of the machine. */
export const realTimers: Timers = {
  now: () => Date.now(),
  at: (when, call) => {
    const timer = setTimeout(call, Math.min(Math.max(0, when - Date.now()), longest));
    return () => clearTimeout(timer);
  },
};
