import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createSchedule, type Schedule } from '../../local/schedule.ts';

let schedule: Schedule;
beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await schedule.stop();
  vi.useRealTimers();
});

it('runs at once and then at every interval', async () => {
  const work = vi.fn<() => Promise<void>>(async () => undefined);
  schedule = createSchedule(1000, work, () => undefined);
  await vi.advanceTimersByTimeAsync(2500);
  expect(work).toHaveBeenCalledTimes(3);
});

it('never runs twice at once, and once more for all that was asked meanwhile', async () => {
  const gates: (() => void)[] = [];
  const work = vi.fn<() => Promise<void>>(async () => new Promise<void>((resolve) => gates.push(resolve)));
  schedule = createSchedule(60_000, work, () => undefined);
  schedule.kick();
  schedule.kick();
  expect(work).toHaveBeenCalledTimes(1);
  gates[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(work).toHaveBeenCalledTimes(2);
  gates[1]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(work).toHaveBeenCalledTimes(2);
});

it('goes on after a failure, and stops for good', async () => {
  const errors: unknown[] = [];
  const work = vi.fn<() => Promise<void>>(async () => {
    throw new Error('no');
  });
  schedule = createSchedule(1000, work, (error) => errors.push(error));
  await vi.advanceTimersByTimeAsync(1000);
  expect(errors).toHaveLength(2);
  await schedule.stop();
  schedule.kick();
  await vi.advanceTimersByTimeAsync(5000);
  expect(work).toHaveBeenCalledTimes(2);
});
