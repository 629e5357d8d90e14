import { beforeEach, describe, expect, it } from 'vitest';

import { createStage, type Stage } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});

describe('a server', () => {
  it('gets a machine, and is what that is', async () => {
    const node = await stage.addNode();
    const uuid = await stage.boots();
    const { run } = (await stage.readServer(uuid))!;
    await stage.settle(60);
    expect(await stage.entered('server-create', run!)).toEqual([
      'Schedule',
      'Claim',
      'Claimed',
      'PlugPorts',
      'WriteMetadata',
      'Validate',
      'BuildConfigdrive',
      'Deploy',
      'WaitForDeploy',
      'Active',
      'Up',
      'Done',
    ]);
    expect(await stage.show(uuid)).toMatchObject({ status: 'ACTIVE', 'OS-EXT-STS:power_state': 1 });
    expect(await stage.readNode(node)).toMatchObject({ provision_state: 'active', instance_uuid: uuid });
  });
});
