/** BMCs that do what no maker's profile does, as real ones and emulators were seen to. */
import { describe, expect, it } from 'vitest';

import type { ProfileName } from '../../../simulator/profiles.ts';
import { createLab, liveIso } from '../lab.ts';

const labOf = (profile: ProfileName) => createLab(() => new Response(liveIso), profile);

type Fields = { Target?: string; Enabled?: string; Mode?: string };

const setBoot = async ({ redfish }: ReturnType<typeof createLab>, fields: Fields) => {
  const Boot = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`BootSourceOverride${name}`, value]));
  return redfish('PATCH', '/Systems/1', { Boot });
};

it('an emulator keeps Once as Continuous, and says in plain text that it wants a target', async () => {
  const lab = labOf('emulator');
  expect((await setBoot(lab, { Target: 'Cd', Enabled: 'Once' })).status).toBe(204);
  expect(lab.machine.boot).toMatchObject({ target: 'Cd', enabled: 'Continuous' });
  const refused = await setBoot(lab, { Enabled: 'Once' });
  expect(refused).toMatchObject({ status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(refused.body).toBe('A required property is missing. BootSourceOverrideTarget');
  expect((await setBoot(lab, { Target: 'None', Enabled: 'Disabled' })).status).toBe(400);
});

it('a board that wants all three fields takes no two of them', async () => {
  const lab = labOf('triple');
  expect((await setBoot(lab, { Target: 'Cd', Enabled: 'Once' })).status).toBe(400);
  expect((await setBoot(lab, { Target: 'Cd', Enabled: 'Once', Mode: 'UEFI' })).status).toBe(204);
  expect((await setBoot(lab, { Mode: 'Legacy' })).status).toBe(400);
});

it('a BMC without sessions has no word of them, and takes a login for a wrong password', async () => {
  const lab = labOf('basic');
  const { body } = await lab.redfish('GET', '');
  expect([body.SessionService, body.Links]).toEqual([undefined, {}]);
  const login = { UserName: lab.machine.username, Password: lab.machine.password };
  expect((await lab.redfish('POST', '/SessionService/Sessions', login, {})).status).toBe(401);
  expect(lab.machine.auth_failures).toBe(1);
  for (const path of ['/SessionService', '/SessionService/Sessions']) {
    expect((await lab.redfish('GET', path)).status).toBe(404);
  }
});

describe('drives that show under the system and its manager', () => {
  const paths = ['/Systems/1/VirtualMedia/Cd', '/Managers/1/VirtualMedia/Cd'];

  it('are the same, show late what was ejected, and refuse the second eject meanwhile', async () => {
    const { redfish, advance } = labOf('twins');
    const shown = async () => Promise.all(paths.map(async (path) => (await redfish('GET', path)).body));
    const act = async (path: string, name: string, body?: object) =>
      (await redfish('POST', `${path}/Actions/VirtualMedia.${name}`, body)).status;
    const image = 'http://images.test/live.iso';
    expect(await act(paths[0]!, 'InsertMedia', { Image: image })).toBe(204);
    expect(await shown()).toMatchObject([{ Inserted: true, Image: image }, { Inserted: true }]);
    expect(await act(paths[0]!, 'EjectMedia')).toBe(204);
    expect(await act(paths[1]!, 'EjectMedia')).toBe(400);
    expect(await shown()).toMatchObject([{ Inserted: true, Image: null }, { Inserted: true }]);
    expect(await act(paths[1]!, 'InsertMedia', { Image: image })).toBe(409);
    await advance(5);
    expect(await shown()).toMatchObject([{ Inserted: false }, { Inserted: false }]);
    expect(await act(paths[1]!, 'InsertMedia', { Image: image })).toBe(204);
  });
});

describe('a BMC that makes tasks of everything', () => {
  const on = { ResetType: 'On' };
  const begin = async (fault?: 'task_fails' | 'task_stuck') => {
    const lab = labOf('tasks');
    if (fault) lab.world.faults.add(null, { name: fault });
    const { status, headers } = await lab.redfish('POST', '/Systems/1/Actions/ComputerSystem.Reset', on);
    expect(status).toBe(202);
    const monitor = headers['location']!.replace('/m0001/redfish/v1', '');
    return { ...lab, show: async () => lab.redfish('GET', monitor) };
  };

  it('carries them out', async () => {
    const { show, advance, machine } = await begin();
    expect((await show()).status).toBe(202);
    await advance(3);
    expect((await show()).status).toBe(204);
    expect(machine.phase).toBe('post');
  });

  it('ends the monitor of one that failed with its error', async () => {
    const { show, advance, machine, redfish } = await begin('task_fails');
    expect((await show()).status).toBe(202);
    await advance(3);
    expect(await show()).toMatchObject({
      status: 500,
      body: { error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.16.InternalError' }] } },
    });
    expect((await redfish('GET', '/TaskService/Tasks/1')).body).toMatchObject({ TaskState: 'Exception' });
    expect(machine.phase).toBe('off');
  });

  it('is at it for ever where the fault says so', async () => {
    const { show, advance, machine, redfish } = await begin('task_stuck');
    await advance(3600);
    expect((await show()).status).toBe(202);
    expect((await redfish('GET', '/TaskService/Tasks/1')).body).toMatchObject({ TaskState: 'Running' });
    expect(machine.phase).toBe('off');
  });
});
