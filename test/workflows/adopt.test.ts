import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const adopt = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode({ provision_state: 'manageable', ...more }) });
  stage.machine.power = 'power on';
  script(stage);
  const run = await stage.provision('adopt', 'adopt');
  await stage.settle();
  return { stage, run };
};

describe('adopt', () => {
  it('makes the node active, and only looks at the machine', async () => {
    const { stage, run } = await adopt({ instance_info: {} });
    expect(await stage.entered('adopt', run)).toEqual(['Validate', 'ReadState', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      power_state: 'power on',
      boot_mode: 'uefi',
      reservation: null,
      run: null,
      last_error: null,
    });
    expect(stage.proxy.requests.map(({ op }) => op)).toEqual(['system.get']);
    expect(stage.machine.switched).toBe(0);
  });

  it('keeps what is known of the instance', async () => {
    const instance = '11111111-2222-4333-8444-555555555555';
    const { stage } = await adopt({ instance_uuid: instance, instance_info: { display_name: 'web-1' } });
    expect(await stage.read()).toMatchObject({
      instance_uuid: instance,
      instance_info: { display_name: 'web-1' },
    });
  });

  it('fails if nobody knows how the machine would boot again: a ramdisk instance without its ISO', async () => {
    const { stage, run } = await adopt({ deploy_interface: 'ramdisk', instance_info: {} });
    expect(await stage.entered('adopt', run)).toEqual(['Validate', 'Fail', 'Failed']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'adopt failed',
      target_provision_state: 'active',
      power_state: null,
      reservation: null,
      run: null,
      last_error: expect.stringContaining('boot_iso') as string,
    });
  });

  it('fails if the BMC lets nobody in', async () => {
    const { stage } = await adopt({}, ({ proxy }) => {
      proxy.answer('system.get', bmcFault('BmcAuthFailed', 'The BMC refused the password.'));
    });
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('adopt failed');
    expect(last_error).toBe(
      'Adoption failed in ReadState: The BMC refused the password. Then set the provision state to adopt again, or to manage.',
    );
  });

  it('of fake hardware asks nobody', async () => {
    const { stage } = await adopt({ driver: 'fake-hardware' });
    expect(await stage.read()).toMatchObject({ provision_state: 'active' });
    expect(stage.proxy.requests).toEqual([]);
  });
});
