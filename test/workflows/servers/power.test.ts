import { beforeEach, describe, expect, it } from 'vitest';

import { baremetalFault } from '../../../layers/baremetal-client/faults.ts';
import { bmcFault } from '../../../layers/bmc/faults.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
let node: string;
let uuid: string;
beforeEach(async () => {
  stage = await createStage();
  node = await stage.addNode();
  uuid = await stage.boots();
  await stage.settle(60);
});

const act = async (body: object) => {
  const { status } = await stage.request(`POST /v2.1/servers/${uuid}/action`, { body });
  expect(status).toBe(202);
  return (await stage.readServer(uuid))!.run!;
};

const stopped = async () => {
  await act({ 'os-stop': null });
  await stage.settle(60);
};

const shown = async () => {
  const { status, ...server } = await stage.show(uuid);
  return [status, server['OS-EXT-STS:task_state'], server['OS-EXT-STS:power_state']];
};

/** What the machine was asked for. */
const asked = (): string[] => {
  const targets: string[] = [];
  stage.meddling.call = ({ method, path, body }) => {
    if (method === 'PUT' && path.endsWith('/states/power')) targets.push((body as { target: string }).target);
  };
  return targets;
};

/** Machines that cannot do what is soft. */
const rough = (): string[] => {
  const targets: string[] = [];
  stage.meddling.call = ({ method, path, body }) => {
    if (method !== 'PUT' || !path.endsWith('/states/power')) return;
    const { target } = body as { target: string };
    targets.push(target);
    if (target.startsWith('soft')) throw baremetalFault('BaremetalRefused', 'It cannot do that.');
  };
  return targets;
};

/** The next power action of the machine comes to nothing. */
const failing = () => {
  stage.meddling.phase = ({ workflow, phase }) => {
    if (workflow !== 'power' || phase === 'Fail') return;
    stage.meddling.phase = undefined;
    throw bmcFault('BmcAuthFailed', 'The guest of rack-7 does not care.');
  };
};

describe('a server that is stopped', () => {
  it('has its guest shut down', async () => {
    const targets = asked();
    const run = await act({ 'os-stop': null });
    expect(await shown()).toEqual(['ACTIVE', 'powering-off', 1]);
    await stage.settle(60);
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
    expect(targets).toEqual(['soft power off']);
    expect(await stage.entered('server-power', run)).toEqual([
      'AskGuest',
      'Asked',
      'WaitForGuest',
      'Obeyed',
      'HasObeyed',
      'Done',
    ]);
  });

  it.each([
    ['cannot be asked', rough, ['AskGuest', 'Asked', 'SwitchPower', 'WaitForPower', 'Switched', 'IsSwitched', 'Done']],
    [
      'has a guest that does not obey',
      () => {
        failing();
        return asked();
      },
      [
        'AskGuest',
        'Asked',
        'WaitForGuest',
        'Obeyed',
        'HasObeyed',
        'SwitchPower',
        'WaitForPower',
        'Switched',
        'IsSwitched',
        'Done',
      ],
    ],
  ])('and %s is switched off', async (_what, prepare, states) => {
    const targets = prepare();
    const run = await act({ 'os-stop': null });
    await stage.settle(60);
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
    expect(targets).toEqual(['soft power off', 'power off']);
    expect(await stage.entered('server-power', run)).toEqual(states);
  });

  it('and whose machine does nothing stays what it is, and says so to who asks', async () => {
    let left = 2;
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow !== 'power' || phase === 'Fail' || left === 0) return;
      left -= 1;
      throw bmcFault('BmcAuthFailed', 'The BMC of rack-7 refuses.');
    };
    await act({ 'os-stop': null });
    await stage.settle(60);
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
    const [action] = (await stage.request(`GET /v2.1/servers/${uuid}/os-instance-actions`)).body.instanceActions;
    const path = `GET /v2.1/servers/${uuid}/os-instance-actions/${action.request_id}`;
    const { body, text } = await stage.request(path);
    expect(body.instanceAction).toMatchObject({ action: 'stop', message: 'Error' });
    expect(text).not.toContain('rack-7');
    await stopped();
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
  });

  it('waits while the machine is locked', async () => {
    await stage.changeNode(node, { reservation: 'somebody' });
    await act({ 'os-stop': null });
    await stage.settle(60);
    expect(await shown()).toEqual(['ACTIVE', 'powering-off', 1]);
    await stage.changeNode(node, { reservation: null });
    await stage.settle(60);
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
  });
});

