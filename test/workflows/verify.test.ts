import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { listBios, listFirmware } from '../../layers/store/machine-settings.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage } from './stage.ts';

const enrolled = async (more: Partial<StoredNode> = {}) =>
  createStage({ node: aNode({ provision_state: 'enroll', ...more }) });

describe('verify', () => {
  it('reads what the BMC knows and ends manageable', async () => {
    const stage = await enrolled();
    const run = await stage.provision('verify', 'manage');
    await stage.settle();
    expect(await stage.entered('verify', run)).toEqual(['ProbeBmc', 'ReadState', 'ReadSettings', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'manageable',
      target_provision_state: null,
      power_state: 'power off',
      boot_mode: 'uefi',
      health: 'OK',
      properties: { vendor: 'Ingot' },
      last_error: null,
    });
  });

  it('keeps BIOS settings, firmware and secure boot', async () => {
    const stage = await enrolled();
    await stage.provision('verify', 'manage');
    await stage.settle();
    const { table } = stage.world;
    const seen = stage.machine;
    expect((await listBios(table, uuid)).map(({ name }) => name).sort()).toEqual(
      seen.bios!.map(({ name }) => name).sort(),
    );
    expect((await listFirmware(table, uuid)).map(({ component }) => component)).toContain('bmc');
    expect(await stage.read()).toMatchObject({ secure_boot: seen.secure_boot });
  });

  it('does not mind a BMC that cannot tell settings, and notes one that tells nonsense', async () => {
    const stage = await enrolled();
    stage.proxy.answer('bios.get', bmcFault('BmcUnsupported', 'No Bios.'));
    stage.proxy.answer('firmware.get', bmcFault('BmcProtocol', 'Not JSON.'));
    await stage.provision('verify', 'manage');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', last_error: null });
    const told = (await stage.history()).filter((line) => line.includes('could not be read'));
    expect(told).toEqual(['attempt: Firmware versions could not be read: Not JSON.']);
  });

  it('reads no settings by interfaces that cannot', async () => {
    const stage = await enrolled({ bios_interface: 'no-bios', firmware_interface: 'no-firmware' });
    await stage.provision('verify', 'manage');
    await stage.settle();
    expect(stage.proxy.requests.map(({ op }) => op)).toEqual([
      'bmc.probe',
      'system.get',
      'secure_boot.get',
      'vmedia.get',
    ]);
  });

  it('notes the certificate, so that it can be pinned', async () => {
    const stage = await enrolled();
    stage.proxy.answer('bmc.probe', {
      status: 'done',
      observed: { vendor: null, product: null, redfish_version: null, systems: [], fingerprint256: 'AB:CD' },
      quirks: [],
    });
    await stage.provision('verify', 'manage');
    await stage.settle();
    expect((await stage.read()).driver_internal_info).toEqual({
      bmc_certificate_sha256: 'AB:CD',
      removable_media: true,
    });
  });

  it.each(['BmcAuthFailed', 'BmcTlsMismatch'] as const)('goes back to enroll on %s, asked once', async (name) => {
    const stage = await enrolled();
    stage.proxy.answer('system.get', bmcFault(name, 'Wrong: change driver_info.'));
    await stage.provision('verify', 'manage');
    await stage.settle(3600);
    expect(await stage.read()).toMatchObject({
      provision_state: 'enroll',
      target_provision_state: null,
      last_error:
        'Verifying failed in ReadState: Wrong: change driver_info. Then set the provision state to manage again.',
    });
    expect(stage.proxy.requests.filter(({ op }) => op === 'system.get')).toHaveLength(1);
  });

  it('gives up on a BMC that does not answer for long', async () => {
    const stage = await enrolled();
    stage.proxy.answer('bmc.probe', ...Array.from({ length: 20 }, () => bmcFault('BmcUnreachable', 'No answer.')));
    await stage.provision('verify', 'manage');
    await stage.settle(3600);
    expect(await stage.read()).toMatchObject({ provision_state: 'enroll' });
    expect((await stage.read()).last_error).toContain('failed in ProbeBmc (tried repeatedly): No answer.');
    expect(stage.proxy.requests).toHaveLength(9);
  });

  it('leaves the power state of fake hardware unknown', async () => {
    const stage = await enrolled({ driver: 'fake-hardware' });
    await stage.provision('verify', 'manage');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', power_state: null });
    expect(stage.proxy.requests).toEqual([]);
  });
});
