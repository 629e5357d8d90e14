import { describe, expect, it } from 'vitest';

import {
  checkInterfaces,
  defaultInterfaces,
  hardwareTypes,
  interfaceKinds,
  secretKeys,
} from '../../../layers/domain/hardware-types.ts';
import { node } from '../../../layers/domain/node.ts';

describe('hardware types', () => {
  it('give every interface field of a node a default, at the version that the field has', () => {
    for (const [kind, { since }] of Object.entries(interfaceKinds)) {
      expect(node[`${kind}_interface` as 'boot_interface'].since).toBe(since);
    }
    const fields = Object.keys(node).filter((name) => name.endsWith('_interface'));
    for (const driver of Object.keys(hardwareTypes)) {
      expect(Object.keys(defaultInterfaces(driver)).sort()).toEqual(fields.sort());
      expect(() => checkInterfaces(driver, defaultInterfaces(driver))).not.toThrow();
    }
  });

  it('deploys redfish machines directly through virtual media, without a network service', () => {
    expect(defaultInterfaces('redfish')).toMatchObject({
      power_interface: 'redfish',
      boot_interface: 'redfish-virtual-media',
      deploy_interface: 'direct',
      network_interface: 'noop',
      inspect_interface: 'redfish',
      rescue_interface: 'no-rescue',
    });
  });

  it("takes what Metal3 asks for by the name of a Dell, and gives it Dell's names by default", () => {
    const asked = {
      bios_interface: 'idrac-redfish',
      boot_interface: 'idrac-redfish-virtual-media',
      firmware_interface: 'redfish',
      management_interface: 'idrac-redfish',
      power_interface: 'idrac-redfish',
      raid_interface: 'idrac-redfish',
      vendor_interface: 'idrac-redfish',
    };
    expect(() => checkInterfaces('idrac', asked)).not.toThrow();
    expect(defaultInterfaces('idrac')).toMatchObject({
      ...asked,
      raid_interface: 'no-raid',
      deploy_interface: 'direct',
    });
    expect(() => checkInterfaces('idrac', { management_interface: 'redfish' })).toThrow('It supports: idrac-redfish.');
    expect(() => checkInterfaces('redfish', { power_interface: 'idrac-redfish' })).toThrow('does not support');
  });

  it('refuses unknown drivers and implementations with 400, and takes null for the default', () => {
    expect(() => checkInterfaces('ipmi', {})).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining('"ipmi"') as string }),
    );
    expect(() => checkInterfaces('constructor', {})).toThrow('No conductor supports driver "constructor"');
    expect(() => checkInterfaces('redfish', { power_interface: 'ipmitool' })).toThrow(
      'Driver redfish does not support power_interface "ipmitool". It supports: redfish.',
    );
    expect(() => checkInterfaces('redfish', { power_interface: null, deploy_interface: 'ramdisk' })).not.toThrow();
  });

  it('knows which driver_info keys are secrets', () => {
    expect(secretKeys('redfish')).toEqual(['redfish_password']);
    expect(secretKeys('idrac')).toEqual(['redfish_password']);
    expect(secretKeys('fake-hardware')).toEqual([]);
  });
});
