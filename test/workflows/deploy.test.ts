import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { pending } from '../fakes/proxy.ts';
import { createAgent } from './agent.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const bootPhases = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent'];

const deployed = async (stage: Stage) => {
  const agent = createAgent(stage);
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle();
  await agent.call();
  await stage.settle();
  await agent.finish();
  await stage.settle();
  return run;
};

describe('a direct deploy', () => {
  it('goes from phase to phase until the node is active', async () => {
    const stage = await createStage({ node: aNode() });
    const run = await deployed(stage);
    expect(await stage.entered('deploy', run)).toEqual([
      'Validate',
      'Plan',
      ...bootPhases,
      'CollectSteps',
      'WriteImage',
      'ImageWritten',
      'WriteImage',
      'ImageWritten',
      'PrepareInstanceBoot',
      'PowerOffAgent',
      'DetachBootMedia',
      'SetDiskBoot',
      'BootInstance',
      'Finish',
      'Done',
    ]);
    expect(await stage.describe('deploy', run)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      power_state: 'power on',
      reservation: null,
      run: null,
      run_workflow: null,
      last_error: null,
      deploy_step: {},
      phase: null,
    });
    expect(stage.machine).toMatchObject({
      power: 'power on',
      media: { cd: null, usb: null },
      boot: { target: 'Hdd', enabled: 'Continuous' },
    });
  });

  it('needs at most 60 state transitions', async () => {
    const stage = await createStage({ node: aNode() });
    const run = await deployed(stage);
    // Step Functions charges for entering a state and for each retry; there are none on this path.
    expect((await stage.entered('deploy', run)).length + 1).toBeLessThanOrEqual(60);
  });
});
