/** Chance that repeats itself. */
import type { Chance } from '../platform.ts';

/** The same seed (a whole number) gives the same numbers, by mulberry32. */
export const createSeededChance = (seed = 1): Chance => {
  let state = seed | 0;
  return {
    number: () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
};
