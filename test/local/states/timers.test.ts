import { expect, it, vi } from 'vitest';

import { realTimers } from '../../../local/states/timers.ts';

it('rings at once for what is past, and not for what is cancelled', async () => {
  const cancelled = vi.fn<() => void>();
  realTimers.at(0, cancelled)();
  await new Promise<void>((resolve) => realTimers.at(realTimers.now() - 1000, resolve));
  expect(cancelled).not.toHaveBeenCalled();
});

it('does not ring at once for what is further away than a timer of Node.js can count', async () => {
  const far = vi.fn<() => void>();
  const cancel = realTimers.at(realTimers.now() + 2 ** 40, far);
  await new Promise<void>((resolve) => realTimers.at(realTimers.now() + 20, resolve));
  expect(far).not.toHaveBeenCalled();
  cancel();
});