describe('a server that is started', () => {
  it('has its machine switched on', async () => {
    await stopped();
    const targets = asked();
    await act({ 'os-start': null });
    expect(await shown()).toEqual(['SHUTOFF', 'powering-on', 4]);
    await stage.settle(60);
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
    expect(targets).toEqual(['power on']);
  });
});

describe('a reboot', () => {
  it.each([
    ['SOFT', 'REBOOT', ['soft rebooting']],
    ['HARD', 'HARD_REBOOT', ['rebooting']],
  ])('(%s) restarts the machine', async (type, status, wanted) => {
    const targets = asked();
    await act({ reboot: { type } });
    expect((await shown())[0]).toBe(status);
    await stage.settle(60);
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
    expect(targets).toEqual(wanted);
  });

  it('of a machine that cannot be asked switches it off and on', async () => {
    const targets = rough();
    await act({ reboot: { type: 'SOFT' } });
    await stage.settle(60);
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
    expect(targets).toEqual(['soft rebooting', 'rebooting']);
  });

  it('that is hard takes the place of one that waits for the guest', async () => {
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'power' && phase !== 'Fail') throw new Fault('Pending', 503, 'It takes its time.');
    };
    const soft = await act({ reboot: { type: 'SOFT' } });
    await stage.settle(30);
    const hard = await act({ reboot: { type: 'HARD' } });
    expect(hard).not.toBe(soft);
    stage.meddling.phase = undefined;
    await stage.settle(120);
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
    expect(await stage.entered('server-power', hard)).toContain('Done');
  });
});

describe('a machine that an operator switches', () => {
  it('off makes its server SHUTOFF, and on ACTIVE', async () => {
    const power = async (target: string) => {
      expect((await stage.operator(`PUT /v1/nodes/${node}/states/power`, { target })).status).toBe(202);
      await stage.settle(60);
    };
    await power('power off');
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
    await power('power on');
    expect(await shown()).toEqual(['ACTIVE', null, 1]);
  });

  it('while a run ends is not missed: what it came to is not what was asked for', async () => {
    stage.meddling.phase = async ({ workflow, phase }) => {
      if (workflow !== 'server-power' || phase !== 'Switched') return;
      stage.meddling.phase = undefined;
      // The run looks at the machine, and then this happens, which it hears of before it ends.
      stage.meddling.answered = async ({ method }) => {
        if (method !== 'GET') return;
        stage.meddling.answered = undefined;
        await stage.changeNode(node, { power_state: 'power off' });
        await stage.pump();
      };
    };
    const run = await act({ reboot: { type: 'HARD' } });
    await stage.settle(120);
    expect(await stage.entered('server-power', run)).toContain('Failed');
    expect(await shown()).toEqual(['SHUTOFF', null, 4]);
  });
});

describe('a machine that is taken away while a run waits for it', () => {
  const taken = async () => {
    stage.meddling.phase = ({ workflow }) => {
      if (workflow === 'power') throw new Fault('Pending', 503, 'It takes its time.');
    };
    const run = await act({ 'os-stop': null });
    await stage.settle(30);
    const nobody = { instance_uuid: null, target_power_state: null, reservation: null };
    await stage.changeNode(node, { provision_state: 'available', ...nobody });
    stage.meddling.phase = undefined;
    return run;
  };

  it('takes its server along', async () => {
    const run = await taken();
    await stage.settle(60);
    expect(await stage.entered('server-power', run)).toContain('Failed');
    expect([await stage.readServer(uuid), await stage.used()]).toEqual([undefined, { instances: 0, cores: 0, ram: 0 }]);
  });

  it('takes it along although whoever notices dies before the deletion begins', async () => {
    await taken();
    stage.meddling.start = () => {
      throw new Error('Nobody starts anything.');
    };
    await stage.settle(60);
    expect((await stage.readServer(uuid))!.run_workflow).toBe('server-delete');
    stage.meddling.start = undefined;
    expect(await stage.sync()).toMatchObject({ started: 1 });
    await stage.settle(60);
    expect(await stage.readServer(uuid)).toBeUndefined();
  });
});
