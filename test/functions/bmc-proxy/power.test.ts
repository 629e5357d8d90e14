import { describe, expect, it } from 'vitest';

import type { FakeBmc } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const path = '/redfish/v1/Systems/1';
const resetPath = `POST ${path}/Actions/ComputerSystem.Reset`;

const resets = (bmc: FakeBmc) =>
  bmc.requests.filter(({ path }) => path.endsWith('.Reset')).map(({ body }) => body['ResetType']);
const setPower = (bmc: FakeBmc, state: string) => {
  bmc.resources[path]!['PowerState'] = state;
};

describe('hard power', () => {
  it('is switched, seen, and said to be changed', async () => {
    const { ask, bmc, ledger } = await enrol();
    expect(await ask('power.ensure', { target: 'power on' })).toEqual({
      status: 'done',
      quirks: [],
      observed: { changed: true, power: 'power on' },
    });
    expect(await ask('power.ensure', { target: 'power off' }, { op_id: 'other' })).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['On', 'ForceOff']);
    expect(await ledger()).toEqual(['sent On', 'done', 'sent ForceOff', 'done']);
  });

  it('that is so already sends and records nothing', async () => {
    const { ask, bmc, ledger } = await enrol();
    expect(await ask('power.ensure', { target: 'power off' })).toMatchObject({ observed: { changed: false } });
    expect(resets(bmc)).toEqual([]);
    expect(await ledger()).toEqual([]);
  });

  it('asked for again under the same op_id is not switched again', async () => {
    const { ask, bmc } = await enrol();
    await ask('power.ensure', { target: 'power on' });
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ observed: { changed: true } });
    expect(resets(bmc)).toEqual(['On']);
  });

  it('waits for a BMC that shows late what it accepted, over several invocations, without a second reset', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(resetPath, { status: 204 });
    const pending = { status: 'pending', reason: 'The BMC reports power Off.' };
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject(pending);
    expect(await ask('power.ensure', { target: 'power on' }, { deadline_ms: 10_000 })).toMatchObject(pending);
    setPower(bmc, 'On');
    const before = clock.now();
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({
      status: 'done',
      observed: { changed: true },
    });
    expect(clock.now() - before).toBe(0);
    expect(resets(bmc)).toEqual(['On']);
  });

  it('is asked for again after a minute, three times, and is then said not to work', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(resetPath, { status: 204 }, { status: 204 }, { status: 204 });
    for (let minute = 0; minute < 3; minute += 1) {
      expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'pending' });
      await clock.sleep(60_000);
    }
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'BmcStateMismatch' });
    expect(resets(bmc)).toEqual(['On', 'On', 'On']);
  });

  it('on the way there is waited for, and is no reset', async () => {
    const { ask, bmc } = await enrol();
    setPower(bmc, 'PoweringOff');
    expect(await ask('power.ensure', { target: 'power off' })).toMatchObject({ status: 'pending' });
    expect(await ask('power.ensure', { target: 'power on' }, { op_id: 'other' })).toMatchObject({ status: 'pending' });
    expect(resets(bmc)).toEqual([]);
  });

  it.each([400, 409])('refused with %i counts when it turns out to be so', async (status) => {
    const { ask, bmc, ledger } = await enrol();
    bmc.answer(resetPath, () => {
      setPower(bmc, 'On');
      return { status };
    });
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
    expect((await ledger()).at(-1)).toBe('done');
  });

  it('refused for now is a fault to retry, and the next invocation asks again', async () => {
    const { ask, bmc, ledger } = await enrol();
    bmc.answer(resetPath, { status: 409 });
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'BmcBusy' });
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['On', 'On']);
    expect(await ledger()).toEqual(['sent On', 'refused BmcBusy', 'sent On', 'done']);
  });

  it.each(['reset', { status: 500 }] as const)(
    'whose answer (%j) says nothing is decided by what the BMC shows',
    async (answer) => {
      const { ask, bmc } = await enrol();
      bmc.answer(resetPath, answer);
      expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'pending' });
      setPower(bmc, 'On');
      expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
      expect(resets(bmc)).toEqual(['On']);
    },
  );

  it('goes on while the BMC is away after the reset', async () => {
    const { ask, bmc } = await enrol();
    const away = Array.from({ length: 6 }, () => 'reset' as const);
    bmc.answer(resetPath, () => {
      bmc.answer(`GET ${path}`, ...away);
      return undefined;
    });
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['On']);
  });

  it('uses what the BMC lists, also in ActionInfo', async () => {
    const { ask, bmc } = await enrol();
    const reset = { target: `${path}/Actions/ComputerSystem.Reset`, '@Redfish.ActionInfo': `${path}/ResetActionInfo` };
    bmc.resources[path]!['Actions'] = { '#ComputerSystem.Reset': reset };
    const values = { Name: 'ResetType', AllowableValues: ['ForceOn'] };
    bmc.resources[`${path}/ResetActionInfo`] = { Parameters: [values] };
    bmc.answer(resetPath, () => {
      setPower(bmc, 'On');
      return { status: 204 };
    });
    await ask('power.ensure', { target: 'power on' });
    expect(resets(bmc)).toEqual(['ForceOn']);
    await expect(ask('power.ensure', { target: 'power off' }, { op_id: 'other' })).rejects.toThrow(
      'offers no ForceOff',
    );
  });
});

