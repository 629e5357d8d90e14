import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { cleanSteps } from '../../workflows/clean/phases.ts';
import { createAgent } from './agent.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const toAgent = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent', 'CollectSteps'];
const round = ['RunStep', 'StepsLeft'];
const end = ['PowerOffAgent', 'DetachBootMedia', 'Finish', 'Done'];

const provide = async (more: Partial<StoredNode> = {}, env: object = {}) => {
  const stage = await createStage({ node: aNode({ provision_state: 'manageable', ...more }), env });
  const agent = createAgent(stage);
  const run = await stage.provision('clean', 'provide');
  await stage.settle();
  return { stage, agent, run };
};

const stepsRun = (stage: Stage) =>
  stage.proxy.requests
    .filter(({ op }) => op === 'agent.execute')
    .map(({ params }) => (params as { step: { step: string } }).step.step);

describe('cleanSteps', () => {
  const step = (name: string, priority: number, of = 'deploy') => ({ step: name, interface: of, priority });

  it('takes those with a priority, the highest first, equal ones by interface', () => {
    const offered = [step('a', 0), step('b', 5, 'raid'), step('c', 5, 'deploy'), step('d', 7), step('e', 5, 'power')];
    const steps = cleanSteps(offered, { cleanPriorities: {} });
    expect(steps.map(({ step: name }) => name)).toEqual(['d', 'e', 'c', 'b']);
  });

  it('lets the operator set priorities, 0 turns a step off', () => {
    const offered = [step('erase_devices', 10), step('erase_devices_metadata', 99), step('burnin', 0)];
    const steps = cleanSteps(offered, { cleanPriorities: { erase_devices: 0, burnin: 3 } });
    expect(steps.map(({ step: name }) => name)).toEqual(['erase_devices_metadata', 'burnin']);
  });
});

