import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { configdriveKey, configdriveReference } from '../../layers/domain/configdrive.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { rescuePasswordKey, rescuePasswordWrite } from '../../layers/store/rescue-passwords.ts';
import { createAgent } from './agent.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const untilAgent = ['Prepare', 'ChooseWay', 'PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent'];
const rescuable = { provision_state: 'active', rescue_interface: 'agent', instance_uuid: uuid } as const;

/** An instance that is to be rescued; its password has been sealed by the API. */
const rescue = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode({ ...rescuable, ...more }) });
  stage.machine.power = 'power on';
  script(stage);
  const run = await stage.provision('rescue', 'rescue');
  await changeRecord(stage.world, kinds.node, uuid, () => ({ also: [rescuePasswordWrite(uuid, 'sealed')] }));
  await stage.settle(600);
  return { stage, run, agent: createAgent(stage) };
};

const passwordOf = async (stage: Stage) => stage.world.table.get(rescuePasswordKey(uuid));

describe('rescue', () => {
  it('boots the ramdisk, waits for its agent, and has it set the password', async () => {
    const { stage, run, agent } = await rescue();
    expect(await stage.read()).toMatchObject({
      provision_state: 'rescue wait',
      target_provision_state: 'rescue',
      reservation: null,
    });
    await agent.call();
    await stage.settle();
    expect(await stage.entered('rescue', run)).toEqual([
      ...untilAgent,
      'SetPassword',
      'DetachBootMedia',
      'Finish',
      'Done',
    ]);
    expect(await stage.read()).toMatchObject({
      provision_state: 'rescue',
      target_provision_state: null,
      power_state: 'power on',
      instance_uuid: uuid,
      reservation: null,
      run: null,
      last_error: null,
      agent_token_sha256: null,
    });
    expect(stage.machine).toMatchObject({ power: 'power on', media: { cd: null } });
    expect(stage.machine.agent.commands.map(({ command_name: name }) => name)).toEqual(['finalize_rescue']);
  });

  it('boots driver_info.rescue_iso, without it the ISO of the deploy agent', async () => {
    const own = await rescue({
      driver_info: { redfish_address: 'https://10.0.0.1', rescue_iso: 'http://images.test/rescue.iso' },
    });
    expect(own.stage.machine.media.cd).toBe('http://images.test/rescue.iso');
    const other = await rescue();
    expect(other.stage.machine.media.cd).toBe('http://images.test/deploy.iso');
  });

  it('forgets the password when it is set', async () => {
    const { stage, agent } = await rescue();
    expect(await passwordOf(stage)).toBeDefined();
    await agent.call();
    await stage.settle();
    expect(await passwordOf(stage)).toBeUndefined();
  });

  it('lets no password travel: the proxy is sent the name of the command only', async () => {
    const { stage, agent } = await rescue();
    await agent.call();
    await stage.settle();
    const [sent] = stage.proxy.requests.filter(({ op }) => op === 'agent.call');
    expect(sent).toMatchObject({ params: { command: 'rescue.finalize_rescue' } });
    expect(JSON.stringify([stage.travelled, stage.proxy.requests])).not.toContain('sealed');
  });

  it('fails with the machine switched off and the password forgotten if the agent never calls', async () => {
    const { stage, run } = await rescue();
    await stage.settle(2 * 1800 + 600);
    expect(await stage.entered('rescue', run)).toEqual([
      ...untilAgent,
      'AgentMissed',
      ...untilAgent.slice(2),
      'AgentMissed',
      'Fail',
      'Failed',
    ]);
    const { provision_state, power_state, last_error, fault } = await stage.read();
    expect({ provision_state, power_state, fault }).toEqual({
      provision_state: 'rescue failed',
      power_state: 'power off',
      fault: null,
    });
    expect(last_error).toContain('driver_info.rescue_iso');
    // Whoever switches it on boots no ramdisk.
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null }, boot: { enabled: 'Disabled' } });
    expect(await passwordOf(stage)).toBeUndefined();
  });

  it('says what the ramdisk lacks that cannot set the password', async () => {
    const { stage, agent } = await rescue({}, ({ proxy }) => {
      proxy.answer('agent.call', {
        status: 'done',
        observed: { command: { id: '1', command_name: 'finalize_rescue', command_status: 'FAILED' } },
        quirks: [],
      });
    });
    await agent.call();
    await stage.settle();
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('rescue failed');
    expect(last_error).toContain('built with rescue support');
  });

  it('refuses to switch off a machine that must stay on', async () => {
    const { stage } = await rescue({ disable_power_off: true });
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('rescue failed');
    expect(last_error).toContain('disable_power_off');
    expect(stage.machine.power).toBe('power on');
  });

  it('takes the node out of service if an aborted rescue cannot be switched off', async () => {
    const stage = await createStage({
      node: aNode({
        ...rescuable,
        provision_state: 'rescue failed',
        last_error: 'The operation was aborted by request while in state "rescue wait".',
      }),
    });
    stage.machine.power = 'power on';
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused.'));
    await stage.power('power off');
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      maintenance: true,
      fault: 'rescue abort failure',
      maintenance_reason: expect.stringContaining('The BMC refused.') as string,
      last_error: expect.stringContaining('aborted') as string,
    });
  });

  it('of fake hardware is done at once', async () => {
    const { stage, run } = await rescue({ driver: 'fake-hardware', rescue_interface: 'fake' });
    expect(await stage.entered('rescue', run)).toEqual(['Prepare', 'ChooseWay', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({ provision_state: 'rescue' });
    expect(stage.proxy.requests).toEqual([]);
  });
});

