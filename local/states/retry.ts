/** Which retrier or catcher an error meets, and how long to wait before the next attempt. */
import type { Catcher, Retrier } from './language.ts';

/**
 * The rules of Step Functions: States.ALL is every error but the two that end an execution, States.TaskFailed every
 * one of those but a timeout, and a missed heartbeat is a timeout too. States.Runtime cannot be handled at all;
 * States.DataLimitExceeded only by its own name.
 */
export const matches = (names: readonly string[], error: string): boolean => {
  if (error === 'States.Runtime') return false;
  if (names.includes(error)) return true;
  if (error === 'States.DataLimitExceeded') return false;
  if (names.includes('States.ALL')) return true;
  const timeout = error === 'States.Timeout' || error === 'States.HeartbeatTimeout';
  return timeout ? names.includes('States.Timeout') : names.includes('States.TaskFailed');
};

/** Seconds before retry number `attempt` (1 is the first); `fraction` in [0, 1) is used for FULL jitter only. */
export const delayOf = (retrier: Retrier, attempt: number, fraction: number): number => {
  const grown = retrier.IntervalSeconds * retrier.BackoffRate ** (attempt - 1);
  const delay = Math.min(grown, retrier.MaxDelaySeconds ?? Infinity, 99_999_999);
  return retrier.JitterStrategy === 'FULL' ? delay * fraction : delay;
};

/**
 * What the first matching retrier says: its index and the seconds to wait; undefined when none matches or that one is
 * used up (a later one is not asked). `used[i]` counts the retries that retrier i has given in this state so far.
 */
export const nextRetry = (
  retriers: readonly Retrier[],
  used: readonly number[],
  error: string,
  fraction: number,
): { index: number; seconds: number } | undefined => {
  const index = retriers.findIndex((retrier) => matches(retrier.ErrorEquals, error));
  const retrier = retriers[index];
  const count = used[index] ?? 0;
  if (!retrier || count >= retrier.MaxAttempts) return undefined;
  return { index, seconds: delayOf(retrier, count + 1, fraction) };
};

/** The first catcher that names the error. */
export const findCatcher = (catchers: readonly Catcher[], error: string): Catcher | undefined =>
  catchers.find((catcher) => matches(catcher.ErrorEquals, error));
