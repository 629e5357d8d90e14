/** Deploys with steps that a request or a deploy template adds, moves or turns off. */
import { describe, expect, it } from 'vitest';

import type { StoredNode } from '../../layers/store/nodes.ts';
import { createRecord } from '../../layers/store/records/change.ts';
import { createAgent } from './agent.ts';
import { goOn, operations, step, stepsRun } from './asked.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';
import type { PlannedStep } from '../../layers/domain/steps.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';

const toAgent = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent', 'CollectSteps', 'NextStep'];
const added = ['RunStep', 'NextStep'];
const image = ['WriteImage', 'NextStep', 'WriteImage', 'NextStep'];
const instance = ['PrepareInstanceBoot', 'NextStep'];
const leave = ['PowerOffAgent', 'DetachBootMedia', 'SetDiskBoot', 'NextStep', 'BootInstance', 'NextStep'];
const end = ['Finish', 'Done'];
const at = (name: string, priority: number, args: object = {}) => step(name, args, { priority });

const begin = async (
  steps: readonly PlannedStep[],
  more: Partial<StoredNode> = {},
  script: (stage: Stage) => void = () => {},
) => {
  const stage = await createStage({
    node: aNode({ driver_internal_info: { user_deploy_steps: steps }, ...more }),
  });
  stage.machine.agent.steps.deploy.push({
    interface: 'deploy',
    step: 'inject_keys',
    priority: 0,
    abortable: true,
    argsinfo: { keys: { required: true } },
  });
  script(stage);
  const agent = createAgent(stage);
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle();
  return { stage, agent, run };
};

/** The agent does whatever it is told until the run lets go of it. */
const play = async (stage: Stage, agent: ReturnType<typeof createAgent>): Promise<void> => {
  for (let round = 0; round < 10 && (await stage.read()).provision_state === 'wait call-back'; round += 1) {
    if (stage.machine.agent.commands.at(-1)?.command_status === 'RUNNING') await agent.finish();
    else await agent.call();
    await stage.settle(30);
  }
};

const deploy = async (...args: Parameters<typeof begin>) => {
  const begun = await begin(...args);
  await play(begun.stage, begun.agent);
  return begun;
};

const states = async ({ stage, run }: { stage: Stage; run: string }) => stage.entered('deploy', run);

describe('a deploy with steps of the request', () => {
  it('runs them at their priorities, in the agent before and after the image', async () => {
    const keys = { keys: ['ssh'] };
    const done = await deploy([
      at('deploy.inject_keys', 70, keys),
      at('management.set_secure_boot', 90, { enabled: true }),
    ]);
    expect(await states(done)).toEqual(
      ['Validate', 'NextStep', toAgent, added, image, added, added, instance, leave, end].flat(),
    );
    expect([...new Set(stepsRun(done.stage))]).toEqual(['write_image', 'inject_keys']);
    expect(await done.stage.read()).toMatchObject({ provision_state: 'active', deploy_step: {}, last_error: null });
    expect(Object.keys((await done.stage.read()).driver_internal_info)).not.toContain('user_deploy_steps');
  });

  it('runs what the BMC does before the ramdisk and after it too', async () => {
    const done = await deploy([
      at('management.set_secure_boot', 120, { enabled: true }),
      at('management.set_boot_device', 30, { boot_device: 'pxe' }),
    ]);
    expect(await states(done)).toEqual(
      [
        ['Validate', 'NextStep', added, toAgent, image, instance],
        ['PowerOffAgent', 'DetachBootMedia', 'SetDiskBoot', 'NextStep', added, 'BootInstance', 'NextStep', end],
      ].flat(2),
    );
    expect(operations(done.stage)[0]).toBe('secure_boot.ensure');
    expect(done.stage.machine.boot.target).toBe('Pxe');
  });

  it('leaves out a core step that is turned off', async () => {
    const done = await deploy([at('deploy.write_image', 0)]);
    expect(await states(done)).toEqual(['Validate', 'NextStep', toAgent, instance, leave, end].flat());
    expect(stepsRun(done.stage)).toEqual([]);
  });

  it('boots the ramdisk again for a step that asks for it, and then goes on', async () => {
    const done = await deploy([at('deploy.inject_keys', 90, { keys: [] })], {}, ({ machine }) => {
      for (const row of machine.agent.steps.deploy) row.reboot_requested = row.step === 'inject_keys';
    });
    expect(await states(done)).toEqual(
      ['Validate', 'NextStep', toAgent, added, added, toAgent, image, instance, leave, end].flat(),
    );
    expect((await done.stage.read()).provision_state).toBe('active');
  });

  it.each([
    ['does not offer', at('deploy.unheard_of', 90), 'no step deploy.unheard_of. It offers: deploy.inject_files'],
    ['needs more for', at('deploy.inject_keys', 90), 'needs the argument keys'],
  ])('fails for a step that the agent %s, before anything is written', async (_why, wrong, message) => {
    const { stage } = await deploy([wrong]);
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'deploy failed', deploy_step: {} });
    expect(node.last_error).toContain(message);
    expect(stepsRun(stage)).toEqual([]);
  });

  it('has the steps of the hardware managers in its plan', async () => {
    const done = await deploy([], {}, ({ machine }) => {
      machine.agent.steps.deploy.push({
        interface: 'raid',
        step: 'apply_configuration',
        priority: 95,
        abortable: false,
      });
    });
    expect([...new Set(stepsRun(done.stage))]).toEqual(['apply_configuration', 'write_image']);
    expect((await done.stage.read()).provision_state).toBe('active');
  });
});

