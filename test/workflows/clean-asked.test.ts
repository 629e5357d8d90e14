/** clean with the steps of a request: in the agent, by the BMC, by the workflow itself; held and gone on with. */
import { describe, expect, it } from 'vitest';

import { abortRun } from '../../functions/baremetal-api/node/abort.ts';
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { PlannedStep } from '../../layers/domain/steps.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { listBios } from '../../layers/store/machine-settings.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { asked, goOn, operations, step, stepsRun } from './asked.ts';
import { uuid } from './nodes.ts';
import type { Stage } from './stage.ts';

const toAgent = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent', 'CollectSteps'];
const round = ['RunStep', 'StepsLeft'];
const end = ['PowerOffAgent', 'DetachBootMedia', 'Finish', 'Done'];
const turbo = step('bios.apply_configuration', { settings: [{ name: 'ProcTurboMode', value: 'Disabled' }] });

const clean = async (
  steps: readonly PlannedStep[],
  more: Parameters<typeof asked>[2] = {},
  script: (stage: Stage) => void = () => {},
) => asked('clean', steps, more, script);

/** The agent offers these besides what it always does. */
const offering =
  (...names: string[]) =>
  ({ machine }: Stage) => {
    for (const name of names) {
      machine.agent.steps.clean.push({ interface: 'deploy', step: name, priority: 0, abortable: true });
    }
  };

describe('steps in the agent', () => {
  it('run in the order of the request, whatever their priority, and leave the node manageable', async () => {
    const steps = [step('deploy.burnin_cpu'), step('deploy.erase_devices'), step('deploy.burnin_cpu')];
    const { stage, agent, run } = await clean(steps, {}, offering('burnin_cpu'));
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      provision_state: 'clean wait',
      target_provision_state: 'manageable',
      clean_step: { interface: 'deploy', step: 'burnin_cpu', abortable: true },
    });
    for (const _step of steps) {
      await agent.finish();
      await stage.settle();
    }
    expect([...new Set(stepsRun(stage))]).toEqual(['burnin_cpu', 'erase_devices']);
    expect(stepsRun(stage)).toHaveLength(6);
    expect(await stage.entered('clean', run)).toEqual(
      ['Prepare', 'Plan', toAgent, ...steps.flatMap(() => [round, round]), end].flat(2),
    );
    expect(await stage.read()).toMatchObject({
      provision_state: 'manageable',
      target_provision_state: null,
      clean_step: {},
      last_error: null,
      run: null,
      reservation: null,
      driver_internal_info: { agent_version: '9.0' },
    });
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null } });
  });

  it('are named in the history of the node, each where it began and where it ended', async () => {
    const { stage, agent } = await clean(
      [step('deploy.burnin_cpu'), step('power.power_off')],
      {},
      offering('burnin_cpu'),
    );
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect((await stage.history()).filter((line) => line.includes('RunStep'))).toEqual([
      'phase start: RunStep started: deploy.burnin_cpu.',
      'phase end: RunStep done: deploy.burnin_cpu.',
      'phase start: RunStep started: power.power_off.',
      'phase end: RunStep done: power.power_off.',
    ]);
  });

  it('boot the ramdisk also where automated cleaning is off', async () => {
    const { stage } = await clean([step('deploy.erase_devices')], { automated_clean: false });
    expect((await stage.read()).provision_state).toBe('clean wait');
  });

  it.each([
    [
      'is not offered',
      step('deploy.erase_everything'),
      'no step deploy.erase_everything. It offers: deploy.erase_devices',
    ],
    ['takes no such argument', step('deploy.erase_devices', { twice: true }), 'has no argument twice'],
  ])('that %s fails before any step runs, in words that help', async (_why, wrong, message) => {
    const { stage, agent } = await clean([step('deploy.erase_devices_metadata'), wrong]);
    await agent.call();
    await stage.settle();
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'clean failed', maintenance: false, clean_step: {} });
    expect(node.last_error).toContain(message);
    expect(stepsRun(stage)).toEqual([]);
  });

  it('that fails takes the node out of service', async () => {
    const { stage, agent } = await clean([step('deploy.erase_devices')]);
    await agent.call();
    await stage.settle();
    await agent.finish('FAILED', { command_error: { message: 'No disk.' } });
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      provision_state: 'clean failed',
      target_provision_state: 'manageable',
      fault: 'clean failure',
      maintenance: true,
    });
  });
});

