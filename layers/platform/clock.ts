/** The real clock. */
import { setTimeout as wait } from 'node:timers/promises';

import type { Clock } from './platform.ts';

/** Time as the machine has it, milliseconds since the epoch. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await wait(ms);
  },
};