describe('soft power off', () => {
  const soft = { target: 'power off', how: 'soft', soft_seconds: 100 } as const;
  const running = async () => {
    const machine = await enrol();
    setPower(machine.bmc, 'On');
    return machine;
  };

  it('asks the operating system', async () => {
    const { ask, bmc } = await running();
    expect(await ask('power.ensure', soft)).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['GracefulShutdown']);
  });

  it('is asked for once, and forced past its time if that is wanted', async () => {
    const { ask, bmc, clock, ledger } = await running();
    bmc.answer(resetPath, { status: 204 });
    const params = { ...soft, then_force: true };
    for (let i = 0; i < 3; i += 1) expect(await ask('power.ensure', params)).toMatchObject({ status: 'pending' });
    expect(resets(bmc)).toEqual(['GracefulShutdown']);
    await clock.sleep(20_000);
    expect(await ask('power.ensure', params)).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['GracefulShutdown', 'ForceOff']);
    expect(await ledger()).toEqual(['sent soft GracefulShutdown', 'sent ForceOff', 'done']);
  });

  it('fails past its time if force is not wanted', async () => {
    const { ask, bmc, clock } = await running();
    bmc.answer(resetPath, { status: 204 });
    await ask('power.ensure', soft);
    await clock.sleep(100_000);
    await expect(ask('power.ensure', soft)).rejects.toThrow('did not shut down within 100 s');
    expect(resets(bmc)).toEqual(['GracefulShutdown']);
  });

  it('that the BMC rejects is forced at once if that is wanted', async () => {
    const { ask, bmc } = await running();
    bmc.answer(resetPath, { status: 400 });
    expect(await ask('power.ensure', { ...soft, then_force: true })).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['GracefulShutdown', 'ForceOff']);
    setPower(bmc, 'On');
    bmc.answer(resetPath, { status: 400 });
    await expect(ask('power.ensure', soft, { op_id: 'other' })).rejects.toMatchObject({ name: 'BmcRejected' });
  });
});

describe('a task', () => {
  const monitor = '/redfish/v1/TaskService/TaskMonitors/1';

  it('is waited for, over invocations', async () => {
    const { ask, bmc } = await enrol();
    bmc.answer(resetPath, { status: 202, headers: { Location: monitor } });
    bmc.resources[monitor] = { TaskState: 'Running' };
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'pending' });
    setPower(bmc, 'On');
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['On']);
  });

  it('that fails is told at once, and may be tried again', async () => {
    const { ask, bmc, ledger } = await enrol();
    bmc.answer(resetPath, { status: 202, headers: { Location: monitor } });
    bmc.resources[monitor] = { TaskState: 'Exception' };
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'BmcTaskFailed' });
    expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({ status: 'done' });
    expect(await ledger()).toEqual(['sent On', 'accepted', 'refused BmcTaskFailed', 'sent On', 'done']);
  });
});

it('lets one of two invocations at the same time act', async () => {
  const { ask, bmc } = await enrol();
  const both = await Promise.allSettled([
    ask('power.ensure', { target: 'power on' }),
    ask('power.ensure', { target: 'power on' }),
  ]);
  const names = both.map((one) => (one.status === 'fulfilled' ? one.value.status : (one.reason as Error).name));
  expect(names).toContain('done');
  expect(names.every((name) => ['done', 'BmcBusy'].includes(name))).toBe(true);
  expect(resets(bmc)).toEqual(['On']);
});
