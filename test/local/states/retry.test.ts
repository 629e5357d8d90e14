import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { retrier as schema } from '../../../local/states/language.ts';
import { delayOf, matches, nextRetry } from '../../../local/states/retry.ts';

const retrier = (more: object) => schema.parse({ ErrorEquals: ['E'], ...more });

describe('which error a name stands for', () => {
  const names = ['E', 'States.ALL', 'States.TaskFailed', 'States.Timeout'];
  it.each([
    ['E', ['E', 'States.ALL', 'States.TaskFailed']],
    ['Other', ['States.ALL', 'States.TaskFailed']],
    ['States.QueryEvaluationError', ['States.ALL', 'States.TaskFailed']],
    ['States.Timeout', ['States.ALL', 'States.Timeout']],
    ['States.DataLimitExceeded', ['States.ALL', 'States.TaskFailed']],
    ['States.Runtime', []],
  ])('%s is met by %j', (error, met) => {
    expect(names.filter((name) => matches([name], { error }))).toEqual(met);
  });

  it('is the name itself where a state made what is too large, and none for States.Runtime', () => {
    const tooLarge = { error: 'States.DataLimitExceeded', ofState: true };
    expect(names.filter((name) => matches([name], tooLarge))).toEqual([]);
    expect(matches(['States.DataLimitExceeded'], tooLarge)).toBe(true);
    expect(matches(['States.Runtime'], { error: 'States.Runtime' })).toBe(false);
  });
});

describe('the delay before a retry', () => {
  const anyRetrier = fc
    .record({
      IntervalSeconds: fc.integer({ min: 1, max: 1000 }),
      BackoffRate: fc.double({ min: 1, max: 10, noNaN: true }),
      MaxDelaySeconds: fc.integer({ min: 1, max: 5000 }),
    })
    .map(retrier);
  const attempt = fc.integer({ min: 1, max: 500 });

  it('never falls, and never passes MaxDelaySeconds', () => {
    fc.assert(
      fc.property(anyRetrier, attempt, (each, n) => {
        const [now, next] = [delayOf(each, n, 0.5), delayOf(each, n + 1, 0.5)];
        expect(next).toBeGreaterThanOrEqual(now);
        expect(next).toBeLessThanOrEqual(each.MaxDelaySeconds!);
      }),
    );
  });

  it('is between nothing and the whole of it with FULL jitter', () => {
    fc.assert(
      fc.property(anyRetrier, attempt, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (each, n, f) => {
        const whole = delayOf(each, n, f);
        const some = delayOf({ ...each, JitterStrategy: 'FULL' }, n, f);
        expect(some).toBeGreaterThanOrEqual(0);
        expect(some).toBeLessThanOrEqual(whole);
      }),
    );
  });

  it('is given MaxAttempts times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), (MaxAttempts) => {
        let used = 0;
        while (nextRetry([retrier({ MaxAttempts })], [used], { error: 'E' }, 0)) used += 1;
        expect(used).toBe(MaxAttempts);
      }),
    );
  });
});