describe('automated cleaning', () => {
  it('boots the agent, runs the steps in order and ends available', async () => {
    const { stage, agent, run } = await provide();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', reservation: null });
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      provision_state: 'clean wait',
      clean_step: { interface: 'deploy', step: 'erase_devices_metadata', priority: 99 },
    });
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).clean_step).toMatchObject({ step: 'erase_devices', priority: 10 });
    await agent.finish();
    await stage.settle();
    expect(await stage.entered('clean', run)).toEqual(
      // Each step is started, and looked at again when the agent calls; so is the next one, in the same way.
      ['Prepare', 'Plan', toAgent, round, round, round, round, end].flat(),
    );
    expect(stepsRun(stage)).toEqual([
      'erase_devices_metadata',
      'erase_devices_metadata',
      'erase_devices',
      'erase_devices',
    ]);
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'available',
      target_provision_state: null,
      power_state: 'power off',
      clean_step: {},
      run: null,
      reservation: null,
    });
    expect(node.driver_internal_info).toEqual({
      agent_version: '9.0',
      agent_last_heartbeat: expect.any(String) as string,
    });
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null } });
  });

  it.each([
    ['the setting is off', {}, { INGOT_AUTOMATED_CLEAN: 'false' }],
    ['the node says so', { automated_clean: false }, {}],
    ['the hardware is fake', { driver: 'fake-hardware' }, {}],
  ])('does nothing when %s', async (_why, more, env) => {
    const { stage, run } = await provide(more, env);
    expect(await stage.entered('clean', run)).toEqual(['Prepare', 'Plan', 'Finish', 'Done']);
    expect((await stage.read()).provision_state).toBe('available');
    expect(stage.proxy.requests).toEqual([]);
  });

  it('cleans a node that wants it though the setting is off', async () => {
    const { stage } = await provide({ automated_clean: true }, { INGOT_AUTOMATED_CLEAN: 'false' });
    expect((await stage.read()).provision_state).toBe('clean wait');
  });

  it('ends at once when no step is left over', async () => {
    const off = { INGOT_ERASE_DEVICES_PRIORITY: '0', INGOT_ERASE_DEVICES_METADATA_PRIORITY: '0' };
    const { stage, agent, run } = await provide({}, off);
    await agent.call();
    await stage.settle();
    expect(await stage.entered('clean', run)).toEqual(['Prepare', 'Plan', toAgent, round, end].flat());
  });

  const both = 'erase_devices and erase_devices_metadata';
  it.each([
    ['no step at all', {}, [], both],
    ['steps that erase nothing', {}, [['burnin_cpu', 50]], both],
    [
      'only the one that is off',
      { INGOT_ERASE_DEVICES_METADATA_PRIORITY: '0' },
      [['erase_devices_metadata', 99]],
      'erase_devices',
    ],
    [
      'only the other one that is off',
      { INGOT_ERASE_DEVICES_PRIORITY: '0' },
      [['erase_devices', 10]],
      'erase_devices_metadata',
    ],
  ] as const)('fails when erasing is on and the agent offers %s', async (_what, env, offers, wanted) => {
    const { stage, agent, run } = await provide({}, env);
    stage.machine.agent.steps.clean = offers.map(([name, priority]) => ({ step: name, interface: 'deploy', priority }));
    await agent.call();
    await stage.settle();
    const offered = offers.map(([name]) => `deploy.${name}`).join(', ') || 'no step at all';
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'clean failed', target_provision_state: 'available', run: null });
    expect(node.last_error).toContain(
      `Nothing would be erased: the settings ask for ${wanted}, and the agent offers ${offered}.`,
    );
    expect(await stage.entered('clean', run)).not.toContain('Finish');
    expect(stepsRun(stage)).toEqual([]);
  });

  it.each([
    ['erase_devices', { INGOT_ERASE_DEVICES_METADATA_PRIORITY: '0' }],
    ['erase_devices_metadata', { INGOT_ERASE_DEVICES_PRIORITY: '0' }],
    ['erase_devices_metadata', {}],
  ])('is content with %s alone under %j', async (name, env) => {
    const { stage, agent } = await provide({}, env);
    stage.machine.agent.steps.clean = [{ step: name, interface: 'deploy', priority: 1 }];
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'available' });
  });

  it('goes on with the plan that it has when the agent offers nothing more after a reboot', async () => {
    const { stage, agent } = await provide();
    stage.machine.agent.steps.clean[1]!.reboot_requested = true;
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    stage.machine.agent.steps.clean = [];
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'available' });
  });

  it('boots the ramdisk again for a step that asks for it, and goes on with the next', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'manageable' }) });
    const agent = createAgent(stage);
    stage.machine.agent.steps.clean[1]!.reboot_requested = true;
    const run = await stage.provision('clean', 'provide');
    await stage.settle();
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', phase: { name: 'WaitForAgent' } });
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle();
    expect((await stage.entered('clean', run)).filter((state) => state === 'PowerOn')).toHaveLength(2);
    const ids = stage.proxy.requests.filter(({ op }) => op === 'power.ensure').map(({ op_id }) => op_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await stage.read()).provision_state).toBe('available');
    expect(stage.machine.switched).toBe(4);
  });

  it('leaves a retired node manageable', async () => {
    const { stage } = await provide({ retired: true, automated_clean: false });
    expect((await stage.read()).provision_state).toBe('manageable');
  });
});

