/** takeover: a machine that was moved here with its instance is looked at, and nothing is done to it (ADR 22). */
import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { operations } from '../../layers/bmc/operations.ts';
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { noNotes } from '../../layers/domain/notes.ts';
import { isoTime } from '../../layers/domain/values.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { beginTakeover } from '../../workflows/takeover/begin.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const instance = '11111111-2222-4333-8444-555555555555';
const moved = (more: Partial<StoredNode> = {}): StoredNode =>
  aNode({
    provision_state: 'active',
    instance_uuid: instance,
    power_state: 'power on',
    last_error: 'an old error',
    ...noteTakeover(noNotes, 'pending', isoTime(0)),
    ...more,
  });

const begin = async (stage: Stage): Promise<string> => {
  const run = await stage.take('takeover', (node) =>
    beginTakeover(node, stage.world.ids.ulid(), isoTime(stage.time.now())),
  );
  await stage.settle(60);
  return run;
};

const takeOver = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: moved(more) });
  stage.machine.power = 'power on';
  script(stage);
  return { stage, run: await begin(stage) };
};

const lines = async (stage: Stage): Promise<string[]> => {
  const items = await stage.world.table.query({ partition: `node#${uuid}`, begins: 'event#' });
  return items.map((item) => item['message'] as string);
};

describe('takeover', () => {
  it('reads how the machine is, and lifts the fence', async () => {
    const { stage, run } = await takeOver({ power_state: 'power off' });
    expect(await stage.entered('takeover', run)).toEqual(['Validate', 'ProbeBmc', 'ReadState', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      instance_uuid: instance,
      power_state: 'power on',
      boot_mode: 'uefi',
      last_error: 'an old error',
      reservation: null,
      run: null,
      driver_internal_info: { takeover: { state: 'completed' } },
    });
    expect(await lines(stage)).toContainEqual(
      'The machine was found in power on; it starts from what its firmware is set to, in uefi mode.',
    );
  });

  it('asks for nothing that writes, so nothing stands in the ledger', async () => {
    const { stage } = await takeOver();
    expect(stage.proxy.requests.map(({ op }) => op)).toEqual(['bmc.probe', 'system.get']);
    expect(stage.proxy.requests.filter(({ op }) => 'writes' in operations[op])).toEqual([]);
    expect(stage.machine.switched).toBe(0);
    expect(await stage.world.table.query({ partition: `node#${uuid}`, begins: 'command#' })).toEqual([]);
  });

  it('writes the guest document, as of every machine that somebody has', async () => {
    const { stage } = await takeOver();
    expect(stage.world.objects.keys()).toContain(`guest-metadata/${uuid}.xml`);
  });

  it('tells which start a BMC was left with', async () => {
    const { stage } = await takeOver({}, ({ proxy, machine }) => {
      const seen = { power: machine.power, boot: { target: 'Pxe', enabled: 'Once', mode: 'bios' as const } };
      const rest = { health: null, vendor: null, model: null, serial: null };
      proxy.answer('system.get', { status: 'done', observed: { ...seen, ...rest }, quirks: [] });
    });
    expect(await lines(stage)).toContainEqual(
      'The machine was found in power on; it starts from Pxe (Once) by its BMC, in bios mode.',
    );
  });

  it('of fake hardware asks nobody', async () => {
    const { stage } = await takeOver({ driver: 'fake-hardware' });
    expect(await stage.read()).toMatchObject({ driver_internal_info: { takeover: { state: 'completed' } } });
    expect(stage.proxy.requests).toEqual([]);
  });
});

describe('a takeover that fails', () => {
  it('leaves the node as it was, says why, and keeps the fence; then it can be asked for again', async () => {
    const { stage, run } = await takeOver({}, ({ proxy }) => {
      proxy.answer('system.get', bmcFault('BmcAuthFailed', 'The BMC refused the password.'));
    });
    expect(await stage.entered('takeover', run)).toEqual(['Validate', 'ProbeBmc', 'ReadState', 'Fail', 'Failed']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      instance_uuid: instance,
      power_state: 'power on',
      last_error: 'an old error',
      reservation: null,
      run: null,
      driver_internal_info: {
        takeover: {
          state: 'failed',
          reason: 'Takeover failed in ReadState: The BMC refused the password. Then ask for the takeover again.',
        },
      },
    });
    await begin(stage);
    const { takeover } = (await stage.read()).driver_internal_info;
    expect(takeover).toEqual({ state: 'completed', since: expect.any(String) as string });
  });

  it('because nobody knows how a ramdisk instance would boot again, or where the BMC is', async () => {
    const ramdisk = await takeOver({ deploy_interface: 'ramdisk', instance_info: {} });
    expect((await ramdisk.stage.read()).driver_internal_info.takeover?.reason).toContain('boot_iso');
    const nowhere = await takeOver({ driver_info: {} });
    expect((await nowhere.stage.read()).driver_internal_info.takeover?.reason).toContain('redfish_address');
    expect(nowhere.stage.proxy.requests).toEqual([]);
  });
});

describe('while a machine is not taken over', () => {
  it.each(['pending', 'failed'] as const)('(%s) no run does anything to it, whoever began that', async (state) => {
    const fence = noteTakeover(noNotes, state, isoTime(0));
    for (const [event, workflow] of [
      ['delete', 'undeploy'],
      ['rescue', 'rescue'],
    ] as const) {
      const stage = await createStage({ node: moved({ ...fence, rescue_interface: 'agent' }) });
      stage.machine.power = 'power on';
      await stage.provision(workflow, event);
      await stage.settle(60);
      expect(stage.machine.switched).toBe(0);
      expect(stage.proxy.requests.filter(({ op }) => 'writes' in operations[op])).toEqual([]);
      const { last_error, driver_internal_info } = await stage.read();
      expect(last_error).toContain('takeover_pending');
      expect(driver_internal_info).toMatchObject(fence.driver_internal_info);
    }
    const stage = await createStage({ node: moved(fence) });
    stage.machine.power = 'power on';
    await stage.power('power off');
    await stage.settle(60);
    expect(stage.machine.switched).toBe(0);
  });
});

describe('what may begin', () => {
  it('is the takeover of a machine that was moved here and was not taken over yet', () => {
    const birth = '01000000000000000000000009';
    const started = (more: Partial<StoredNode>) => () => beginTakeover(moved(more), birth, isoTime(0));
    expect(started({})()).toMatchObject({ run_workflow: 'takeover', generation: 1 });
    expect(started({ driver_internal_info: {} })).toThrow('needs no takeover');
    expect(started(noteTakeover(noNotes, 'completed', isoTime(0)))).toThrow('is taken over');
    expect(started({ reservation: 'somebody' })).toThrow('is locked by host somebody');
  });
});
