/** What the verb abort leaves to the power workflow, in the real interpreter with the real phases. */
import { expect, it } from 'vitest';

import { abortRun } from '../../../../functions/baremetal-api/node/abort.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import { changeRecord } from '../../../../layers/store/records/change.ts';
import { createAgent } from '../../../workflows/agent.ts';
import { aNode, uuid } from '../../../workflows/nodes.ts';
import { createStage } from '../../../workflows/stage.ts';

it('an aborted machine is switched off, keeps its error, and loses its agent', async () => {
  const stage = await createStage({ node: aNode() });
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle();
  const agent = createAgent(stage);
  await agent.call();
  await stage.settle();
  expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', run, reservation: null });

  await changeRecord(stage.world, kinds.node, uuid, (node) => abortRun(node, stage.world.ids.ulid()));
  await stage.stop('deploy', run);
  // The start was lost: sync finds what was asked for.
  expect(await stage.sync()).toMatchObject({ started: 1, failed: 0 });
  await stage.settle();

  expect(stage.machine.power).toBe('power off');
  expect(await stage.read()).toMatchObject({
    provision_state: 'deploy failed',
    power_state: 'power off',
    target_power_state: null,
    reservation: null,
    run: null,
    last_error: 'The operation was aborted by request while in state "wait call-back".',
  });
  expect(await agent.heartbeat()).toBeGreaterThanOrEqual(400);
});
