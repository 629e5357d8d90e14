import { expect, it } from 'vitest';

import { createVirtualClock } from './lab.ts';

it('wakes sleepers in the order of their times, not of their going to sleep', async () => {
  const { clock, advance } = createVirtualClock();
  const woken: number[] = [];
  for (const seconds of [5, 1, 9, 3, 7, 2, 8]) void clock.sleep(seconds * 1000).then(() => woken.push(seconds));
  await advance(7);
  expect(woken).toEqual([1, 2, 3, 5, 7]);
  await advance(2);
  expect(woken).toEqual([1, 2, 3, 5, 7, 8, 9]);
});

it('ends a sleep with the reason of its signal', async () => {
  const { clock, advance } = createVirtualClock();
  const controller = new AbortController();
  const slept = clock.sleep(10_000, controller.signal).catch((error: unknown) => error);
  controller.abort(new Error('power cut'));
  await advance(0);
  await expect(slept).resolves.toMatchObject({ message: 'power cut' });
});

it('lets an alarm be rung before its time', async () => {
  const { clock, advance } = createVirtualClock();
  const alarm = clock.alarm(10_000);
  let rung = false;
  void alarm.rung.then(() => (rung = true));
  await advance(1);
  expect(rung).toBe(false);
  alarm.ring();
  await advance(0);
  expect(rung).toBe(true);
});
