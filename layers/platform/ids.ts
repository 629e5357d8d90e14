/** The real ids. */
import { randomUUID } from 'node:crypto';

import { monotonicFactory } from 'ulid';

import type { Clock, Ids } from './platform.ts';

/** Random UUIDs, and ULIDs that keep growing within one process even when the clock stands still or steps back. */
export const createIds = (clock: Pick<Clock, 'now'>): Ids => {
  const next = monotonicFactory();
  return { uuid: () => randomUUID(), ulid: () => next(clock.now()) };
};
