import { describeObjects } from '../conformance/objects.ts';
import { createFakeClock } from './clock.ts';
import { createFakeObjects } from './objects.ts';

describeObjects('objects in memory', async () => {
  const clock = createFakeClock();
  const objects = createFakeObjects(clock);
  return { objects, request: objects.request, wait: async (seconds) => clock.advance(seconds * 1000) };
});
