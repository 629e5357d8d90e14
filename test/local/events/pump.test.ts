import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createPump } from '../../../local/events/pump.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fails = (error: unknown) => {
  throw error;
};

it('does nothing until it is kicked, then goes on for as long as there is something to do', async () => {
  const answers = [0, 0, undefined];
  const work = vi.fn<() => Promise<number | undefined>>(async () => answers.shift());
  const pump = createPump(work, fails);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).not.toHaveBeenCalled();
  pump.kick();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(3);
});

it('comes back after the time that the work says, or sooner when it is kicked', async () => {
  const answers = [5000, 5000, undefined];
  const work = vi.fn<() => Promise<number | undefined>>(async () => answers.shift());
  const pump = createPump(work, fails);
  pump.kick();
  await vi.advanceTimersByTimeAsync(4999);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(2);
  pump.kick();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(3);
});

it('never works twice at once, and once more for all that was asked meanwhile', async () => {
  const gates: (() => void)[] = [];
  const work = vi.fn<() => Promise<undefined>>(
    async () => new Promise((resolve) => gates.push(() => resolve(undefined))),
  );
  const pump = createPump(work, fails);
  pump.kick();
  await vi.advanceTimersByTimeAsync(0);
  pump.kick();
  pump.kick();
  expect(work).toHaveBeenCalledTimes(1);
  gates[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(work).toHaveBeenCalledTimes(2);
  gates[1]!();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(2);
});

it('tells of what goes wrong, and goes on after a pause', async () => {
  const errors: unknown[] = [];
  const work = vi.fn<() => Promise<undefined>>(async () => Promise.reject(new Error('no')));
  const pump = createPump(work, (error) => errors.push(error), { pause: 300 });
  pump.kick();
  await vi.advanceTimersByTimeAsync(299);
  expect(errors).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(errors).toHaveLength(2);
  await pump.stop();
});

it('lets what comes within a while be done together', async () => {
  const work = vi.fn<() => Promise<undefined>>(async () => undefined);
  const pump = createPump(work, fails, { gather: 25 });
  for (let count = 0; count < 10; count += 1) {
    pump.kick();
    await vi.advanceTimersByTimeAsync(2);
  }
  expect(work).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(1);
});

it('begins nothing after it was stopped, which waits for what runs', async () => {
  const gates: (() => void)[] = [];
  const work = vi.fn<() => Promise<number>>(async () => new Promise((resolve) => gates.push(() => resolve(0))));
  const pump = createPump(work, fails);
  pump.kick();
  await vi.advanceTimersByTimeAsync(0);
  let stopped = false;
  const stop = pump.stop().then(() => (stopped = true));
  await vi.advanceTimersByTimeAsync(1000);
  expect(stopped).toBe(false);
  gates[0]!();
  await stop;
  pump.kick();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(1);
});
