import { expect, it } from 'vitest';

import type { Scripted } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const path = '/redfish/v1/Systems/1';
const target = `POST ${path}/Actions/ComputerSystem.Reset`;

const machine = async () => {
  const enrolled = await enrol();
  const reset = (enrolled.bmc.resources[path]!['Actions'] as Record<string, Record<string, string[]>>)[
    '#ComputerSystem.Reset'
  ]!;
  reset['ResetType@Redfish.AllowableValues']!.push('Nmi');
  const sent = () => enrolled.bmc.requests.filter(({ body }) => body['ResetType'] === 'Nmi').length;
  return { ...enrolled, reset, sent };
};

it('interrupts once, however often the same effect is asked for', async () => {
  const { ask, sent, ledger } = await machine();
  for (const _ of [1, 2, 3]) expect(await ask('nmi.inject', {})).toMatchObject({ observed: { changed: true } });
  expect(sent()).toBe(1);
  expect(await ledger()).toEqual(['sent Nmi', 'done']);
  await ask('nmi.inject', {}, { op_id: 'another wish' });
  expect(sent()).toBe(2);
});

it.each<[string, Scripted]>([
  ['gets no answer', 'reset'],
  ['gets half an answer', 'cut'],
  ['is answered with a failure', { status: 500 }],
])('is not sent again when it %s: a person has to look', async (_, answer) => {
  const { ask, bmc, sent } = await machine();
  bmc.answer(target, answer);
  await expect(ask('nmi.inject', {})).rejects.toMatchObject({ name: 'BmcStateMismatch' });
  await expect(ask('nmi.inject', {})).rejects.toThrow('Look at the machine before you ask again');
  expect(sent()).toBe(1);
});

it('is not sent again by a second invocation that comes while the first waits', async () => {
  const { ask, bmc, sent } = await machine();
  let overtaken: unknown;
  bmc.answer(target, (_seen) => {
    overtaken = ask('nmi.inject', {}).catch((error: unknown) => error);
    return undefined;
  });
  await ask('nmi.inject', {});
  expect((await overtaken) as Error).toMatchObject({ name: 'BmcStateMismatch' });
  expect(sent()).toBe(1);
});

it('may be asked for again when the BMC refused it', async () => {
  const { ask, bmc, sent, ledger } = await machine();
  bmc.answer(target, { status: 503 });
  await expect(ask('nmi.inject', {})).rejects.toMatchObject({ name: 'BmcBusy' });
  expect(await ask('nmi.inject', {})).toMatchObject({ status: 'done' });
  expect(sent()).toBe(2);
  expect(await ledger()).toEqual(['sent Nmi', 'refused BmcBusy', 'sent Nmi', 'done']);
});

it('is unsupported where the BMC does not list it, and nothing is recorded', async () => {
  const { ask, reset, sent, ledger } = await machine();
  reset['ResetType@Redfish.AllowableValues'] = ['On', 'ForceOff'];
  await expect(ask('nmi.inject', {})).rejects.toMatchObject({ name: 'BmcUnsupported' });
  expect([sent(), await ledger()]).toEqual([0, []]);
});