it('a clean that booted no ramdisk leaves what an operator has in the drives, whether it fails or is aborted', async () => {
  const left = async (steps: Parameters<typeof clean>[0], script: (stage: Stage) => void) => {
    const { stage } = await clean(steps, {}, (staged) => {
      staged.machine.media.cd = 'http://images.test/of-an-operator.iso';
      script(staged);
    });
    return stage;
  };
  const failed = await left([turbo], ({ proxy }) => proxy.answer('bios.ensure', bmcFault('BmcRejected', 'No.')));
  expect(await failed.read()).toMatchObject({ provision_state: 'clean failed' });
  const held = await left([step('power.hold')], () => undefined);
  expect(await held.read()).toMatchObject({ provision_state: 'clean hold' });
  await changeRecord(held.world, kinds.node, uuid, (node) => abortRun(node, held.world.ids.ulid()));
  await held.sync();
  await held.settle(60);
  expect(await held.read()).toMatchObject({ provision_state: 'clean failed', reservation: null });
  for (const stage of [failed, held]) expect(stage.machine.media.cd).toBe('http://images.test/of-an-operator.iso');
});

describe('steps that need no agent', () => {
  it('boot no ramdisk, and wait until the BIOS has taken its settings at a start', async () => {
    const { stage, run } = await clean([turbo]);
    expect(await stage.entered('clean', run)).toEqual(
      ['Prepare', 'Plan', round, round, round, round, 'Finish', 'Done'].flat(),
    );
    expect(operations(stage)).toEqual(['bios.ensure', 'power.ensure', 'power.ensure', 'bios.ensure', 'bios.get']);
    const ids = stage.proxy.requests.map(({ op_id }) => op_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(stage.machine.bios![0]!.value).toBe('Disabled');
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', power_state: 'power on' });
  });

  it('start nothing anew for settings that are so already', async () => {
    const { stage } = await clean([
      step('bios.apply_configuration', { settings: [{ name: 'BootTimeout', value: 5 }] }),
    ]);
    expect(operations(stage)).toEqual(['bios.ensure', 'bios.get']);
  });

  it.each(['bios.apply_configuration', 'bios.factory_reset'])('show the BIOS as it is after %s', async (name) => {
    const { stage } = await clean(
      [turbo, ...(name === 'bios.factory_reset' ? [step(name)] : [])],
      {},
      ({ machine }) => {
        machine.bios!.push({ ...machine.bios![0]!, name: 'SeenNow', value: true });
      },
    );
    const stored = await listBios(stage.world.table, (await stage.read()).uuid);
    expect(Object.fromEntries(stored.map(({ name: setting, value }) => [setting, value]))).toEqual({
      BootTimeout: '5',
      ProcTurboMode: 'Disabled',
      SeenNow: 'True',
    });
  });

  it('do not fail because the BIOS cannot be shown after them', async () => {
    const { stage } = await clean([turbo], {}, ({ proxy }) => {
      proxy.answer('bios.get', bmcFault('BmcProtocol', 'Not JSON.'));
    });
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', last_error: null });
    expect(await stage.history()).toContain('attempt: BIOS settings could not be read: Not JSON.');
  });

  it('say so when the BIOS does not take them', async () => {
    const { stage } = await clean([turbo], {}, ({ proxy }) => {
      const never = { changed: true, reboot_needed: true };
      for (let at = 0; at < 500; at += 1) {
        proxy.answer('bios.ensure', { status: 'done', observed: never, quirks: [] });
      }
    });
    await stage.settle(1000);
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'clean failed', fault: 'clean failure' });
    expect(node.last_error).toContain('its BIOS does not show the new settings yet');
  });

  it('do what the BMC can: factory settings, boot device and mode, secure boot, power', async () => {
    const { stage } = await clean([
      step('bios.factory_reset'),
      step('management.set_boot_device', { boot_device: 'pxe', persistent: true }),
      step('management.set_boot_mode', { mode: 'bios' }),
      step('management.set_secure_boot', { enabled: true }),
      step('power.power_off'),
    ]);
    expect((await stage.read()).last_error).toBeNull();
    expect(stage.machine).toMatchObject({
      power: 'power off',
      bios_resets: 1,
      secure_boot: true,
      boot: { target: 'Pxe', enabled: 'Continuous', mode: 'bios' },
    });
  });

  it('boot the ramdisk again when they restart a machine in the middle of steps of the agent', async () => {
    const { stage, agent, run } = await clean([step('deploy.erase_devices'), turbo, step('deploy.erase_devices')]);
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', phase: { name: 'WaitForAgent' } });
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    const entered = await stage.entered('clean', run);
    expect(entered.filter((state) => state === 'WaitForAgent')).toHaveLength(2);
    expect((await stage.read()).provision_state).toBe('manageable');
    const ids = stage.proxy.requests.filter(({ op }) => op === 'power.ensure').map(({ op_id }) => op_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('boot the ramdisk again for a step of the agent after the machine was switched off', async () => {
    const { stage, agent } = await clean([step('power.power_off'), step('deploy.erase_devices')]);
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', phase: { name: 'WaitForAgent' } });
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('manageable');
  });

  it('are all done on fake hardware, at once', async () => {
    const steps = [step('deploy.anything'), step('bios.factory_reset'), step('raid.create_configuration')];
    const { stage } = await clean(steps, { driver: 'fake-hardware' });
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', last_error: null });
    expect(stage.proxy.requests).toEqual([]);
  });
});

describe('wait', () => {
  it('takes its seconds', async () => {
    const { stage } = await clean([step('power.wait', { seconds: 90 })]);
    await stage.settle(80);
    expect(await stage.read()).toMatchObject({ provision_state: 'cleaning', clean_step: { step: 'wait' } });
    await stage.settle(20);
    expect((await stage.read()).provision_state).toBe('manageable');
  });

  it('without seconds waits for the next heartbeat of the agent', async () => {
    const { stage, agent } = await clean([step('deploy.erase_devices'), step('deploy.wait')]);
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', clean_step: { step: 'wait' } });
    stage.time.skip(60);
    await agent.heartbeat();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('manageable');
  });
});

describe('hold', () => {
  const held = async () => {
    const { stage, agent, run } = await clean(
      [step('deploy.erase_devices'), step('deploy.hold'), step('deploy.burnin_cpu')],
      {},
      offering('burnin_cpu'),
    );
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    return { stage, agent, run };
  };

  it('lets lock and run go, without a limit of time; the agent stays', async () => {
    const { stage, agent, run } = await held();
    expect((await stage.entered('clean', run)).at(-1)).toBe('Held');
    await stage.settle(7 * 24 * 3600);
    expect(await agent.heartbeat()).toBe(202);
    expect(await stage.sync()).toMatchObject({ looked: 0, failed: 0 });
    expect(await stage.read()).toMatchObject({
      provision_state: 'clean hold',
      target_provision_state: 'manageable',
      reservation: null,
      run: null,
    });
  });

  it('is ended by unhold: another run goes on with the next step in the same agent', async () => {
    const { stage, agent } = await held();
    const booted = stage.machine.switched;
    const run = await goOn(stage, 'clean');
    expect(await stage.entered('clean', run)).toEqual(['Prepare', 'Plan', 'RunStep']);
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', clean_step: { step: 'burnin_cpu' } });
    expect(stage.machine.switched).toBe(booted);
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', last_error: null });
  });

  it('as the only step needs no machine', async () => {
    const { stage } = await clean([step('power.hold')]);
    expect((await stage.read()).provision_state).toBe('clean hold');
    await goOn(stage, 'clean');
    expect((await stage.read()).provision_state).toBe('manageable');
    expect(operations(stage)).toEqual([]);
  });
});