describe('cleaning that fails', () => {
  it('in a step takes the node out of service', async () => {
    const { stage, agent } = await provide();
    await agent.call();
    await stage.settle();
    await agent.finish('FAILED', { command_error: { message: 'The disk is write protected.' } });
    await stage.settle();
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'clean failed',
      target_provision_state: 'available',
      maintenance: true,
      fault: 'clean failure',
      maintenance_reason: node.last_error,
      clean_step: {},
      run: null,
      reservation: null,
    });
    expect(node.last_error).toContain(
      "The agent's step deploy.erase_devices_metadata failed: The disk is write protected.",
    );
    // As in Ironic the machine is left on, for whoever looks into it; but nothing makes it boot the ramdisk again.
    expect(stage.machine).toMatchObject({ power: 'power on', media: { cd: null, usb: null } });
    expect(stage.machine.boot).toMatchObject({ target: 'None', enabled: 'Disabled' });
  });

  it.each([
    ['AttachBootMedia', 'vmedia.insert'],
    ['SetBootDevice', 'boot.ensure'],
    ['PowerOn', 'power.ensure'],
  ] as const)('in %s leaves the machine off, without the medium and the override', async (phase, op) => {
    const stage = await createStage({ node: aNode({ provision_state: 'manageable' }) });
    stage.machine.boot = { target: 'Cd', enabled: 'Continuous', mode: 'uefi' };
    const refuse = () => bmcFault('BmcRejected', 'No.');
    if (op === 'power.ensure') stage.proxy.answer(op, () => undefined);
    stage.proxy.answer(op, refuse());
    await stage.provision('clean', 'provide');
    await stage.settle(60);
    const { provision_state, last_error, power_state } = await stage.read();
    expect({ provision_state, power_state }).toEqual({ provision_state: 'clean failed', power_state: 'power off' });
    expect(last_error).toContain(`Cleaning failed in ${phase}: No.`);
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null, usb: null } });
    expect(stage.machine.boot).toMatchObject({ target: 'None', enabled: 'Disabled' });
  });

  it('says what could not be done about the machine afterwards', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'manageable' }) });
    stage.proxy.answer('boot.ensure', bmcFault('BmcRejected', 'No boot device.'));
    stage.proxy.answer('vmedia.eject', bmcFault('BmcRejected', 'The drive is locked.'));
    await stage.provision('clean', 'provide');
    await stage.settle(60);
    const { last_error: error } = await stage.read();
    expect(error).toContain(
      'failed in SetBootDevice: No boot device. Afterwards the machine could not give back the boot media: The drive is locked. Then unset',
    );
    expect(await stage.history()).toContain(`error: ${error}`);
  });

  it('is not for want of a BMC that lets go of its override', async () => {
    const { stage, agent } = await provide();
    stage.proxy.answer('boot.clear', bmcFault('BmcRejected', 'Not that one.'));
    await agent.call();
    await stage.settle();
    for (const _ of [1, 2]) {
      await agent.finish();
      await stage.settle();
    }
    expect(await stage.read()).toMatchObject({ provision_state: 'available', last_error: null });
    expect((await stage.history()).join('\n')).toContain(
      'The boot override to the virtual drive is left: Not that one.',
    );
  });

  it('keeps 4 KB of what the agent has to say about it, and what to do next', async () => {
    const { stage, agent } = await provide();
    await agent.call();
    await stage.settle();
    const message = `https://bob:pw@images.test/x?signature=42 ${'💥'.repeat(250_000)}`;
    await agent.finish('FAILED', { command_error: { message, details: message } });
    await stage.settle();
    const { provision_state, last_error: error, maintenance_reason } = await stage.read();
    expect(provision_state).toBe('clean failed');
    expect(error).toMatch(
      /failed: https:\/\/images\.test\/x 💥+ \[\.\.\.\] \(cut, it had 500042 characters\)\. Then unset/u,
    );
    const events = (await stage.history()).filter((line) => line.startsWith('error: '));
    expect([maintenance_reason, ...events]).toEqual([error, `error: ${error}`]);
    expect(error!.length).toBeLessThanOrEqual(4096);
    expect(error!.isWellFormed()).toBe(true);
  });

  it('before any step does not', async () => {
    const { stage } = await provide();
    await stage.settle(1801);
    expect((await stage.read()).provision_state).toBe('clean wait');
    await stage.settle(1801);
    expect(await stage.read()).toMatchObject({ provision_state: 'clean failed', maintenance: false, fault: null });
  });

  it('refuses to power off a node that must not be', async () => {
    const { stage } = await provide({ disable_power_off: true });
    expect(await stage.read()).toMatchObject({ provision_state: 'clean failed' });
    expect(stage.proxy.requests).toEqual([]);
  });
});
