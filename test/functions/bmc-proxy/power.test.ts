import { describe, expect, it } from 'vitest';

import { fixture, type FakeBmc } from '../../fakes/bmc.ts';
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

  it('says after three times what the BMC answered, also to invocations that did not hear it', async () => {
    const { ask, bmc, clock } = await enrol();
    const broken = { status: 500, body: { error: { message: 'The power controller does not answer.' } } };
    bmc.answer(resetPath, broken, broken, broken);
    const told = 'was refused with status 500: The power controller does not answer.';
    for (let minute = 0; minute < 3; minute += 1) {
      expect(await ask('power.ensure', { target: 'power on' })).toMatchObject({
        status: 'pending',
        reason: expect.stringContaining(told) as string,
      });
      await clock.sleep(60_000);
    }
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toThrow(told);
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

  it('that may never have reached the operating system is not said to have been ignored by it', async () => {
    const { ask, bmc, clock } = await enrol();
    setPower(bmc, 'On');
    bmc.answer(resetPath, { status: 500, text: 'no agent in the guest' });
    await ask('power.ensure', soft);
    await clock.sleep(100_000);
    const failed = ask('power.ensure', soft);
    await expect(failed).rejects.toThrow('perhaps never asked to shut down');
    await expect(failed).rejects.toThrow('was refused with status 500: no agent in the guest.');
  });

  it('whose task fails is a failure, and forced at once if that is wanted', async () => {
    const { ask, bmc } = await running();
    const monitor = '/redfish/v1/TaskService/TaskMonitors/1';
    const task = { status: 202, headers: { Location: monitor } };
    bmc.answer(resetPath, task, task);
    bmc.resources[monitor] = { TaskState: 'Exception', Messages: [{ Message: 'The guest refused.' }] };
    await expect(ask('power.ensure', soft)).rejects.toThrow('ended as task state Exception: The guest refused.');
    expect(await ask('power.ensure', { ...soft, then_force: true }, { op_id: 'force' })).toMatchObject({
      status: 'done',
    });
    expect(resets(bmc)).toEqual(['GracefulShutdown', 'GracefulShutdown', 'ForceOff']);
  });

  it('is forced past its time also while its task still runs', async () => {
    const { ask, bmc, clock } = await running();
    const monitor = '/redfish/v1/TaskService/TaskMonitors/1';
    bmc.answer(resetPath, { status: 202, headers: { Location: monitor } });
    bmc.resources[monitor] = { TaskState: 'Running' };
    const params = { ...soft, then_force: true };
    expect(await ask('power.ensure', params)).toMatchObject({ status: 'pending' });
    await clock.sleep(100_000);
    expect(await ask('power.ensure', params)).toMatchObject({ status: 'done' });
    expect(resets(bmc)).toEqual(['GracefulShutdown', 'ForceOff']);
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

describe('a task monitor', () => {
  const monitor = '/redfish/v1/TaskService/TaskMonitors/1';
  const accepted = { status: 202, headers: { Location: monitor } };
  const on = { target: 'power on' } as const;

  it('that ends with an error says how the reset went: it goes out once, and its words are told', async () => {
    const { ask, bmc, ledger } = await enrol();
    bmc.answer(resetPath, accepted);
    bmc.answer(`GET ${monitor}`, { status: 202 }, { status: 500, body: fixture('error-task') });
    await expect(ask('power.ensure', on)).rejects.toMatchObject({
      name: 'BmcTaskFailed',
      message: expect.stringContaining(
        'ended with status 500: The power supply did not come up. (InternalError)',
      ) as string,
    });
    expect(resets(bmc)).toEqual(['On']);
    expect(await ledger()).toEqual(['sent On', 'accepted', 'refused BmcTaskFailed']);
  });

  it('that has no word to say is about the BMC: the reset is not repeated for it', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(resetPath, accepted);
    bmc.handlers.push(({ path }) => (path === monitor ? { status: 500 } : undefined));
    for (let minute = 0; minute < 4; minute += 1) {
      expect(await ask('power.ensure', on)).toMatchObject({
        status: 'pending',
        reason: expect.stringContaining('How its task stands is not known') as string,
      });
      await clock.sleep(60_000);
    }
    expect(resets(bmc)).toEqual(['On']);
  });

  it('that goes on and on is waited for, without a second reset', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(resetPath, accepted);
    bmc.resources[monitor] = { TaskState: 'Running' };
    for (let minute = 0; minute < 4; minute += 1) {
      const reason = 'The BMC reports power Off. Its task is still running.';
      expect(await ask('power.ensure', on)).toMatchObject({ status: 'pending', reason });
      await clock.sleep(60_000);
    }
    expect(resets(bmc)).toEqual(['On']);
  });

  it('that fails is not believed when the machine shows what was wanted', async () => {
    const { ask, bmc } = await enrol();
    bmc.answer(resetPath, accepted);
    bmc.answer(`GET ${monitor}`, () => {
      setPower(bmc, 'On');
      return { status: 500, body: fixture('error-task') };
    });
    expect(await ask('power.ensure', on)).toMatchObject({ status: 'done' });
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
