import { describeObjects } from '../../../conformance/objects.ts';
import { createVirtualClock } from '../../../../layers/platform/memory/clock.ts';
import { createMemoryObjects } from '../../../../layers/platform/memory/objects.ts';

describeObjects('objects in memory', async () => {
  const clock = createVirtualClock();
  const objects = createMemoryObjects(clock);
  return { objects, request: objects.request, wait: async (seconds) => clock.advance(seconds * 1000) };
});
