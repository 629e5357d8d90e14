import { describe, expect, it } from 'vitest';

import { abort, asked, goOn, operations, step, stepsRun } from './asked.ts';
import { uuid } from './nodes.ts';
import type { Stage } from './stage.ts';

const toAgent = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent', 'CollectSteps'];
const round = ['RunStep', 'StepsLeft'];
const back = ['PowerOffAgent', 'DetachBootMedia', 'SetDiskBoot', 'BootInstance', 'Finish', 'Done'];
const burnin = step('deploy.burnin_cpu');

const offerBurnin = ({ machine }: Stage) => {
  machine.agent.steps.service.push({ interface: 'deploy', step: 'burnin_cpu', priority: 0, abortable: true });
};
const service = async (steps = [burnin], more: Parameters<typeof asked>[2] = {}) =>
  asked('service', steps, { instance_uuid: uuid, ...more }, offerBurnin);

/** The machine runs its instance. */
const inInstance = {
  power: 'power on',
  media: { cd: null },
  boot: { target: 'Hdd', enabled: 'Continuous' },
};

describe('service', () => {
  it('boots the ramdisk for its steps and then the instance again', async () => {
    const { stage, agent, run } = await service();
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      provision_state: 'service wait',
      target_provision_state: 'active',
      service_step: { interface: 'deploy', step: 'burnin_cpu', abortable: true },
    });
    await agent.finish();
    await stage.settle();
    expect(await stage.entered('service', run)).toEqual(['Prepare', 'Plan', toAgent, round, round, back].flat());
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      instance_uuid: uuid,
      service_step: {},
      last_error: null,
      power_state: 'power on',
      run: null,
      reservation: null,
      agent_token_sha256: null,
    });
    expect(Object.keys(node.driver_internal_info).sort()).toEqual(['agent_last_heartbeat', 'agent_version']);
    expect(stage.machine).toMatchObject(inInstance);
  });

  it('leaves the instance alone for steps that need no ramdisk', async () => {
    const { stage, run } = await service([step('management.set_secure_boot', { enabled: true })]);
    expect(await stage.entered('service', run)).toEqual(['Prepare', 'Plan', round, 'Finish', 'Done'].flat());
    expect(operations(stage)).toEqual(['secure_boot.ensure']);
    expect((await stage.read()).provision_state).toBe('active');
  });

  it('is not told to leave a ramdisk by a clean that failed before the machine got its instance', async () => {
    const { stage } = await asked('clean', [step('deploy.erase_devices')]);
    await stage.settle(2 * 1801);
    const { provision_state, driver_internal_info } = await stage.read();
    expect(provision_state).toBe('clean failed');
    const next = await service([step('management.set_secure_boot', { enabled: true })], { driver_internal_info });
    expect(await next.stage.entered('service', next.run)).toEqual(['Prepare', 'Plan', round, 'Finish', 'Done'].flat());
  });

  it('fails when the agent never calls, and may be tried again', async () => {
    const { stage } = await service();
    await stage.settle(2 * 1801);
    expect(await stage.read()).toMatchObject({
      provision_state: 'service failed',
      target_provision_state: 'active',
      maintenance: false,
      fault: null,
    });
  });

  it('takes the node out of service when a step fails', async () => {
    const { stage, agent } = await service();
    await agent.call();
    await stage.settle();
    await agent.finish('FAILED', { command_error: { message: 'Too hot.' } });
    await stage.settle();
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'service failed',
      maintenance: true,
      fault: 'service failure',
      maintenance_reason: node.last_error,
      service_step: {},
    });
    expect(node.last_error).toContain("The agent's step deploy.burnin_cpu failed: Too hot.");
  });

  it('that is lost is failed by sync', async () => {
    const { stage, run } = await service();
    await stage.stop('service', run);
    expect(await stage.sync()).toMatchObject({ failed: 1 });
    expect(await stage.read()).toMatchObject({ provision_state: 'service failed', run: null, reservation: null });
  });
});

describe('a service that is aborted', () => {
  it('in the middle of a step brings the machine back into its instance', async () => {
    const { stage, agent } = await service();
    await agent.call();
    await stage.settle();
    const run = await abort(stage);
    expect(await stage.entered('service', run)).toEqual(['Prepare', 'Plan', ...back]);
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      service_step: {},
      last_error: 'The operation was aborted by request while in state "service wait".',
      run: null,
      reservation: null,
    });
    expect(stage.machine).toMatchObject(inInstance);
  });

  it('while it is held without a ramdisk has nothing to do', async () => {
    const { stage } = await service([step('power.hold')]);
    expect(await stage.read()).toMatchObject({ provision_state: 'service hold', run: null, reservation: null });
    const run = await abort(stage);
    expect(await stage.entered('service', run)).toEqual(['Prepare', 'Plan', 'Finish', 'Done']);
    expect((await stage.read()).provision_state).toBe('active');
    expect(stage.proxy.requests).toEqual([]);
  });

  it('after it failed brings back what was left in the ramdisk', async () => {
    const { stage, agent } = await service();
    await agent.call();
    await stage.settle();
    await agent.finish('FAILED');
    await stage.settle();
    await stage.change({ maintenance: false, fault: null });
    await abort(stage);
    expect(await stage.read()).toMatchObject({ provision_state: 'active' });
    expect(stage.machine).toMatchObject(inInstance);
  });

  it('stays in "service failed" when the machine cannot be brought back', async () => {
    const { stage, agent } = await service();
    await agent.call();
    await stage.settle();
    await stage.change({ disable_power_off: true });
    await abort(stage);
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'service failed', run: null, reservation: null });
    expect(node.last_error).toContain('disable_power_off is set');
  });
});

describe('a service that is held', () => {
  it('goes on with unhold and ends active', async () => {
    const { stage, agent } = await service([step('deploy.hold'), burnin]);
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'service hold', target_provision_state: 'active' });
    await goOn(stage, 'service');
    expect(await stage.read()).toMatchObject({ provision_state: 'service wait', service_step: { step: 'burnin_cpu' } });
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('active');
    expect(stepsRun(stage)).toEqual(['burnin_cpu', 'burnin_cpu']);
    expect(stage.machine).toMatchObject(inInstance);
  });
});
