import { expect, it } from 'vitest';

import { enrolWithParts, system } from './parts.ts';

const chassis = '/redfish/v1/Chassis/1';
const drive = `${system}/Storage/A/Drives/0`;

it('lists the lamps there are, with what each can do', async () => {
  const { ask } = await enrolWithParts();
  const all = { readonly: false, states: ['on', 'off', 'blinking'] };
  expect(await ask('indicator.list', {})).toMatchObject({
    observed: {
      indicators: [
        { component: 'system', name: '1', state: 'off', ...all },
        { component: 'chassis', name: '1', state: 'on', readonly: false, states: ['on', 'blinking'] },
        { component: 'disk', name: '0', state: 'off', readonly: false, states: ['on', 'off'] },
      ],
    },
  });
});

it('tells drives of the same number apart by their controller', async () => {
  const { ask, resources } = await enrolWithParts();
  resources[`${system}/Storage/B/Drives/0`]!['IndicatorLED'] = 'Broken';
  expect(await ask('indicator.list', {})).toMatchObject({
    observed: {
      indicators: expect.arrayContaining([
        expect.objectContaining({ name: 'A-Drives-0', state: 'off' }),
        expect.objectContaining({ name: 'B-Drives-0', state: 'unknown' }),
      ]),
    },
  });
});

it('has no lamps to list on a BMC without any', async () => {
  const { ask, resources } = await enrolWithParts();
  for (const path of [system, chassis]) delete resources[path]!['IndicatorLED'];
  delete resources[drive];
  expect(await ask('indicator.list', {})).toMatchObject({ observed: { indicators: [] } });
});

it.each([
  ['system', '1', 'blinking', system, { IndicatorLED: 'Blinking' }],
  ['chassis', '1', 'blinking', chassis, { IndicatorLED: 'Blinking' }],
  ['disk', '0', 'on', drive, { LocationIndicatorActive: true }],
] as const)('switches that of %s %s to %s', async (component, name, state, path, body) => {
  const { ask, patches } = await enrolWithParts();
  const wanted = { component, name, state };
  expect(await ask('indicator.ensure', wanted)).toMatchObject({ status: 'done', observed: { changed: true } });
  expect(await ask('indicator.ensure', wanted, { op_id: 'other' })).toMatchObject({ observed: { changed: false } });
  expect(patches()).toEqual([{ path, body }]);
});

it('refuses a lamp that is not there and a state that it cannot take', async () => {
  const { ask, patches } = await enrolWithParts();
  const lamp = { component: 'chassis', name: '1', state: 'off' } as const;
  await expect(ask('indicator.ensure', { ...lamp, name: '7' })).rejects.toThrow('no indicator 7 of component chassis');
  await expect(ask('indicator.ensure', { ...lamp, component: 'nic' })).rejects.toMatchObject({ name: 'BmcNotFound' });
  await expect(ask('indicator.ensure', lamp)).rejects.toThrow('takes on, blinking');
  expect(patches()).toEqual([]);
});

it('waits for a lamp that shows late', async () => {
  const { ask, bmc, patches } = await enrolWithParts();
  bmc.answer(`PATCH ${system}`, { status: 204 });
  const wanted = { component: 'system', name: '1', state: 'on' } as const;
  expect(await ask('indicator.ensure', wanted, { deadline_ms: 9000 })).toMatchObject({ status: 'pending' });
  bmc.resources[system]!['IndicatorLED'] = 'Lit';
  expect(await ask('indicator.ensure', wanted)).toMatchObject({ status: 'done', observed: { changed: true } });
  expect(patches()).toHaveLength(1);
});
