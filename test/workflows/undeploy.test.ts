import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { configdriveKey, configdriveReference } from '../../layers/domain/configdrive.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { guardKey } from '../../layers/store/kinds/key.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { createRecord } from '../../layers/store/records/change.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
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
    const { world } = stage;
    const target = (boot_index: number) => newRecord(world, kinds.volume_target, { node_uuid: uuid, boot_index });
    const keep = async () => {
      for (const index of [0, 1]) await createRecord(world, kinds.volume_target, target(index));
    };
    await keep();
    const connector = { node_uuid: uuid, type: 'ip', connector_id: 'a' };
    await createRecord(world, kinds.volume_connector, newRecord(world, kinds.volume_connector, connector));
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await recordsOf(world.table, kinds.volume_target, uuid)).toEqual([]);
    expect(await recordsOf(world.table, kinds.volume_connector, uuid)).toHaveLength(1);
    // Their boot indexes are free again.
    await keep();
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
