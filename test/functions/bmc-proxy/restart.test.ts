import { expect, it } from 'vitest';

import type { Scripted } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const path = '/redfish/v1/Systems/1';
const target = `POST ${path}/Actions/ComputerSystem.Reset`;

const taken = { status: 204 } as const;
const some = ['On', 'ForceOff', 'ForceRestart', 'GracefulRestart', 'PowerCycle'];

type Given = { state?: string; types?: string[]; answers?: Scripted[] };

const machine = async ({ state = 'On', types = some, answers = [taken, taken] }: Given = {}) => {
  const enrolled = await enrol();
  const system = enrolled.bmc.resources[path]!;
  system['PowerState'] = state;
  const reset = (system['Actions'] as Record<string, Record<string, string[]>>)['#ComputerSystem.Reset']!;
  reset['ResetType@Redfish.AllowableValues'] = types;
  enrolled.bmc.answer(target, ...answers);
  const sent = () =>
    enrolled.bmc.requests.filter((request) => request.path.endsWith('.Reset')).map(({ body }) => body['ResetType']);
  return { ...enrolled, system, sent };
};

it.each([
  ['hard', 'ForceRestart'],
  ['soft', 'GracefulRestart'],
] as const)('%s is %s, once however often the same effect is asked for', async (how, type) => {
  const { ask, sent, ledger } = await machine();
  for (const _ of [1, 2, 3]) {
    expect(await ask('power.restart', { how })).toMatchObject({ status: 'done', observed: { changed: true } });
  }
  expect(sent()).toEqual([type]);
  expect(await ledger()).toEqual([`sent ${type}`, 'done']);
  await ask('power.restart', { how }, { op_id: 'another wish' });
  expect(sent()).toEqual([type, type]);
});

it.each([
  ['hard', 'ForceRestart'],
  ['soft', 'GracefulRestart'],
] as const)('%s is not done by a reset that passes through off, nor by the other way', async (how, type) => {
  const others = [
    'On',
    'ForceOff',
    'PowerCycle',
    'FullPowerCycle',
    'PushPowerButton',
    'ForceRestart',
    'GracefulRestart',
  ];
  const { ask, sent } = await machine({ types: others.filter((other) => other !== type) });
  await expect(ask('power.restart', { how })).rejects.toMatchObject({
    name: 'BmcUnsupported',
    message: `The BMC offers no reset of type ${type}.`,
  });
  expect(sent()).toEqual([]);
});

it('leaves a machine that is off, and one that is on its way', async () => {
  const { ask, sent, system } = await machine({ state: 'Off' });
  expect(await ask('power.restart', { how: 'hard' })).toMatchObject({ status: 'done', observed: { changed: false } });
  system['PowerState'] = 'PoweringOn';
  expect(await ask('power.restart', { how: 'hard' })).toMatchObject({ status: 'pending' });
  expect(sent()).toEqual([]);
  system['PowerState'] = 'On';
  expect(await ask('power.restart', { how: 'hard' })).toMatchObject({ status: 'done', observed: { changed: true } });
  expect(sent()).toEqual(['ForceRestart']);
});

it.each<[string, Scripted]>([
  ['gets no answer', 'reset'],
  ['gets half an answer', 'cut'],
  ['is answered with a failure', { status: 500 }],
])('is not sent again when it %s: a person has to look', async (_, answer) => {
  const { ask, sent } = await machine({ answers: [answer] });
  await expect(ask('power.restart', { how: 'hard' })).rejects.toMatchObject({ name: 'BmcStateMismatch' });
  await expect(ask('power.restart', { how: 'hard' })).rejects.toThrow(
    'The BMC was told to restart the machine and its answer is not known. Look at the machine before you ask again.',
  );
  expect(sent()).toEqual(['ForceRestart']);
});

it('may be sent again when the BMC surely refused it', async () => {
  const { ask, sent, ledger } = await machine({ answers: [{ status: 503 }, taken] });
  await expect(ask('power.restart', { how: 'hard' })).rejects.toMatchObject({ name: 'BmcBusy' });
  expect(await ask('power.restart', { how: 'hard' })).toMatchObject({ status: 'done' });
  expect(sent()).toEqual(['ForceRestart', 'ForceRestart']);
  expect(await ledger()).toEqual(['sent ForceRestart', 'refused BmcBusy', 'sent ForceRestart', 'done']);
});

const monitor = '/redfish/v1/TaskService/TaskMonitors/1';
const asTask: Scripted = { status: 202, headers: { Location: monitor } };

it('that fails as a task is a failure with the words of the task, and was sent once', async () => {
  const { ask, bmc, sent, ledger } = await machine({ answers: [asTask] });
  bmc.answer(
    `GET ${monitor}`,
    { status: 202 },
    { status: 500, body: { error: { message: 'No answer of the board.' } } },
  );
  await expect(ask('power.restart', { how: 'hard' })).rejects.toMatchObject({
    name: 'BmcTaskFailed',
    message: expect.stringContaining('ended with status 500: No answer of the board.') as string,
  });
  expect(sent()).toEqual(['ForceRestart']);
  expect(await ledger()).toEqual(['sent ForceRestart', 'accepted', 'refused BmcTaskFailed']);
});

it.each([{ status: 500 }, { status: 503 }, 'reset'] as const)(
  'whose task cannot be read (%j) was taken, and is not sent again',
  async (answer) => {
    const { ask, bmc, sent } = await machine({ answers: [asTask] });
    bmc.handlers.push(({ path: asked }) => (asked === monitor ? answer : undefined));
    for (const _ of [1, 2]) expect(await ask('power.restart', { how: 'hard' })).toMatchObject({ status: 'done' });
    expect(sent()).toEqual(['ForceRestart']);
  },
);
