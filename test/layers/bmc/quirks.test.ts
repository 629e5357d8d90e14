import { describe, expect, it } from 'vitest';

import { needsManager, quirkRows, quirksOf } from '../../../layers/bmc/quirks.ts';

const named = (vendor: string, model = '', firmware = '') => quirksOf({ vendor, model, firmware }).names;

describe('quirks', () => {
  it('are none for a BMC that is not listed', () => {
    expect(quirksOf({ vendor: 'Ingot', model: 'T-BMC', firmware: '1.0' })).toEqual({ names: [], quirks: {} });
  });

  it('of Dell go by generation and firmware: numbering starts again with iDRAC 10', () => {
    expect(named('Dell', '14G Monolithic', '5.10.50.00')).toEqual(['dell-cd-boots-drive']);
    expect(named('Dell Inc.', '16G Monolithic', '6.10.30.00')).toEqual([]);
    expect(named('Dell', '17G Monolithic', '1.20.25.00')).toEqual(['dell-slot-1']);
  });

  it.each([
    ['HPE', 'hpe-ilo'],
    ['Supermicro', 'supermicro'],
    ['Super Micro Computer', 'supermicro'],
    ['AMI', 'ami-boot-triple'],
    ['ASRockRack', 'ami-boot-triple'],
    ['GIGABYTE', 'ami-boot-triple'],
  ])('of %s are %s', (vendor, name) => {
    expect(named(vendor)).toEqual([name]);
  });

  it('cost a request for the manager only where a row asks for it', () => {
    expect([needsManager('Dell'), needsManager('HPE'), needsManager('Ingot')]).toEqual([true, false, false]);
  });

  it('have names of their own', () => {
    expect(new Set(quirkRows.map(({ name }) => name)).size).toBe(quirkRows.length);
  });
});
