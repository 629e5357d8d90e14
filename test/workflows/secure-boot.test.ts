import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { createAgent } from './agent.ts';
import { asked, operations, step } from './asked.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const wanted = (capabilities: unknown): Partial<StoredNode> => ({
  instance_info: { ...aNode().instance_info, capabilities },
});

const deploy = async (more: Partial<StoredNode>, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode(more) });
  script(stage);
  const agent = createAgent(stage);
  await stage.provision('deploy', 'deploy');
  await stage.settle(600);
  if (await agent.call()) {
    await stage.settle();
    await agent.finish();
    await stage.settle(600);
  }
  return stage;
};

const lookedAt = (stage: Stage) => operations(stage).filter((op) => op.startsWith('secure_boot'));

/** What secure boot was set to, each time, and the how manieth operation that was. */
const switched = ({ proxy }: Stage) =>
  proxy.requests.flatMap(({ op, params }, at) =>
    op === 'secure_boot.ensure' ? [{ at, enabled: (params as { enabled: boolean }).enabled }] : [],
  );

describe('secure boot at deploy', () => {
  it.each([[{ secure_boot: true }], ['{"secure_boot": "True"}']])(
    'is switched on, in mode uefi, before the first start of an instance that asks with %j',
    async (capabilities) => {
      const stage = await deploy(wanted(capabilities), ({ machine }) => (machine.boot.mode = 'bios'));
      expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true, boot_mode: 'uefi' });
      expect(stage.machine).toMatchObject({ secure_boot: true, boot: { mode: 'uefi', target: 'Hdd' } });
      const asked = operations(stage);
      expect(asked.indexOf('secure_boot.ensure')).toBeGreaterThan(asked.lastIndexOf('vmedia.eject'));
      expect(asked.indexOf('secure_boot.ensure')).toBeLessThan(asked.lastIndexOf('power.ensure'));
    },
  );

  it('is nobody’s business where the instance does not ask', async () => {
    const stage = await deploy({ secure_boot: true }, ({ machine }) => (machine.secure_boot = true));
    expect(lookedAt(stage)).toEqual([]);
    expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true });
  });

  it('is switched off again by a rebuild that asks for it no more', async () => {
    const driver_internal_info = { secure_boot_by_deploy: true };
    const stage = await deploy({ driver_internal_info }, ({ machine }) => (machine.secure_boot = true));
    expect(await stage.read()).toMatchObject({
      secure_boot: false,
      driver_internal_info: { secure_boot_by_deploy: false },
    });
    expect(stage.machine.secure_boot).toBe(false);
  });

  it('is off for the ramdisk of a rebuild, and on again for the instance', async () => {
    const had = { ...wanted({ secure_boot: true }), driver_internal_info: { secure_boot_by_deploy: true } };
    const stage = await deploy(had, ({ machine }) => (machine.secure_boot = true));
    const seen = switched(stage);
    expect(seen.map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(seen[0]!.at).toBeLessThan(operations(stage).indexOf('vmedia.insert'));
    expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true });
  });

  it('is refused by a BMC that has none before anything is done to the machine', async () => {
    const stage = await deploy(wanted({ secure_boot: true }), ({ machine }) => (machine.secure_boot = null));
    const node = await stage.read();
    expect(node.provision_state).toBe('deploy failed');
    expect(node.last_error).toContain('the BMC tells of no secure boot');
    expect(operations(stage)).not.toContain('vmedia.insert');
  });

  it('fails the deploy in the words of a BMC that will not', async () => {
    const refusal = bmcFault('BmcRejected', 'PATCH /redfish/v1/Systems/1/SecureBoot was refused: keys are missing.');
    const stage = await deploy(wanted({ secure_boot: true }), ({ proxy }) =>
      proxy.answer('secure_boot.ensure', refusal),
    );
    const node = await stage.read();
    expect(node.provision_state).toBe('deploy failed');
    expect(node.last_error).toContain('keys are missing');
  });

  it('is on for an instance that lives on its ISO, too', async () => {
    const stage = await createStage({
      node: aNode({
        deploy_interface: 'ramdisk',
        instance_info: { boot_iso: 'http://images.test/live.iso', capabilities: { secure_boot: true } },
      }),
    });
    await stage.provision('deploy', 'deploy');
    await stage.settle(600);
    expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true });
  });
});

describe('secure boot at undeploy', () => {
  const active = async (more: Partial<StoredNode>) => {
    const stage = await createStage({ node: aNode({ provision_state: 'active', secure_boot: true, ...more }) });
    stage.machine.secure_boot = true;
    return stage;
  };

  it.each([
    ['asked for it', wanted({ secure_boot: 'true' })],
    ['had it switched on, and asks no more', { driver_internal_info: { secure_boot_by_deploy: true } }],
  ])('is switched off for an instance that %s', async (_what, more) => {
    const stage = await active(more);
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', secure_boot: false });
    expect(stage.machine.secure_boot).toBe(false);
  });

  it.each([
    ['was there before', {}],
    ['nobody can read about', wanted('{')],
  ])('is left alone where it %s', async (_what, more) => {
    const stage = await active(more);
    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', secure_boot: true });
    expect(lookedAt(stage)).toEqual([]);
  });

  it('says so if the BMC will not', async () => {
    const stage = await active(wanted({ secure_boot: true }));
    stage.proxy.answer('secure_boot.ensure', bmcFault('BmcRejected', 'Secure boot off was refused.'));
    await stage.provision('undeploy', 'delete');
    await stage.settle(600);
    const node = await stage.read();
    expect(node.provision_state).toBe('error');
    expect(node.last_error).toContain('Secure boot off was refused');
  });
});

describe('secure boot of an instance whose machine boots a ramdisk for a while', () => {
  const instance = { ...wanted({ secure_boot: true }), instance_uuid: uuid, secure_boot: true };
  const isOn = ({ machine }: Stage) => {
    machine.power = 'power on';
    machine.secure_boot = true;
  };

  it('is off for a rescue, and on again after it', async () => {
    const stage = await createStage({
      node: aNode({ ...instance, provision_state: 'active', rescue_interface: 'agent' }),
    });
    isOn(stage);
    await stage.provision('rescue', 'rescue');
    await stage.settle(600);
    expect(await stage.read()).toMatchObject({ provision_state: 'rescue wait', secure_boot: false });
    expect(operations(stage).indexOf('secure_boot.ensure')).toBeLessThan(operations(stage).indexOf('vmedia.insert'));
    await createAgent(stage).call();
    await stage.settle();
    await stage.provision('unrescue', 'unrescue');
    await stage.settle(600);
    expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true });
    expect(switched(stage).map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(switched(stage)[1]!.at).toBeLessThan(operations(stage).lastIndexOf('power.ensure'));
  });

  it('is off for the steps of a service, and on again after them', async () => {
    const { stage, agent } = await asked('service', [step('deploy.burnin_cpu')], instance, (one) => {
      isOn(one);
      one.machine.agent.steps.service.push({ interface: 'deploy', step: 'burnin_cpu', priority: 0, abortable: true });
    });
    expect(stage.machine.secure_boot).toBe(false);
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle(600);
    expect(await stage.read()).toMatchObject({ provision_state: 'active', secure_boot: true });
    expect(switched(stage).map(({ enabled }) => enabled)).toEqual([false, true]);
  });

  it('is left alone by a rescue where no deploy has switched it on', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'active', rescue_interface: 'agent' }) });
    isOn(stage);
    await stage.provision('rescue', 'rescue');
    await stage.settle(600);
    expect(lookedAt(stage)).toEqual([]);
    expect(stage.machine.secure_boot).toBe(true);
  });
});
