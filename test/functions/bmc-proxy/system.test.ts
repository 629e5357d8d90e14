import { expect, it } from 'vitest';

import { enrol } from './fixture.ts';

it('probes a BMC: who it is, its systems, its certificate', async () => {
  const { ask, bmc } = await enrol();
  expect(await ask('bmc.probe', {})).toEqual({
    status: 'done',
    quirks: [],
    observed: {
      vendor: 'Ingot',
      product: 'Test BMC',
      redfish_version: '1.17.0',
      systems: ['/redfish/v1/Systems/1'],
      fingerprint256: bmc.fingerprint256,
    },
  });
});

it('proves the credentials when it probes, though the service root is for everybody', async () => {
  const { ask, bmc } = await enrol();
  bmc.password = 'changed';
  await expect(ask('bmc.probe', {})).rejects.toMatchObject({ name: 'BmcAuthFailed' });
});

it('reads the system', async () => {
  const { ask } = await enrol();
  expect(await ask('system.get', {})).toMatchObject({
    observed: {
      power: 'power off',
      boot: { target: 'None', enabled: 'Disabled', mode: 'uefi' },
      health: 'OK',
      vendor: 'Ingot',
      model: 'T-1000',
      serial: 'SN-0001',
    },
  });
});

it.each([
  ['On', 'power on'],
  ['PoweringOn', 'power on'],
  ['Off', 'power off'],
  ['PoweringOff', 'power off'],
  ['Paused', null],
  [undefined, null],
])('takes power state %s for %s', async (PowerState, power) => {
  const { ask, bmc } = await enrol();
  bmc.resources['/redfish/v1/Systems/1']!['PowerState'] = PowerState;
  expect(await ask('system.get', {})).toMatchObject({ observed: { power } });
});

it('makes do with a system that says nothing', async () => {
  const { ask, bmc } = await enrol();
  bmc.resources['/redfish/v1/Systems/1'] = { '@odata.id': '/redfish/v1/Systems/1' };
  expect(await ask('system.get', {})).toMatchObject({
    observed: { power: null, boot: { target: null, enabled: null, mode: null }, health: null, serial: null },
  });
});

it('wants to be told which system is meant when there are several', async () => {
  const { ask, bmc } = await enrol();
  bmc.resources['/redfish/v1/Systems'] = {
    Members: [{ '@odata.id': '/redfish/v1/Systems/1' }, { '@odata.id': '/redfish/v1/Systems/2' }],
  };
  await expect(ask('system.get', {})).rejects.toThrow('redfish_system_id to one of /redfish/v1/Systems/1, /redfish');
});

it('finds a BMC below a path, with a system id with or without that path', async () => {
  for (const redfish_system_id of ['/redfish/v1/Systems/1', '/m0001/redfish/v1/Systems/1', null]) {
    const { ask } = await enrol({ prefix: '/m0001', driver_info: { redfish_system_id } });
    expect(await ask('system.get', {})).toMatchObject({ status: 'done', observed: { serial: 'SN-0001' } });
  }
});
