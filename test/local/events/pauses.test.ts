import { expect, it } from 'vitest';

import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';
import { createPauses } from '../../../local/events/pauses.ts';

it('are longer each time, up to the longest, and end with the first success', () => {
  const clock = createVirtualClock();
  const pauses = createPauses(clock, { first: 100, most: 350 });
  expect(pauses.left()).toBeUndefined();
  const lengths = Array.from({ length: 4 }, () => {
    pauses.failed('a');
    const left = pauses.left();
    clock.advance(left!);
    return left;
  });
  expect(lengths).toEqual([100, 200, 350, 350]);
  expect(pauses.paused()).toEqual([]);
  pauses.worked('a');
  pauses.failed('a');
  expect(pauses.left()).toBe(100);
});

it('are of each name by itself, and the first that ends counts', () => {
  const clock = createVirtualClock();
  const pauses = createPauses(clock, { first: 100, most: 1000 });
  pauses.failed('a');
  pauses.failed('a');
  clock.advance(50);
  pauses.failed('b');
  expect(pauses.paused()).toEqual(['a', 'b']);
  expect(pauses.left()).toBe(100);
  clock.advance(100);
  expect(pauses.paused()).toEqual(['a']);
});
