/** The operator's switch for the time in which nothing is to change: reads go on, and who would change something waits. */
import * as z from 'zod';

import { Fault } from '../domain/fault.ts';
import type { Endpoint } from './route.ts';

/** Setting maintenance_retry_after: seconds; empty: it is off, which is null. */
export const maintenanceSetting = z
  .string()
  .regex(/^(?:[1-9]\d*)?$/, 'maintenance_retry_after has to be a whole number above 0, or empty')
  .transform((text) => (text === '' ? null : Number(text)));

const reads = ['GET', 'HEAD'];

/**
 * Throws Maintenance (503) with the seconds after which to try again, if a request of this row would change something.
 * `mayMoveIn`: whether this caller moves in, which is done while nobody else changes anything; default: nobody does.
 */
export const refuseChanges = (
  seconds: number | null,
  { at, movesIn }: Pick<Endpoint, 'at' | 'movesIn'>,
  mayMoveIn: () => boolean = () => false,
): void => {
  if (seconds === null || reads.includes(at.split(' ')[0]!) || (movesIn && mayMoveIn())) return;
  throw new Fault(
    'Maintenance',
    503,
    'The service is in maintenance: what there is can be read, and nothing can be changed. Try again later.',
    { retryAfter: seconds },
  );
};
