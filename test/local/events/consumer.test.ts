import { expect, it } from 'vitest';

import { systemClock } from '../../../layers/platform/clock.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createFunctionConsumer } from '../../../local/events/consumer.ts';
import type { Pauses } from '../../../local/events/pauses.ts';
import type { Feed } from '../../../local/table/feed.ts';

const never = async () => Promise.reject(new Error('nobody asks for it'));

/** A consumer for which nothing waits but what is paused. */
const take = async (pauses: Partial<Pauses>) => {
  const feed = { waiting: async () => [] } as Partial<Feed> as Feed;
  const needs = { feed, clock: systemClock, log: createLogRecorder(), functions: { invokeText: never } };
  return createFunctionConsumer({ ...needs, pauses: pauses as Pauses }, 'sync', []).take();
};

it('comes back for what was paused, also if the pause ends while it looks', async () => {
  expect(await take({ paused: () => ['a'], left: () => 200 })).toBe(200);
  expect(await take({ paused: () => ['a'], left: () => undefined })).toBe(0);
  expect(await take({ paused: () => [], left: () => undefined })).toBeUndefined();
});
