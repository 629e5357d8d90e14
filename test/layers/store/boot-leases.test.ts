import { expect, it } from 'vitest';

import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { endLease, takeLease } from '../../../layers/store/boot-leases.ts';

it('one builds an image at a time, until it has ended or died; who was late ends nobody else’s', async () => {
  const platform = createMemoryPlatform();
  expect(await takeLease(platform, 'a', 'one')).toBe(true);
  expect([await takeLease(platform, 'a', 'two'), await takeLease(platform, 'b', 'two')]).toEqual([false, true]);
  await platform.clock.sleep(150_001);
  expect(await takeLease(platform, 'a', 'two')).toBe(true);
  await endLease(platform, 'a', 'one');
  expect(await takeLease(platform, 'a', 'one')).toBe(false);
  await endLease(platform, 'a', 'two');
  expect(await takeLease(platform, 'a', 'one')).toBe(true);
});