describe('a deploy with deploy templates', () => {
  const withTemplate = async (name: string, steps: readonly PlannedStep[], stage: Stage) => {
    const { ids } = stage.world;
    await createRecord(stage.world, kinds.deploy_template, {
      uuid: ids.uuid(),
      name,
      description: null,
      steps: [...steps],
      extra: {},
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      links: null,
      revision: 1,
      position: ids.ulid(),
    } as never);
  };

  it('takes those whose name is a trait of the instance; a step of the request replaces theirs', async () => {
    const stage = await createStage({
      node: aNode({
        traits: ['CUSTOM_SECURE'],
        instance_info: { ...aNode().instance_info, traits: ['CUSTOM_SECURE'] },
        driver_internal_info: { user_deploy_steps: [at('management.set_boot_mode', 0, { mode: 'bios' })] },
      }),
    });
    await withTemplate(
      'CUSTOM_SECURE',
      [at('management.set_secure_boot', 90, { enabled: true }), at('management.set_boot_mode', 90, { mode: 'bios' })],
      stage,
    );
    await withTemplate('CUSTOM_OTHER', [at('bios.factory_reset', 90)], stage);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    await play(stage, createAgent(stage));
    expect((await stage.read()).provision_state).toBe('active');
    expect(stage.machine).toMatchObject({ secure_boot: true, bios_resets: 0, boot: { mode: 'uefi' } });
  });
});

describe('a deploy by a custom agent', () => {
  const custom = { deploy_interface: 'custom-agent', instance_info: {} };
  const keys = { keys: ['ssh'] };

  it('does the steps that it is asked for, and nothing of an image or a boot loader', async () => {
    const done = await deploy([at('deploy.inject_keys', 80, keys)], custom);
    expect(await states(done)).toEqual(['Validate', 'NextStep', toAgent, added, added, instance, leave, end].flat());
    expect([...new Set(stepsRun(done.stage))]).toEqual(['inject_keys']);
    const called = done.stage.proxy.requests.filter(({ op }) => op === 'agent.call');
    expect(called.map(({ params }) => (params as { command: string }).command)).toEqual([
      'standby.sync',
      'standby.power_off',
    ]);
    expect(await done.stage.read()).toMatchObject({ provision_state: 'active', last_error: null });
  });

  it('can be asked to write an image as any other step, with arguments', async () => {
    const done = await deploy([at('deploy.write_image', 80, { image_info: { id: 'x' } })], custom, (stage) => {
      const offer = stage.machine.agent.steps.deploy.find((one) => one.step === 'write_image')!;
      Object.assign(offer, { argsinfo: { image_info: { required: true }, configdrive: { required: false } } });
    });
    expect(await done.stage.read()).toMatchObject({ provision_state: 'active', last_error: null });
    const sent = done.stage.proxy.requests.find(({ op }) => op === 'agent.execute');
    expect(sent!.params).toMatchObject({ step: { step: 'write_image', args: { image_info: { id: 'x' } } } });
  });

  it('needs the agent for them: not before it is there', async () => {
    const done = await deploy([at('deploy.inject_keys', 110, keys)], custom);
    expect((await done.stage.read()).last_error).toContain('give it a priority from 99 to 41');
  });
});

describe('a deploy that is held', () => {
  it('waits in "deploy hold" and goes on in the same agent', async () => {
    const { stage, agent } = await deploy([at('deploy.hold', 70)]);
    expect(await stage.read()).toMatchObject({
      provision_state: 'deploy hold',
      target_provision_state: 'active',
      run: null,
      reservation: null,
    });
    const run = await goOn(stage, 'deploy');
    await play(stage, agent);
    expect(await stage.entered('deploy', run)).toEqual(['Validate', 'NextStep', instance, leave, end].flat());
    expect(await stage.read()).toMatchObject({ provision_state: 'active', last_error: null });
  });

  it('needs no machine before the ramdisk', async () => {
    const { stage } = await begin([at('power.hold', 110)]);
    expect((await stage.read()).provision_state).toBe('deploy hold');
    expect(stage.proxy.requests).toEqual([]);
  });
});

describe('fake hardware', () => {
  it('does every step at once', async () => {
    const { stage, run } = await begin([at('deploy.anything', 50), at('bios.factory_reset', 110)], {
      driver: 'fake-hardware',
      driver_info: {},
      instance_info: {},
    });
    expect(await stage.entered('deploy', run)).toEqual(['Validate', 'NextStep', added, added, end].flat());
    expect((await stage.read()).provision_state).toBe('active');
  });
});
