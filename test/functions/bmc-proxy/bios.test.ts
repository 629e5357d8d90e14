import { describe, expect, it } from 'vitest';

import { enrolWithParts, system } from './parts.ts';

const bios = `${system}/Bios`;
const settings = `${bios}/Settings`;
const registry = '/redfish/v1/Registries/BiosAttributeRegistry.v1_0_3/en.json';

const turbo = (value: unknown) => ({ settings: [{ name: 'ProcTurboMode', value }] });

describe('reading', () => {
  it('tells values and what the registry says of them, in its English', async () => {
    const { ask } = await enrolWithParts();
    const reply = await ask('bios.get', {});
    expect(reply).toMatchObject({
      observed: {
        settings: [
          {
            name: 'ProcTurboMode',
            value: 'Enabled',
            attribute_type: 'Enumeration',
            allowable_values: ['Enabled', 'Disabled'],
            read_only: false,
            reset_required: true,
            lower_bound: null,
          },
          { name: 'BootTimeout', value: 5, lower_bound: 0, upper_bound: 60, read_only: true },
          { name: 'QuietBoot', value: true, attribute_type: null },
          { name: 'FanOffset', value: -2, lower_bound: -10 },
          { name: 'SysPassword', attribute_type: 'Password', min_length: 0, max_length: 32, unique: true },
          { name: 'Undescribed', value: 'x', attribute_type: null, read_only: null },
        ],
      },
    });
  });

  it('never tells a password', async () => {
    const { ask } = await enrolWithParts();
    expect(JSON.stringify(await ask('bios.get', {}))).not.toContain('hidden-by-nobody');
  });

  it.each([
    ['is missing', { status: 404 }],
    ['is no JSON', { status: 200, text: '<html>' }],
    ['is damaged', { status: 200, headers: { 'Content-Encoding': 'gzip' }, text: 'x' }],
    ['is refused', { status: 403 }],
  ])('does without a registry that %s', async (_, answer) => {
    const { ask, bmc } = await enrolWithParts();
    bmc.answer(`GET ${registry}`, answer, answer, answer);
    expect(await ask('bios.get', {})).toMatchObject({
      observed: { settings: expect.arrayContaining([expect.objectContaining({ name: 'BootTimeout', value: 5 })]) },
    });
  });

  it('is unsupported where there is no BIOS resource, also where it is only announced', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[bios];
    await expect(ask('bios.get', {})).rejects.toMatchObject({ name: 'BmcUnsupported' });
    delete resources[system]!['Bios'];
    await expect(ask('bios.get', {})).rejects.toThrow('offers no BIOS settings');
  });
});

