import { describe, expect, it } from 'vitest';

import { fixture, type FakeBmc } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const path = '/redfish/v1/Systems/1';
const patch = `PATCH ${path}`;

const patches = (bmc: FakeBmc) =>
  bmc.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body['Boot']);
const boot = (bmc: FakeBmc) => bmc.resources[path]!['Boot'] as Record<string, unknown>;
const vendor = (bmc: FakeBmc, name: string) => {
  bmc.resources['/redfish/v1/']!['Vendor'] = name;
};
const cdOnce = { device: 'cdrom', persistence: 'once' } as const;

describe('a boot override', () => {
  it('is set by what differs only, with the ETag', async () => {
    const { ask, bmc } = await enrol();
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done', observed: { changed: true } });
    await ask('boot.ensure', { device: 'disk', persistence: 'once', mode: 'uefi' }, { op_id: 'other' });
    expect(patches(bmc)).toEqual([
      { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' },
      { BootSourceOverrideTarget: 'Hdd' },
    ]);
    expect(bmc.requests.find(({ method }) => method === 'PATCH')!.headers['if-match']).toBe('W/"1"');
  });

  it('that is so already is left alone', async () => {
    const { ask, bmc } = await enrol();
    Object.assign(boot(bmc), { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' });
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ observed: { changed: false } });
    expect(patches(bmc)).toEqual([]);
  });

  it.each([
    ['pxe', 'Pxe'],
    ['disk', 'Hdd'],
    ['cdrom', 'Cd'],
    ['uefihttp', 'UefiHttp'],
    ['bios', 'BiosSetup'],
  ] as const)('of %s is %s', async (device, target) => {
    const { ask, bmc } = await enrol();
    await ask('boot.ensure', { device, persistence: 'continuous', mode: 'bios' });
    expect(boot(bmc)).toMatchObject({
      BootSourceOverrideTarget: target,
      BootSourceOverrideEnabled: 'Continuous',
      BootSourceOverrideMode: 'Legacy',
    });
  });

  it('goes to the settings object where that has boot settings (Nokia, Lenovo SE450, iDRAC 10, AMI)', async () => {
    const { ask, bmc } = await enrol();
    const settings = `${path}/SD`;
    bmc.resources[path]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': settings } };
    bmc.resources[settings] = {
      '@odata.etag': '"sd"',
      Boot: {
        BootSourceOverrideTarget: null,
        'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Cd', 'Hdd'],
      },
    };
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done' });
    const [sent] = bmc.requests.filter(({ method }) => method === 'PATCH');
    expect([sent!.path, sent!.headers['if-match']]).toEqual([settings, '"sd"']);
  });

  it('ignores a settings object that is announced and missing, or has nothing about booting', async () => {
    for (const settings of [undefined, { Attributes: {} }]) {
      const { ask, bmc } = await enrol();
      bmc.resources[path]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': `${path}/SD` } };
      if (settings) bmc.resources[`${path}/SD`] = settings;
      await ask('boot.ensure', cdOnce);
      expect(bmc.story().at(-2)).toContain(path);
      expect(boot(bmc)).toMatchObject({ BootSourceOverrideTarget: 'Cd' });
    }
  });

  it('for good is set for one boot where the BMC knows no other', async () => {
    const { ask, bmc, ledger } = await enrol();
    bmc.answer(patch, { status: 400 }, { status: 400 });
    expect(await ask('boot.ensure', { device: 'disk', persistence: 'continuous' })).toMatchObject({ status: 'done' });
    expect(boot(bmc)).toMatchObject({ BootSourceOverrideEnabled: 'Once' });
    expect(await ledger()).toEqual([
      'sent Hdd Continuous',
      'refused BmcRejected',
      'sent Hdd Continuous UEFI (all three fields)',
      'refused BmcRejected',
      'sent Hdd Once',
      'done',
    ]);
    expect(await ask('boot.ensure', { device: 'disk', persistence: 'continuous' })).toMatchObject({ status: 'done' });
    expect(patches(bmc).length).toBe(3);
  });

  it('goes without a mode that the BMC neither shows nor takes (HPE iLO 5)', async () => {
    const { ask, bmc } = await enrol();
    delete boot(bmc)['BootSourceOverrideMode'];
    bmc.answer(patch, { status: 400 });
    expect(await ask('boot.ensure', { ...cdOnce, mode: 'uefi' })).toMatchObject({ status: 'done' });
    expect(patches(bmc).map((sent) => Object.keys(sent as object).length)).toEqual([3, 2]);
  });

  it('that is rejected is a fault, and during POST one to retry', async () => {
    const { ask, bmc } = await enrol();
    bmc.answer(patch, { status: 400 }, { status: 400 });
    await expect(ask('boot.ensure', cdOnce)).rejects.toMatchObject({ name: 'BmcRejected' });
    const body = { error: { '@Message.ExtendedInfo': [{ MessageId: 'iLO.2.14.UnableToModifyDuringSystemPOST' }] } };
    bmc.answer(patch, { status: 400, body });
    await expect(ask('boot.ensure', cdOnce)).rejects.toMatchObject({ name: 'BmcBusy' });
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done' });
  });

  it('is sent whole to a BMC that wants all of it, whoever made it', async () => {
    const { ask, bmc } = await enrol();
    const names = ['BootSourceOverrideTarget', 'BootSourceOverrideEnabled', 'BootSourceOverrideMode'];
    bmc.handlers.push(({ method, body }) =>
      method === 'PATCH' && names.some((name) => !(name in (body['Boot'] as object)))
        ? { status: 400, body: fixture('error-boot-properties') }
        : undefined,
    );
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done' });
    expect(patches(bmc)[1]).toEqual({
      BootSourceOverrideTarget: 'Cd',
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideMode: 'UEFI',
    });
    expect(patches(bmc)).toHaveLength(2);
    const disk = { device: 'disk', persistence: 'continuous', mode: 'uefi' } as const;
    expect(await ask('boot.ensure', disk, { op_id: 'disk' })).toMatchObject({ status: 'done' });
    expect(boot(bmc)).toMatchObject({ BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' });
    expect(await ask('mode.ensure', { mode: 'bios' })).toMatchObject({ status: 'done' });
  });

  it('is waited for, and is not sent twice within the time it may take', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(patch, { status: 204 });
    expect(await ask('boot.ensure', cdOnce, { deadline_ms: 9000 })).toMatchObject({ status: 'pending' });
    expect(patches(bmc).length).toBe(1);
    await clock.sleep(10_000);
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done' });
    expect(patches(bmc).length).toBe(2);
  });

  it('that the BMC does not list is unsupported', async () => {
    const { ask, bmc } = await enrol();
    boot(bmc)['BootSourceOverrideTarget@Redfish.AllowableValues'] = ['None', 'Hdd'];
    await expect(ask('boot.ensure', cdOnce)).rejects.toThrow('cannot boot from cdrom, only from None, Hdd');
    boot(bmc)['BootSourceOverrideMode@Redfish.AllowableValues'] = ['UEFI'];
    const bios = { device: 'disk', persistence: 'once', mode: 'bios' } as const;
    await expect(ask('boot.ensure', bios)).rejects.toThrow('cannot boot in mode Legacy');
    delete bmc.resources[path]!['Boot'];
    await expect(ask('boot.ensure', cdOnce)).rejects.toThrow('offers no boot override');
  });
});

/** sushy-tools and kubevirtbmc: Enabled is not looked at, and nothing is taken without a target. */
const keepContinuous = (bmc: FakeBmc) => {
  Object.assign(boot(bmc), { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' });
  bmc.handlers.push(({ method, body }) => {
    if (method !== 'PATCH') return undefined;
    const { BootSourceOverrideTarget: target } = body['Boot'] as { BootSourceOverrideTarget?: string };
    // As recorded from sushy-tools 1.3, which says it in plain text with the type of a page.
    const words = 'Missing the BootSourceOverrideTarget and/or BootSourceOverrideMode element';
    if (!target) return { status: 400, text: words, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
    if (target === 'None') return { status: 400, text: 'Unknown boot source' };
    boot(bmc)['BootSourceOverrideTarget'] = target;
    return { status: 204 };
  });
};

describe('a BMC that keeps Once as Continuous', () => {
  it('has taken it when it shows the target, which is noted', async () => {
    const { ask, bmc } = await enrol();
    keepContinuous(bmc);
    const reply = { status: 'done', quirks: ['boot-once-kept-as-continuous'] };
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ ...reply, observed: { changed: true } });
    expect(await ask('boot.ensure', cdOnce)).toMatchObject(reply);
    expect(patches(bmc)).toEqual([{ BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' }]);
  });

  it('is told the target also where that is so already', async () => {
    const { ask, bmc } = await enrol();
    keepContinuous(bmc);
    boot(bmc)['BootSourceOverrideTarget'] = 'Cd';
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done' });
    expect(patches(bmc)).toEqual([{ BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' }]);
  });

  it('boots from its disk when nothing shall be left, as it knows no other way', async () => {
    const { ask, bmc } = await enrol();
    keepContinuous(bmc);
    await ask('boot.ensure', cdOnce);
    expect(await ask('boot.clear', {})).toMatchObject({ status: 'done', observed: { changed: true } });
    expect(boot(bmc)).toMatchObject({ BootSourceOverrideTarget: 'Hdd' });
  });
});

describe('that no override to the virtual drive is left', () => {
  it('takes a word where there is one', async () => {
    const { ask, bmc } = await enrol();
    await ask('boot.ensure', cdOnce);
    expect(await ask('boot.clear', {})).toMatchObject({ status: 'done', observed: { changed: true } });
    expect(patches(bmc).at(-1)).toEqual({ BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' });
  });

  it.each([
    ['none', { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' }],
    ['one that is used up', { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Disabled' }],
    ['one to somewhere else', { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Continuous' }],
  ])('takes none where there is %s', async (_what, override) => {
    const { ask, bmc } = await enrol();
    Object.assign(boot(bmc), override);
    expect(await ask('boot.clear', {})).toMatchObject({ status: 'done', observed: { changed: false } });
    expect(patches(bmc)).toEqual([]);
  });

  it('is so where the BMC knows no overrides', async () => {
    const { ask, bmc } = await enrol();
    delete bmc.resources[path]!['Boot'];
    expect(await ask('boot.clear', {})).toMatchObject({ status: 'done', observed: { changed: false } });
  });
});

it('lists what there is to boot from once, if two places list it', async () => {
  const { ask, bmc } = await enrol();
  const listed = { 'BootSourceOverrideTarget@Redfish.AllowableValues': ['Pxe', 'Hdd'] };
  bmc.resources[path]!['@Redfish.Settings'] = { SettingsObject: { '@odata.id': `${path}/SD` } };
  Object.assign(boot(bmc), listed);
  bmc.resources[`${path}/SD`] = { Boot: listed };
  await expect(ask('boot.ensure', cdOnce)).rejects.toThrow('only from Pxe, Hdd.');
});

describe('quirks', () => {
  it('Supermicro gets all three fields, UsbCd where listed, and without the mode if it rejects that', async () => {
    const { ask, bmc } = await enrol();
    vendor(bmc, 'Supermicro');
    boot(bmc)['BootSourceOverrideTarget@Redfish.AllowableValues'] = ['None', 'Hdd', 'Cd', 'UsbCd'];
    bmc.answer(patch, { status: 400 });
    expect(await ask('boot.ensure', cdOnce)).toMatchObject({ status: 'done', quirks: ['supermicro'] });
    const pair = { BootSourceOverrideTarget: 'UsbCd', BootSourceOverrideEnabled: 'Once' };
    expect(patches(bmc)).toEqual([{ ...pair, BootSourceOverrideMode: 'UEFI' }, pair]);
  });

  it('HPE gets target and Enabled together, even if one is so already', async () => {
    const { ask, bmc } = await enrol();
    vendor(bmc, 'HPE');
    Object.assign(boot(bmc), { BootSourceOverrideEnabled: 'Once' });
    await ask('boot.ensure', cdOnce);
    expect(patches(bmc)).toEqual([{ BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' }]);
  });

  it('an old iDRAC, which would boot its physical drive, is refused with the remedy', async () => {
    const { ask, bmc } = await enrol();
    vendor(bmc, 'Dell');
    Object.assign(bmc.resources['/redfish/v1/Managers/1']!, { Model: '14G Monolithic', FirmwareVersion: '5.10.50.00' });
    await expect(ask('boot.ensure', cdOnce)).rejects.toThrow('Update iDRAC to firmware 6.00 or later');
    expect(await ask('boot.ensure', { device: 'disk', persistence: 'once' })).toMatchObject({
      status: 'done',
      quirks: ['dell-cd-boots-drive'],
    });
  });
});
