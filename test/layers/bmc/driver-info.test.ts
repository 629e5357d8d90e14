import fc from 'fast-check';
import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';

import { parseDriverInfo, parseTrust } from '../../../layers/bmc/driver-info.ts';
import { isFault } from '../../../layers/domain/fault.ts';

const minimal = { redfish_address: '10.1.0.7' };

describe('redfish_address', () => {
  it.each([
    ['10.1.0.7', { host: '10.1.0.7', port: 443, root_prefix: '' }],
    ['10.1.0.7:8443', { host: '10.1.0.7', port: 8443, root_prefix: '' }],
    ['https://bmc.example/', { host: 'bmc.example', port: 443, root_prefix: '' }],
    ['https://127.0.0.1:6386/m0001', { host: '127.0.0.1', port: 6386, root_prefix: '/m0001' }],
    ['https://[fd00::7]:443/m0001/', { host: 'fd00::7', port: 443, root_prefix: '/m0001' }],
    ['https://bmc.example/redfish/v1/', { host: 'bmc.example', port: 443, root_prefix: '' }],
    ['http://10.1.0.7', { host: '10.1.0.7', port: 80, trust: { mode: 'plain' } }],
    ['http://10.1.0.7:8000/m1', { port: 8000, root_prefix: '/m1', trust: { mode: 'plain' } }],
  ])('%s is read', (redfish_address, expected) => {
    expect(parseDriverInfo({ redfish_address })).toMatchObject(expected);
  });

  it.each([
    undefined,
    '',
    7,
    'ftp://10.1.0.7',
    'https://admin:secret@10.1.0.7',
    'https://10.1.0.7/?a=b',
    'https://10.1.0.7/#a',
    'not an address',
    'https://',
  ])('%j is refused by name', (redfish_address) => {
    expect(() => parseDriverInfo({ redfish_address })).toThrow('driver_info.redfish_address');
  });
});

describe('redfish_system_id', () => {
  const prefixed = 'https://10.1.0.7/m0001';
  it.each([
    ['10.1.0.7', '/redfish/v1/Systems/1', '/redfish/v1/Systems/1'],
    [prefixed, '/redfish/v1/Systems/1', '/m0001/redfish/v1/Systems/1'],
    [prefixed, '/m0001/redfish/v1/Systems/1', '/m0001/redfish/v1/Systems/1'],
    ['10.1.0.7', undefined, null],
  ])('at %s, %s means %s', (redfish_address, redfish_system_id, expected) => {
    expect(parseDriverInfo({ redfish_address, redfish_system_id }).system_id).toBe(expected);
  });

  it.each(['1', 'Systems/1', '/etc/passwd', '/redfish/v1/../../x', '/redfish/v1/Systems/1?x=y', 7])(
    '%j is refused by name',
    (redfish_system_id) => {
      expect(() => parseDriverInfo({ ...minimal, redfish_system_id })).toThrow('driver_info.redfish_system_id');
    },
  );
});

describe('the other keys', () => {
  it('have the defaults of Ironic', () => {
    expect(parseDriverInfo(minimal)).toMatchObject({
      username: null,
      password: null,
      auth_type: 'auto',
      trust: { mode: 'system' },
    });
  });

  it.each([
    ['redfish_auth_type', { redfish_auth_type: 'digest' }],
    ['redfish_username', { redfish_username: 7 }],
    ['redfish_password', { redfish_password: 'x' }],
    ['redfish_verify_ca', { redfish_verify_ca: '/etc/ssl/ca.pem' }],
  ])('%s is refused by name when it does not fit', (name, info) => {
    expect(() => parseDriverInfo({ ...minimal, ...info })).toThrow(`driver_info.${name}`);
  });

  it('of any value give an access or Invalid, and never show the password', () => {
    const names = [
      'redfish_address',
      'redfish_system_id',
      'redfish_username',
      'redfish_verify_ca',
      'redfish_auth_type',
    ];
    const info = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(info, (values) => {
        const outcome = (() => {
          try {
            return parseDriverInfo({ ...values, redfish_password: 'MARKER-4711' }).host.length > 0;
          } catch (error) {
            return isFault(error) && error.code === 400 && !error.message.includes('MARKER-4711');
          }
        })();
        expect(outcome).toBe(true);
      }),
    );
  });
});

describe('parseTrust', () => {
  const hex = 'ab'.repeat(32);
  it.each([
    [undefined, { mode: 'system' }],
    [true, { mode: 'system' }],
    ['True', { mode: 'system' }],
    [false, { mode: 'insecure' }],
    ['no', { mode: 'insecure' }],
    [`sha256:${hex}`, { mode: 'pin', fingerprint256: Array(32).fill('AB').join(':') }],
    [`SHA256:${Array(32).fill('AB').join(':')}`, { mode: 'pin', fingerprint256: Array(32).fill('AB').join(':') }],
  ])('reads %j', (value, expected) => {
    expect(parseTrust('redfish_verify_ca', value)).toEqual(expected);
  });

  it('reads a certificate', async () => {
    const { cert } = await generate([{ name: 'commonName', value: 'bmc' }], { keyType: 'ec', algorithm: 'sha256' });
    expect(parseTrust('redfish_verify_ca', cert)).toEqual({ mode: 'pem', pem: cert });
  });

  it.each([
    'sha256:abcd',
    'sha1:abcd',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    '/path/ca.pem',
    {},
  ])('refuses %j', (value) => {
    expect(() => parseTrust('redfish_verify_ca', value)).toThrow('driver_info.redfish_verify_ca must be');
  });
});
