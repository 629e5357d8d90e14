import { describe, expect, it } from 'vitest';

import { createLab } from '../lab.ts';

const bios = '/Systems/1/Bios';
const onReset = { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } };

describe('the BIOS', () => {
  it('takes settings for the next start', async () => {
    const { redfish, reset, advance } = createLab();
    const wanted = { BootTimeout: 30, ProcTurboMode: 'Disabled' };
    expect((await redfish('PATCH', `${bios}/Settings`, { Attributes: wanted, ...onReset })).status).toBe(204);
    expect((await redfish('GET', `${bios}/Settings`)).body.Attributes).toMatchObject(wanted);
    expect((await redfish('GET', bios)).body.Attributes).toMatchObject({ BootTimeout: 5, ProcTurboMode: 'Enabled' });
    await reset('On');
    await advance(120);
    expect((await redfish('GET', bios)).body.Attributes).toMatchObject(wanted);
  });

  it('comes back from the factory with the next start', async () => {
    const { redfish, reset, advance } = createLab();
    await redfish('PATCH', `${bios}/Settings`, { Attributes: { BootTimeout: 30 } });
    await reset('On');
    await advance(120);
    expect((await redfish('POST', `${bios}/Actions/Bios.ResetBios`)).status).toBe(204);
    expect((await redfish('GET', bios)).body.Attributes.BootTimeout).toBe(30);
    await reset('ForceRestart');
    await advance(120);
    expect((await redfish('GET', bios)).body.Attributes.BootTimeout).toBe(5);
  });

  it.each([
    ['a setting it does not have', { Colour: 'red' }],
    ['a value that is not allowed', { ProcTurboMode: 'Perhaps' }],
    ['a number past its limits', { BootTimeout: 61 }],
    ['a number where a text belongs', { AssetTag: 7 }],
    ['a setting that only it sets', { ProcCores: 8 }],
  ])('refuses %s, and then changes nothing', async (_, Attributes) => {
    const { redfish, machine } = createLab();
    expect((await redfish('PATCH', `${bios}/Settings`, { Attributes: { BootTimeout: 9, ...Attributes } })).status).toBe(
      400,
    );
    expect(machine.settings).toBeUndefined();
  });

  it('never shows its password', async () => {
    const { redfish, reset, advance } = createLab();
    await redfish('PATCH', `${bios}/Settings`, { Attributes: { AdminPassword: 'MARKER' } });
    expect(JSON.stringify((await redfish('GET', `${bios}/Settings`)).body)).not.toContain('MARKER');
    await reset('On');
    await advance(120);
    expect(JSON.stringify((await redfish('GET', bios)).body)).not.toContain('MARKER');
  });

  it('is described by its registry', async () => {
    const { redfish } = createLab();
    const { AttributeRegistry: id, Attributes } = (await redfish('GET', bios)).body;
    const { Uri } = (await redfish('GET', `/Registries/${id}`)).body.Location[0];
    const { body } = await redfish('GET', (Uri as string).replace('/m0001/redfish/v1', ''));
    const names = body.RegistryEntries.Attributes.map(({ AttributeName }: { AttributeName: string }) => AttributeName);
    expect(names).toEqual(Object.keys(Attributes));
  });

  it('of Dell makes a job of a change that ends with the next start', async () => {
    const { redfish, advance, machine } = createLab(undefined, 'dell');
    const path = '/Systems/System.Embedded.1';
    const { status, headers } = await redfish('PATCH', `${path}/Bios/Settings`, { Attributes: { BootTimeout: 9 } });
    expect(status).toBe(202);
    expect((await redfish('GET', `${path}/Bios/Settings`)).body.Attributes).toEqual({ BootTimeout: 9 });
    const monitor = headers['location']!.replace('/m0001/redfish/v1', '');
    expect((await redfish('GET', monitor)).status).toBe(202);
    await redfish('POST', `${path}/Actions/ComputerSystem.Reset`, { ResetType: 'On' });
    await advance(120);
    expect((await redfish('GET', monitor)).status).not.toBe(202);
    expect(machine.settings!.pending).toEqual({});
  });
});

describe('secure boot', () => {
  const path = '/Systems/1/SecureBoot';

  it('is set at once and in force with the next start', async () => {
    const { redfish, reset, advance } = createLab();
    expect((await redfish('PATCH', path, { SecureBootEnable: true })).status).toBe(204);
    expect((await redfish('GET', path)).body).toMatchObject({
      SecureBootEnable: true,
      SecureBootCurrentBoot: 'Disabled',
    });
    await reset('On');
    await advance(120);
    expect((await redfish('GET', path)).body.SecureBootCurrentBoot).toBe('Enabled');
  });

  it('needs UEFI, and a BMC that has it', async () => {
    const { redfish, machine } = createLab();
    machine.boot.mode = 'Legacy';
    expect((await redfish('PATCH', path, { SecureBootEnable: true })).status).toBe(400);
    const supermicro = createLab(undefined, 'supermicro');
    expect((await supermicro.redfish('GET', path)).status).toBe(404);
    expect((await supermicro.redfish('GET', '/Systems/1')).body).not.toHaveProperty('SecureBoot');
  });
});

describe('lamps', () => {
  it.each(['/Systems/1', '/Chassis/1', '/Systems/1/Storage/1/Drives/1'])('of %s blink when told to', async (path) => {
    const { redfish } = createLab();
    expect((await redfish('GET', path)).body.IndicatorLED).toBe('Off');
    expect((await redfish('PATCH', path, { IndicatorLED: 'Blinking' })).status).toBe(204);
    expect((await redfish('GET', path)).body.IndicatorLED).toBe('Blinking');
    expect((await redfish('PATCH', path, { IndicatorLED: 'Purple' })).status).toBe(400);
    expect((await redfish('PATCH', path, { LocationIndicatorActive: true })).status).toBe(400);
  });
});

it('hides the network interfaces of a machine that was never started where HPE does', async () => {
  const { redfish, reset, advance } = createLab(undefined, 'hpe');
  const interfaces = async () => (await redfish('GET', '/Systems/1/EthernetInterfaces')).body['Members@odata.count'];
  expect(await interfaces()).toBe(0);
  await reset('On');
  await advance(5);
  expect(await interfaces()).toBe(1);
});
