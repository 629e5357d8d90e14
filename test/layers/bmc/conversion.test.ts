import { describe, expect, it } from 'vitest';

import { convert } from '../../../layers/bmc/conversion.ts';

const uuid = '11111111-0000-4000-8000-000000000001';
const before = {
  ipmi_address: '192.0.2.11',
  ipmi_username: 'admin',
  ipmi_password: '******',
  ipmi_terminal_port: 8023,
};
const of = (info: object, given: object = {}) =>
  convert({ uuid, driver: 'ipmi', driver_info: info as Record<string, unknown> }, given as Record<string, unknown>);

describe('what becomes of driver_info', () => {
  it('is the same BMC with the same account by Redfish; other keys stay', () => {
    expect(of(before)).toEqual({
      info: {
        redfish_address: 'https://192.0.2.11',
        redfish_username: 'admin',
        redfish_password: '******',
        ipmi_terminal_port: 8023,
      },
      moves: 'ipmi_password',
    });
  });

  it('is what is given, where something is given', () => {
    const given = {
      redfish_address: '192.0.2.11:8443',
      redfish_username: 'root',
      redfish_system_id: '/redfish/v1/Systems/2',
    };
    expect(of(before, given)).toMatchObject({ info: given, moves: 'ipmi_password' });
  });

  it('takes no password out of where one never was', () => {
    expect(of({ ipmi_address: '192.0.2.11' })).toEqual({
      info: { redfish_address: 'https://192.0.2.11' },
      moves: undefined,
    });
  });

  it.each([
    ['2001:db8::1', 'https://[2001:DB8:0::1]:8443'],
    ['BMC-1.example', 'https://bmc-1.example/redfish/v1'],
    [' 192.0.2.11 ', 'https://192.0.2.11:8443/m1'],
  ])('knows the host %s in %s', (ipmi_address, redfish_address) => {
    expect(of({ ...before, ipmi_address }, { redfish_address }).moves).toBe('ipmi_password');
  });

  it.each(['https://192.0.2.12', 'https://192.0.2.11.example', 'evil.example'])(
    'sends no stored password to %s, which was not its host',
    (redfish_address) => {
      expect(() => of(before, { redfish_address })).toThrow(/is for 192\.0\.2\.11, not for .*give redfish_password/);
      const given = { redfish_address, redfish_password: 'canary-2' };
      expect(of(before, given)).toMatchObject({ info: given, moves: undefined });
    },
  );

  it('trusts no password that stands beside it under the new name: nobody knows which host it was for', () => {
    const { info, moves } = of({ ipmi_address: '192.0.2.11', redfish_username: 'a', redfish_password: '******' });
    expect([info['redfish_password'], moves]).toEqual([undefined, undefined]);
  });

  it('is refused without an address or a user, and for what is no foreign type', () => {
    expect(() => of({ ipmi_password: '******' })).toThrow('Missing: driver_info.redfish_address');
    expect(() => of({ ipmi_address: 'a b', ipmi_password: '******' })).toThrow('Missing: driver_info.redfish_address');
    expect(() => of({ ...before, ipmi_username: undefined })).toThrow('redfish_username is not');
    expect(() => convert({ uuid, driver: 'redfish', driver_info: {} }, {})).toThrow('nothing to convert');
  });
});
