import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { configdriveKey, configdriveReference } from '../../layers/domain/configdrive.ts';
import type { Notes } from '../../layers/domain/notes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { strangeNotes } from '../fakes/notes.ts';
import { pending } from '../fakes/proxy.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const change = async (target: string, more: Partial<StoredNode> = {}, timeout: number | null = null) => {
  const stage = await createStage({ node: aNode({ provision_state: 'active', ...more }) });
  stage.machine.power = 'power on';
  const run = await stage.power(target, timeout);
  await stage.settle();
  return { stage, run };
};

describe('power', () => {
  it.each([
    ['power on', ['RenewConfigdrive', 'PowerOn'], 'power on', 0],
    ['power off', ['PowerOff', 'ThenOn'], 'power off', 1],
    ['soft power off', ['SoftPowerOff', 'ThenOn'], 'power off', 1],
    ['rebooting', ['PowerOff', 'ThenOn', 'RenewConfigdrive', 'PowerOn'], 'power on', 2],
    ['soft rebooting', ['SoftPowerOff', 'ThenOn', 'RenewConfigdrive', 'PowerOn'], 'power on', 2],
  ])('%s goes through %j', async (target, phases, state, switched) => {
    const { stage, run } = await change(target);
    expect(await stage.entered('power', run)).toEqual(['ChangePower', ...phases, 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({
      power_state: state,
      target_power_state: null,
      reservation: null,
      provision_state: 'active',
      last_error: null,
    });
    expect(stage.machine).toMatchObject({ power: state, switched });
    expect(stage.world.table.items().filter(({ sk }) => sk === 'power_request')).toEqual([]);
  });

  it('asks an operating system for as long as the client said, and never forces it', async () => {
    const { stage } = await change('soft power off', {}, 30);
    expect(stage.proxy.requests[0]!.params).toEqual({
      target: 'power off',
      how: 'soft',
      soft_seconds: 30,
      then_force: false,
    });
  });

  it('forgets the agent with the memory of the machine', async () => {
    const driver_internal_info: Notes = {
      ...strangeNotes,
      agent_url: 'https://10.0.0.9:9999',
      agent_secret_token: '******',
    };
    const { stage } = await change('rebooting', { driver_internal_info, agent_token_sha256: 'abc' });
    expect((await stage.read()).agent_token_sha256).toBeNull();
    expect((await stage.read()).driver_internal_info).toEqual(strangeNotes);
  });

  it.each(['power on', 'power off', 'rebooting', 'soft power off'])(
    '%s shows the power state that was asked for in the write that lets the lock go',
    async (target) => {
      const reached = target === 'rebooting' ? 'power on' : (target.replace('soft ', '') as 'power on' | 'power off');
      const power_state = target === 'rebooting' ? 'power off' : reached === 'power on' ? 'power off' : 'power on';
      const stage = await createStage({ node: aNode({ provision_state: 'active', power_state }) });
      const seen: unknown[] = [];
      stage.world.table.onChange = ({ sk }, _before, after) => {
        if (sk === 'node' && after?.['power_state'] === reached) seen.push(after['reservation'] ?? null);
      };
      await stage.power(target);
      await stage.settle();
      expect(seen).toEqual([null]);
    },
  );

  it('of fake hardware is believed', async () => {
    const { stage } = await change('power on', { driver: 'fake-hardware' });
    expect(await stage.read()).toMatchObject({ power_state: 'power on', target_power_state: null, reservation: null });
    expect(stage.proxy.requests).toEqual([]);
  });

  it('fails with a last_error, the power state stays what it was', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'active', power_state: 'power on' }) });
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused.'));
    const run = await stage.power('power off');
    await stage.settle();
    expect(await stage.entered('power', run)).toEqual(['ChangePower', 'PowerOff', 'Fail', 'Failed']);
    expect(await stage.read()).toMatchObject({
      power_state: 'power on',
      target_power_state: null,
      reservation: null,
      maintenance: false,
      provision_state: 'active',
      last_error: 'Power action failed in PowerOff: The BMC refused. Then ask for the power state again.',
    });
  });

  it('fails when the machine has not changed within the time the client gave', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'active' }) });
    stage.machine.power = 'power on';
    stage.proxy.answer('power.ensure', ...Array.from({ length: 50 }, () => pending('PowerState is On.')));
    await stage.power('power off', 20);
    await stage.settle(120);
    expect((await stage.read()).last_error).toContain('has not done within 20 seconds');
    expect(await stage.read()).toMatchObject({ reservation: null });
  });

  it('keeps the error that brought the node into a failure state', async () => {
    const stage = await createStage({
      node: aNode({ provision_state: 'deploy failed', last_error: 'The image is bad.' }),
    });
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused.'));
    await stage.power('power on');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ last_error: 'The image is bad.', reservation: null });
  });
});

describe('the configdrive of an instance that boots from an ISO', () => {
  const key = configdriveKey(aNode().uuid, '01J0');
  const ramdisk = {
    deploy_interface: 'ramdisk',
    instance_info: { boot_iso: 'http://images.test/live.iso', configdrive: configdriveReference(key) },
  };
  const boot = async (target: string, more: Partial<StoredNode>, prepare?: (stage: Stage) => void) => {
    const stage = await createStage({ node: aNode({ provision_state: 'active', ...ramdisk, ...more }) });
    await stage.world.objects.put(key, Buffer.from(gzipSync('iso').toString('base64')));
    stage.machine.media['usb'] = 'https://objects.test/old';
    prepare?.(stage);
    await stage.power(target);
    await stage.settle();
    return stage;
  };
  const inDrive = async (stage: Stage) =>
    (await stage.world.objects.request('GET', stage.machine.media['usb'] ?? '')).status;

  it.each([
    ['power on', 'power off'],
    ['rebooting', 'power on'],
    ['soft rebooting', 'power on'],
  ] as const)('is in the drive by a new link before %s switches the machine on', async (target, power_state) => {
    const stage = await boot(target, { power_state });
    expect(await inDrive(stage)).toBe(200);
    expect(stage.proxy.requests.map(({ op }) => op).slice(-3)).toEqual([
      'vmedia.eject',
      'vmedia.insert',
      'power.ensure',
    ]);
  });

  it.each([
    ['that runs already', { power_state: 'power on' }],
    ['whose instance is on its disk', { power_state: 'power off', deploy_interface: 'direct' }],
    ['that runs no instance', { power_state: 'power off', provision_state: 'deploy failed' }],
  ] as const)('stays as it is in a machine %s', async (_which, more) => {
    const stage = await boot('power on', more);
    expect(stage.machine.media['usb']).toBe('https://objects.test/old');
  });

  it('keeps no machine off: that its BMC will not is told by the history', async () => {
    const stage = await boot('power on', { power_state: 'power off' }, ({ proxy }) => {
      proxy.answer('vmedia.eject', bmcFault('BmcUnsupported', 'The BMC has no drives any more.'));
    });
    expect(await stage.read()).toMatchObject({ power_state: 'power on', last_error: null });
    expect(await stage.history()).toContainEqual(
      expect.stringContaining('The old link to the configdrive is left: The BMC has no drives any more.'),
    );
  });
});