const unrescue = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode({ ...rescuable, provision_state: 'rescue', ...more }) });
  Object.assign(stage.machine, { power: 'power on', media: { cd: 'http://images.test/rescue.iso', usb: null } });
  script(stage);
  const run = await stage.provision('unrescue', 'unrescue');
  await stage.settle(600);
  return { stage, run };
};

describe('unrescue', () => {
  it('boots the disk again', async () => {
    const { stage, run } = await unrescue();
    expect(await stage.entered('unrescue', run)).toEqual([
      'PowerOff',
      'ChooseWay',
      'DetachMedia',
      'SetDiskBoot',
      'PowerOn',
      'Finish',
      'Done',
    ]);
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      power_state: 'power on',
      reservation: null,
      run: null,
    });
    expect(stage.machine).toMatchObject({
      power: 'power on',
      media: { cd: null },
      boot: { target: 'Hdd', enabled: 'Continuous' },
      switched: 2,
    });
  });

  it('gives a ramdisk instance its ISO and its configdrive back', async () => {
    const key = configdriveKey(uuid, '01J0');
    const info = { boot_iso: 'http://images.test/live.iso', configdrive: configdriveReference(key) };
    const packed = Buffer.from(gzipSync('a drive').toString('base64'));
    const { stage, run } = await unrescue({ deploy_interface: 'ramdisk', instance_info: info }, ({ world }) => {
      void world.objects.put(key, packed);
    });
    expect(await stage.entered('unrescue', run)).toEqual([
      'PowerOff',
      'ChooseWay',
      'AttachBootIso',
      'AttachConfigdrive',
      'SetIsoBoot',
      'PowerOn',
      'Finish',
      'Done',
    ]);
    expect(stage.machine.media.cd).toBe('http://images.test/live.iso');
    const { body } = await stage.world.objects.request('GET', stage.machine.media.usb!);
    expect(Buffer.from(body!).toString()).toBe('a drive');
    expect(stage.machine.boot).toMatchObject({ target: 'Cd', enabled: 'Continuous' });
  });

  it('fails into a state from which it can be asked for again', async () => {
    const { stage } = await unrescue({}, ({ proxy }) => {
      proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused.'));
    });
    expect(await stage.read()).toMatchObject({
      provision_state: 'unrescue failed',
      target_provision_state: 'active',
      reservation: null,
      run: null,
    });
  });
});
