import { describe, expect, it } from 'vitest';

import {
  capabilitiesIn,
  extraSpecs,
  resourcesIn,
  traitsIn,
  unscopedIn,
} from '../../../../layers/domain/compute/extra-specs.ts';
import { check } from '../../../../layers/domain/schema.ts';

const refusal = (specs: object): string => {
  try {
    check(extraSpecs, specs);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('extra specs', () => {
  it('are texts, and numbers and booleans become some', () => {
    expect(check(extraSpecs, { 'resources:VCPU': 0, 'hw:hide': true, a: 'b' })).toEqual({
      'resources:VCPU': '0',
      'hw:hide': 'true',
      a: 'b',
    });
  });

  it.each([
    [{ 'resources:custom_x': '1' }, 'must be written resources:CUSTOM_<CLASS>'],
    [{ 'resources:CUSTOM_X': '-1' }, 'must be a whole number that is not negative'],
    [{ 'resources:CUSTOM_X': 'one' }, 'must be a whole number that is not negative'],
    [{ 'trait:CUSTOM_X': 'requird' }, 'must be required or forbidden'],
    [{ 'trait:custom_x': 'required' }, 'must be written trait:<NAME>'],
    [{ 'trait1:': 'required' }, 'must be written trait:<NAME>'],
    [{ group_policy: 'some' }, 'must be none or isolate'],
    [{ 'capabilities:boot_mode': '' }, 'must not be empty'],
    [{ 'capabilities:ram': '>=' }, 'must have a word after its operator'],
    [{ capabilities: 'x' }, 'must be written capabilities:<name>'],
    [{ cpu_arch: '' }, ''],
    [{ 'baremetal:deploy_image': 'x' }, 'must be written baremetal:deploy_kernel_id'],
    [{ 'a/b': 'x' }, 'letters, digits'],
    [{ a: 'x'.repeat(256) }, ''],
    [{ a: null }, 'must be a text'],
  ])('%o are refused', (specs, words) => {
    expect(refusal(specs)).not.toBe('none');
    expect(refusal(specs)).toContain(words);
  });

  it('of others are kept as they are', () => {
    expect(refusal({ 'hw:cpu_policy': 'dedicated', 'quota:disk_read_bytes_sec': '10', anything: '>' })).toBe('none');
  });
});

const specs = {
  'resources:CUSTOM_GOLD': '1',
  'resources1:CUSTOM_GOLD': '1',
  'resources:VCPU': '0',
  'resources_net:CUSTOM_NIC': '1',
  'trait:CUSTOM_A': 'required',
  'trait1:CUSTOM_B': 'required',
  'trait2:CUSTOM_A': 'required',
  'trait:CUSTOM_C': 'forbidden',
  group_policy: 'none',
  'capabilities:boot_mode': 'uefi',
  'capabilities:raid:level': 's== 1',
  'baremetal:cpu_arch': 'x86_64',
  'hw:mem_page_size': 'large',
  plain: 'x',
};

describe('what is asked for', () => {
  it('of resources is the sum of all groups, without those that are switched off', () => {
    expect([...resourcesIn(specs)]).toEqual([
      ['CUSTOM_GOLD', 2],
      ['CUSTOM_NIC', 1],
    ]);
  });

  it('of traits is that of all groups, each once', () => {
    expect(traitsIn(specs, 'required')).toEqual(['CUSTOM_A', 'CUSTOM_B']);
    expect(traitsIn(specs, 'forbidden')).toEqual(['CUSTOM_C']);
  });

  it('of capabilities has their scope removed', () => {
    expect(capabilitiesIn(specs)).toEqual({ boot_mode: 'uefi', 'raid:level': 's== 1' });
  });

  it('without a scope is cpu_arch, by either name, and what else has none', () => {
    expect(unscopedIn(specs)).toEqual({ plain: 'x', cpu_arch: 'x86_64' });
    expect(unscopedIn({ cpu_arch: 'aarch64' })).toEqual({ cpu_arch: 'aarch64' });
  });
});
