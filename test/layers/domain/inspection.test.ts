import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  addressesOf,
  bootAddress,
  bootModeOf,
  propertiesOf,
  ramdiskError,
  type Inspected,
} from '../../../layers/domain/inspection.ts';

const gb = 10 ** 9;
const found = (inventory: object, plugin_data: object = {}) => ({ inventory, plugin_data }) as Inspected;

describe('an inspection', () => {
  it('gives each MAC address once, in one spelling', () => {
    const cards = ['52:54:00:AA:00:01', '52:54:00:aa:00:01', '52:54:00:aa:00:02', 'a0:00:02:20:fe:80:00:00', null];
    const interfaces = cards.map((mac_address) => ({ mac_address }));
    expect(addressesOf(found({ interfaces }))).toEqual(['52:54:00:aa:00:01', '52:54:00:aa:00:02']);
  });

  it.each([
    ['01-52-54-00-AA-00-02', '52:54:00:aa:00:02'],
    ['52:54:00:aa:00:02', '52:54:00:aa:00:02'],
    ['none', undefined],
    [null, undefined],
  ])('knows from %s which card the machine was booted by', (pxe_interface, address) => {
    expect(bootAddress(found({ boot: { pxe_interface } }))).toBe(address);
  });

  it.each([
    ['the smallest disk that is large enough', [{ size: 8000 * gb }, { size: 2 * gb }, { size: 480 * gb }], {}, '446'],
    ['the disk that the agent chose', [{ size: 480 * gb }], { root_disk: { size: 960 * gb } }, '893'],
    ['no disk', [{ size: 2 * gb }, { size: 'large' }], {}, undefined],
  ])('takes local_gb from %s', (_what, disks, data, local_gb) => {
    expect(propertiesOf(found({ disks }, data))).toEqual(local_gb === undefined ? {} : { local_gb });
  });

  it('leaves out what is not known or makes no sense', () => {
    const inventory = { cpu: { count: -1, architecture: '' }, memory: { physical_mb: '64' }, boot: 'uefi' };
    expect(propertiesOf(found(inventory))).toEqual({});
    expect(bootModeOf(found(inventory))).toBeUndefined();
    expect(bootModeOf(found({ boot: { current_boot_mode: 'UEFI' } }))).toBe('uefi');
  });

  it('takes the smallest of half a million disks, which fit into what a stranger may send', () => {
    const disks = Array.from({ length: 500_000 }, (_, at) => ({ size: 500 * gb - at }));
    expect(propertiesOf(found({ disks }))).toMatchObject({ local_gb: '464' });
  });

  it('hears of an error that the ramdisk found', () => {
    expect(ramdiskError(found({}, { error: ' broken ' }))).toBe('broken');
    for (const error of [null, '', '  ', {}, undefined]) expect(ramdiskError(found({}, { error }))).toBeUndefined();
  });

  it('is never surprised by what a stranger sends', () => {
    const anything = fc.dictionary(
      fc.constantFrom('interfaces', 'disks', 'cpu', 'memory', 'boot', 'root_disk', 'error', 'size', 'count'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(anything, anything, (inventory, data) => {
        const inspected = found(inventory, data);
        const properties = propertiesOf(inspected);
        for (const read of [addressesOf, bootAddress, bootModeOf, ramdiskError]) read(inspected);
        for (const name of ['cpus', 'memory_mb', 'local_gb']) {
          expect(properties[name] ?? 0).toSatisfy(Number.isSafeInteger);
        }
      }),
    );
  });
});
