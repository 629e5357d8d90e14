import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { configdriveKey, configdriveReference } from '../../layers/domain/configdrive.ts';
import { belongingsOf, createBelonging } from '../../layers/store/belongings.ts';
import { guardKey } from '../../layers/store/guards.ts';
import { volumeConnectors, volumeTargets } from '../../layers/store/node-volumes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { strangeNotes } from '../fakes/notes.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage } from './stage.ts';

const key = configdriveKey(uuid, '01J0');
const instance = {
  provision_state: 'active' as const,
  instance_uuid: '11111111-2222-4333-8444-555555555555',
  instance_name: 'web-1',
  instance_info: {
    image_source: 'http://images.test/demo.raw',
    configdrive: configdriveReference(key),
    project_id: 'p',
  },
};

const active = async (more: Partial<StoredNode> = {}) => {
  const stage = await createStage({ node: aNode({ ...instance, ...more }) });
  await stage.world.objects.put(key, Buffer.from('iso'));
  Object.assign(stage.machine, { power: 'power on', media: { cd: 'http://x/live.iso', usb: 'http://x/drive' } });
  return stage;
};

describe('undeploy', () => {
  it('gives the machine back and hands it over to clean without letting the lock go', async () => {
    const stage = await active();
    const run = await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.entered('undeploy', run)).toEqual([
      'PowerOff',
      'DetachMedia',
      'RemoveConfigdrive',
      'Release',
      'StartCleaning',
      'Done',
    ]);
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'clean wait',
      target_provision_state: 'available',
      run_workflow: 'clean',
    });
    expect(node.run).not.toBe(run);
    expect(await stage.describe('clean', node.run!)).toMatchObject({ status: 'RUNNING' });
  });

  it('takes everything of the instance away before cleaning ends', async () => {
    const stage = await active({
      driver_internal_info: { ...strangeNotes, deploy_boot_mode: 'uefi', is_whole_disk_image: true },
    });
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'clean wait',
      instance_info: {},
      instance_uuid: null,
      instance_name: null,
    });
    // The machine is in the ramdisk by now, to be cleaned.
    expect(node.driver_internal_info).toEqual({
      ...strangeNotes,
      ramdisk_boots: 1,
      agent_medium: expect.stringMatching(new RegExp(`^agents/${uuid}/`)) as string,
      agent_secret_token: '******',
      agent_secret_token_pregenerated: true,
    });
    expect(stage.world.objects.keys().filter((key) => key.startsWith('configdrives/'))).toEqual([]);
    expect(await stage.world.table.get(guardKey('instance_uuid', instance.instance_uuid))).toBeUndefined();
    // The drive of the instance is out; the medium of the agent that cleans is in its place.
    expect(stage.machine.media.usb).toContain('/agents/');
  });

  it('removes the volume targets with the values they held, and keeps the connectors', async () => {
    const stage = await active();
    const keeping = { node_uuid: uuid, created_at: '2026-01-01T00:00:00+00:00', position: '01J', revision: 1 };
    const records = [
      [volumeTargets, { ...keeping, uuid: '22222222-2222-4222-8222-222222222221', boot_index: 0 }],
      [volumeTargets, { ...keeping, uuid: '22222222-2222-4222-8222-222222222222', boot_index: 1 }],
      [volumeConnectors, { ...keeping, uuid: '33333333-3333-4333-8333-333333333333', type: 'ip', connector_id: 'a' }],
    ] as const;
    for (const [kind, record] of records) await createBelonging(stage.world, kind, record, () => undefined);
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await belongingsOf(stage.world.table, volumeTargets, uuid)).toEqual([]);
    expect(await belongingsOf(stage.world.table, volumeConnectors, uuid)).toHaveLength(1);
    // Their boot indexes are free again.
    for (const [kind, record] of records.slice(0, 2)) await createBelonging(stage.world, kind, record, () => undefined);
  });

  it('removes a lessee that a deploy set, and no other', async () => {
    const given = await active({ lessee: 'project' });
    await given.provision('undeploy', 'delete');
    await given.settle();
    expect(await given.read()).toMatchObject({ lessee: 'project' });
    const automatic = await active({ lessee: 'project', driver_internal_info: { automatic_lessee: true } });
    await automatic.provision('undeploy', 'delete');
    await automatic.settle();
    expect(await automatic.read()).toMatchObject({ lessee: null, driver_internal_info: {} });
  });

  it('ends in error when the machine cannot be switched off, but the data of the instance go', async () => {
    const stage = await active();
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused to switch the machine off.'));
    const run = await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.entered('undeploy', run)).toEqual(['PowerOff', 'Fail', 'Failed']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'error',
      target_provision_state: null,
      instance_info: {},
      instance_uuid: null,
      reservation: null,
      run: null,
      last_error: expect.stringContaining('The BMC refused to switch the machine off.') as string,
    });
    expect(stage.world.objects.keys()).toEqual([]);
  });

  it('leaves the power of a machine alone that must not be powered off', async () => {
    const stage = await active({ disable_power_off: true, automated_clean: false });
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'available' });
    expect(stage.machine.power).toBe('power on');
  });

  it('of fake hardware goes all the way in the process', async () => {
    const stage = await active({ driver: 'fake-hardware' });
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'available', power_state: null, instance_info: {} });
    expect(stage.proxy.requests).toEqual([]);
  });
});
