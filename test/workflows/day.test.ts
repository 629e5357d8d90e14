/** A run has a day. */
import { expect, it } from 'vitest';

import { createAgent } from './agent.ts';
import { aNode } from './nodes.ts';
import { createStage } from './stage.ts';

it('a run that takes longer than a day says so, as Step Functions tells it, and blames nobody', async () => {
  const stage = await createStage({ node: aNode() });
  const agent = createAgent(stage);
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle(600);
  await agent.call();
  // Its image never ends, and it is never silent either.
  for (let beats = 0; beats < 24 * 4; beats += 1) {
    await stage.settle(900);
    await agent.heartbeat();
  }
  await stage.settle();
  const execution = await stage.describe('deploy', run);
  expect(execution).toMatchObject({ status: 'TIMED_OUT' });
  expect([execution!.error, execution!.cause]).toEqual([undefined, undefined]);
  await stage.sync();
  const { provision_state, last_error } = await stage.read();
  expect(provision_state).toBe('deploy failed');
  expect(last_error).toMatch(
    /^Deploy failed in WriteImage: The execution \S+ ended as TIMED_OUT: it ran from \S+ to \S+, and no run may take longer\. Then/,
  );
});