describe('changing', () => {
  it('writes pending settings that the next start brings', async () => {
    const { ask, patches, ledger } = await enrolWithParts();
    expect(await ask('bios.ensure', turbo('Disabled'))).toMatchObject({
      status: 'done',
      observed: { changed: true, reboot_needed: true },
    });
    expect(patches()).toEqual([
      {
        path: settings,
        body: {
          Attributes: { ProcTurboMode: 'Disabled' },
          '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' },
        },
      },
    ]);
    expect(await ledger()).toEqual(['sent bios ProcTurboMode', 'done']);
  });

  it('does nothing about what is so, or is pending already', async () => {
    const { ask, patches, resources } = await enrolWithParts();
    expect(await ask('bios.ensure', turbo('Enabled'))).toMatchObject({
      observed: { changed: false, reboot_needed: false },
    });
    resources[settings]!['Attributes'] = { ProcTurboMode: 'Disabled' };
    expect(await ask('bios.ensure', turbo('Disabled'), { op_id: 'other' })).toMatchObject({
      observed: { changed: false, reboot_needed: true },
    });
    expect(patches()).toEqual([]);
  });

  it('takes back what is pending against it', async () => {
    const { ask, patches, resources } = await enrolWithParts();
    resources[settings]!['Attributes'] = { ProcTurboMode: 'Disabled' };
    expect(await ask('bios.ensure', turbo('Enabled'))).toMatchObject({
      observed: { changed: true, reboot_needed: false },
    });
    expect(patches()).toMatchObject([{ body: { Attributes: { ProcTurboMode: 'Enabled' } } }]);
  });

  it('takes numbers and flags that were written as text for what they are', async () => {
    const { ask, patches } = await enrolWithParts();
    const wanted = [
      { name: 'BootTimeout', value: '30' },
      { name: 'QuietBoot', value: 'False' },
    ];
    await ask('bios.ensure', { settings: wanted });
    expect(patches()).toMatchObject([{ body: { Attributes: { BootTimeout: 30, QuietBoot: false } } }]);
  });

  it('leaves out an apply time that the BMC does not list', async () => {
    const { ask, patches, resources } = await enrolWithParts();
    resources[bios]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': settings } };
    await ask('bios.ensure', turbo('Disabled'));
    expect(patches()[0]!.body).toEqual({ Attributes: { ProcTurboMode: 'Disabled' } });
  });

  it('believes a BMC that takes a change and shows nothing of it, after a while and once', async () => {
    const { ask, bmc, patches } = await enrolWithParts();
    bmc.answer(`PATCH ${settings}`, { status: 200, body: {} });
    const reply = { status: 'done', observed: { changed: true, reboot_needed: true } };
    expect(await ask('bios.ensure', turbo('Disabled'))).toMatchObject(reply);
    expect(await ask('bios.ensure', turbo('Disabled'))).toMatchObject(reply);
    expect(patches()).toHaveLength(1);
  });

  it('sends again what may not have arrived', async () => {
    const { ask, bmc, patches, clock } = await enrolWithParts();
    bmc.answer(`PATCH ${settings}`, 'reset');
    expect(await ask('bios.ensure', turbo('Disabled'), { deadline_ms: 9000 })).toMatchObject({ status: 'pending' });
    await clock.sleep(10_000);
    expect(await ask('bios.ensure', turbo('Disabled'))).toMatchObject({ status: 'done' });
    expect(patches()).toHaveLength(2);
  });

  it('refuses a setting that the BIOS does not have, by name and before anything is sent', async () => {
    const { ask, patches, ledger } = await enrolWithParts();
    const wanted = { settings: [{ name: 'Colour', value: 'red' }] };
    await expect(ask('bios.ensure', wanted)).rejects.toThrow('The BIOS has no setting Colour');
    expect([patches(), await ledger()]).toEqual([[], []]);
  });

  it('is unsupported where nothing can be changed', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[bios]!['@Redfish.Settings'];
    await expect(ask('bios.ensure', turbo('Disabled'))).rejects.toMatchObject({ name: 'BmcUnsupported' });
  });

  it('keeps a password out of what it says when the BMC refuses it and repeats it', async () => {
    const { ask, bmc, log } = await enrolWithParts();
    const Message = "The value 'MARKER-bios' for SysPassword is too short.";
    const body = { error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.8.PropertyValueError', Message }] } };
    bmc.answer(`PATCH ${settings}`, { status: 400, body });
    const wanted = { settings: [{ name: 'SysPassword', value: 'MARKER-bios' }] };
    const error = (await ask('bios.ensure', wanted).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain('for SysPassword is too short');
    expect(JSON.stringify([error.message, log.lines])).not.toContain('MARKER-bios');
  });

  it('keeps values out of the ledger and the log', async () => {
    const { ask, table, log } = await enrolWithParts();
    await ask('bios.ensure', { settings: [{ name: 'SysPassword', value: 'MARKER-bios' }] });
    expect(JSON.stringify(await table.query({ partition: 'node#11111111-1111-4111-8111-111111111111' }))).not.toContain(
      'MARKER-bios',
    );
    expect(JSON.stringify(log.lines)).not.toContain('MARKER-bios');
  });
});

describe('resetting', () => {
  const target = `POST ${bios}/Actions/Bios.ResetBios`;

  it('is done when the BMC has taken it, and is sent once', async () => {
    const { ask, bmc } = await enrolWithParts();
    bmc.answer(target, { status: 204 });
    const reply = { status: 'done', observed: { changed: true, reboot_needed: true } };
    expect(await ask('bios.reset', {})).toMatchObject(reply);
    expect(await ask('bios.reset', {})).toMatchObject(reply);
    expect(bmc.story().filter((line) => line === target)).toHaveLength(1);
  });

  it('is sent with an empty object where that is wanted', async () => {
    const { ask, bmc } = await enrolWithParts();
    bmc.answer(target, { status: 400 }, { status: 204 });
    expect(await ask('bios.reset', {})).toMatchObject({ status: 'done' });
    expect(bmc.requests.filter(({ path }) => path.endsWith('ResetBios')).map(({ text }) => text)).toEqual(['', '{}']);
  });

  it('is unsupported where there is no such action', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[bios]!['Actions'];
    await expect(ask('bios.reset', {})).rejects.toMatchObject({ name: 'BmcUnsupported' });
  });
});
