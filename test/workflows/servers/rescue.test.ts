import { beforeEach, describe, expect, it } from 'vitest';

import { bmcFault } from '../../../layers/bmc/faults.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
let node: string;
let uuid: string;
beforeEach(async () => {
  stage = await createStage();
  node = await stage.addNode();
  uuid = await stage.boots();
  await stage.settle(60);
});

const act = async (body: object) => {
  const answer = await stage.request(`POST /v2.1/servers/${uuid}/action`, { body });
  expect(answer.status).toBeLessThan(300);
  return (await stage.readServer(uuid))!.run!;
};

const rescue = async () => act({ rescue: { adminPass: 'Hush-hush-1' } });

describe('a server that is rescued', () => {
  it('is in rescue with the password of its tenant, which is nowhere to be read', async () => {
    let told: unknown;
    stage.meddling.call = ({ body }) => {
      if ((body as { target?: string } | undefined)?.target === 'rescue') told = body;
    };
    const run = await rescue();
    await stage.settle(60);
    expect(await stage.entered('server-rescue', run)).toEqual([
      'Rescue',
      'WaitForRescue',
      'Rescued',
      'IsRescued',
      'Done',
    ]);
    expect((await stage.show(uuid)).status).toBe('RESCUE');
    expect((await stage.readNode(node)).provision_state).toBe('rescue');
    expect(told).toMatchObject({ rescue_password: 'Hush-hush-1' });
    expect(await serverCompanions.admin_password.read(stage.tenants.table, uuid)).toBeUndefined();
    const everywhere = [stage.travelled, stage.tenants.table.items(), stage.machines.table.items()];
    expect(JSON.stringify([everywhere, stage.tenants.log.lines])).not.toContain('Hush-hush-1');
  });

  it('boots from its disk again when it is unrescued', async () => {
    await rescue();
    await stage.settle(60);
    const run = await act({ unrescue: null });
    await stage.settle(60);
    expect(await stage.entered('server-unrescue', run)).toContain('Done');
    expect((await stage.show(uuid)).status).toBe('ACTIVE');
    expect((await stage.readNode(node)).provision_state).toBe('active');
  });

  it('is in error if its machine is not, and can be deleted', async () => {
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'rescue' && phase !== 'Fail') throw bmcFault('BmcAuthFailed', 'The BMC of rack-7 refuses.');
    };
    await rescue();
    await stage.settle(60);
    const told = await stage.show(uuid);
    expect([told.status, JSON.stringify(told).includes('rack-7')]).toEqual(['ERROR', false]);
    await stage.request(`DELETE /v2.1/servers/${uuid}`);
    await stage.settle(60);
    expect(await stage.readServer(uuid)).toBeUndefined();
    expect((await stage.readNode(node)).instance_uuid).toBeNull();
  });
});
