import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { linkPath } from '../../../layers/redfish-client/paths.ts';
import { hostile } from '../../fakes/hostile.ts';

const place = { origin: 'https://10.1.0.7', root_prefix: '/m0001' };

/** Where a link ends up, or that it is refused. */
const followed = (link: string): string => {
  try {
    return new URL(linkPath(place, link), place.origin).href;
  } catch (error) {
    if ((error as Error).name === 'BmcProtocol') return 'refused';
    throw error;
  }
};

describe('a link', () => {
  it.each([
    ['/m0001/redfish/v1/Systems/1', '/m0001/redfish/v1/Systems/1'],
    ['/m0001/redfish/v1/Systems?$skip=2', '/m0001/redfish/v1/Systems?$skip=2'],
    ['https://10.1.0.7/m0001/redfish/v1/Tasks/1', '/m0001/redfish/v1/Tasks/1'],
    ['https://10.1.0.7:443/m0001/redfish/v1/Tasks/1#x', '/m0001/redfish/v1/Tasks/1'],
  ])('%s is followed', (link, path) => {
    expect(linkPath(place, link)).toBe(path);
  });

  it.each([
    'https://10.1.0.8/m0001/redfish/v1/Tasks/1',
    'https://10.1.0.7:8443/m0001/redfish/v1/Tasks/1',
    'http://10.1.0.7/m0001/redfish/v1/Tasks/1',
    '//10.1.0.8/m0001/redfish/v1/Tasks/1',
    'https://admin@10.1.0.7/m0001/redfish/v1/Tasks/1',
    '/m0002/redfish/v1/Systems/1',
    '/redfish/v1/Systems/1',
    '/m0001/redfish/../../m0002/redfish/v1/',
    '/m0001/redfish/%2e%2e/%2E%2E/m0002/redfish/v1/',
    '/m0001/redfish/v1/..%2f..%2fm0002',
    '/m0001/redfish\\..\\..\\m0002/redfish/v1/',
    'javascript:alert(1)',
    '',
    null,
    { '@odata.id': '/m0001/redfish/v1/' },
    ...hostile.map((one) => [one]),
  ])('%j is not', (link) => {
    expect(() => linkPath(place, link)).toThrow('leads away');
  });

  it('of any form never leaves the BMC', () => {
    const parts = fc.constantFrom(
      '/',
      '..',
      '.',
      '%2e',
      '\\',
      'm0001',
      'redfish',
      'https://',
      '@',
      ':',
      '10.1.0.8',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 12 }), (pieces) => {
        expect(followed(pieces.join(''))).toMatch(/^(refused|https:\/\/10\.1\.0\.7\/m0001\/redfish\/.*)$/);
      }),
    );
  });
});
