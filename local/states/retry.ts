/** Which retrier or catcher an error meets, and how long to wait before the next attempt. */
import type { Catcher, Retrier } from './language.ts';

/** An error, and whether the state itself raised it (`FailedDoing` of run.ts). */
type Raised = { readonly error: string; readonly ofState?: boolean | undefined };

/**
 * The rules of Step Functions: States.ALL is every error but the two that end an execution, States.TaskFailed every
 * one of those but a timeout (a missed heartbeat is one). States.Runtime cannot be handled at all. That what a state
 * makes is too large is handled by its own name only; that what a task answers is, like any error.
 */
export const matches = (names: readonly string[], { error, ofState }: Raised): boolean => {
  if (error === 'States.Runtime') return false;
  if (names.includes(error)) return true;
  if (error === 'States.DataLimitExceeded' && ofState) return false;
  if (names.includes('States.ALL')) return true;
  return error !== 'States.Timeout' && names.includes('States.TaskFailed');
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
  raised: Raised,
  fraction: number,
): { index: number; seconds: number } | undefined => {
  const index = retriers.findIndex((retrier) => matches(retrier.ErrorEquals, raised));
  const retrier = retriers[index];
  const count = used[index] ?? 0;
  if (!retrier || count >= retrier.MaxAttempts) return undefined;
  return { index, seconds: delayOf(retrier, count + 1, fraction) };
};

/** The first catcher that meets the error. */
export const findCatcher = (catchers: readonly Catcher[], raised: Raised): Catcher | undefined =>
  catchers.find((catcher) => matches(catcher.ErrorEquals, raised));
