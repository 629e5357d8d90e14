import { describe, expect, it } from 'vitest';

import { enrolWithParts, system } from './parts.ts';

const secureBoot = `${system}/SecureBoot`;

describe('the boot mode', () => {
  it('is set alone, and only if it differs', async () => {
    const { ask, patches } = await enrolWithParts();
    expect(await ask('mode.ensure', { mode: 'uefi' })).toMatchObject({ observed: { changed: false } });
    expect(await ask('mode.ensure', { mode: 'bios' }, { op_id: 'other' })).toMatchObject({
      status: 'done',
      observed: { changed: true, reboot_needed: false },
    });
    expect(patches()).toEqual([{ path: system, body: { Boot: { BootSourceOverrideMode: 'Legacy' } } }]);
  });

  it('that waits in a settings object needs a start', async () => {
    const { ask, resources } = await enrolWithParts();
    resources[system]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': `${system}/SD` } };
    resources[`${system}/SD`] = { Boot: { BootSourceOverrideMode: 'UEFI' } };
    expect(await ask('mode.ensure', { mode: 'bios' })).toMatchObject({
      observed: { changed: true, reboot_needed: true },
    });
  });

  it('that is taken and not shown needs a start (Dell iDRAC 9)', async () => {
    const { ask, bmc, patches } = await enrolWithParts();
    bmc.answer(`PATCH ${system}`, { status: 202, headers: { Location: '/redfish/v1/TaskService/Tasks/JID_1' } });
    expect(await ask('mode.ensure', { mode: 'bios' })).toMatchObject({
      observed: { changed: true, reboot_needed: true },
    });
    expect(patches()).toHaveLength(1);
  });

  it('that is not listed is unsupported', async () => {
    const { ask, resources } = await enrolWithParts();
    const boot = resources[system]!['Boot'] as Record<string, unknown>;
    boot['BootSourceOverrideMode@Redfish.AllowableValues'] = ['UEFI'];
    await expect(ask('mode.ensure', { mode: 'bios' })).rejects.toMatchObject({ name: 'BmcUnsupported' });
  });

  it('of HPE is a setting of the BIOS, and says so', async () => {
    const { ask, resources, ledger } = await enrolWithParts();
    resources['/redfish/v1/']!['Vendor'] = 'HPE';
    await expect(ask('mode.ensure', { mode: 'bios' })).rejects.toThrow('BIOS setting BootMode');
    expect(await ledger()).toEqual([]);
  });

  it('goes with the other two fields to boards that lose what is left out', async () => {
    const { ask, resources, patches } = await enrolWithParts();
    resources['/redfish/v1/']!['Vendor'] = 'Supermicro';
    expect(await ask('mode.ensure', { mode: 'bios' })).toMatchObject({ quirks: ['supermicro'] });
    expect(patches()[0]!.body).toEqual({
      Boot: {
        BootSourceOverrideTarget: 'None',
        BootSourceOverrideEnabled: 'Disabled',
        BootSourceOverrideMode: 'Legacy',
      },
    });
  });
});

describe('secure boot', () => {
  it('is read; null where there is none', async () => {
    const { ask, resources } = await enrolWithParts();
    expect(await ask('secure_boot.get', {})).toMatchObject({ observed: { enabled: false } });
    delete resources[secureBoot];
    expect(await ask('secure_boot.get', {})).toMatchObject({ observed: { enabled: null } });
    delete resources[system]!['SecureBoot'];
    expect(await ask('secure_boot.get', {})).toMatchObject({ observed: { enabled: null } });
  });

  it('is set, with the ETag, and needs a start', async () => {
    const { ask, bmc, patches } = await enrolWithParts();
    expect(await ask('secure_boot.ensure', { enabled: true })).toMatchObject({
      observed: { changed: true, reboot_needed: true },
    });
    expect(patches()).toEqual([{ path: secureBoot, body: { SecureBootEnable: true } }]);
    expect(bmc.requests.find(({ method }) => method === 'PATCH')!.headers['if-match']).toBe('"sb1"');
    expect(await ask('secure_boot.ensure', { enabled: false }, { op_id: 'back' })).toMatchObject({
      observed: { changed: true, reboot_needed: false },
    });
  });

  it('goes to its settings object where there is one', async () => {
    const { ask, resources, patches } = await enrolWithParts();
    resources[secureBoot]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': `${secureBoot}/Settings` } };
    resources[`${secureBoot}/Settings`] = { SecureBootEnable: false };
    expect(await ask('secure_boot.ensure', { enabled: true })).toMatchObject({ observed: { reboot_needed: true } });
    expect(patches()).toMatchObject([{ path: `${secureBoot}/Settings` }]);
  });

  it('needs UEFI', async () => {
    const { ask, resources, ledger } = await enrolWithParts();
    Object.assign(resources[system]!['Boot'] as object, { BootSourceOverrideMode: 'Legacy' });
    await expect(ask('secure_boot.ensure', { enabled: true })).rejects.toThrow('needs boot mode uefi');
    expect(await ledger()).toEqual([]);
  });

  it('of a BMC without it is unsupported', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[system]!['SecureBoot'];
    await expect(ask('secure_boot.ensure', { enabled: false })).rejects.toMatchObject({ name: 'BmcUnsupported' });
  });
});

describe('a setting of an older generation', () => {
  it.each([
    ['mode.ensure', { mode: 'bios' }],
    ['secure_boot.ensure', { enabled: true }],
    ['bios.reset', {}],
    ['nmi.inject', {}],
    ['indicator.ensure', { component: 'system', name: '1', state: 'on' }],
  ] as const)('by %s comes too late', async (op, params) => {
    const { ask, bmc } = await enrolWithParts();
    await expect(ask(op, params as never, { generation: 2 })).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(bmc.requests).toEqual([]);
  });
});
