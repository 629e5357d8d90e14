import { describe, expect, it } from 'vitest';

import { isPublic, parseNetworks } from '../../../layers/bmc/networks.ts';

const allowed = (setting: string, addresses: string[]) =>
  addresses.filter(parseNetworks('bmc_networks', setting).allows);

describe('networks of BMCs', () => {
  it('are private ones when nothing is configured', () => {
    const inside = ['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', 'fd12::1'];
    const outside = ['8.8.8.8', '172.32.0.1', '127.0.0.1', '::1', '2001:db8::1', '100.64.0.1'];
    expect(allowed('', [...inside, ...outside])).toEqual(inside);
  });

  it('are the configured ones otherwise', () => {
    expect(allowed('10.1.0.0/16, 2001:db8::/32', ['10.1.2.3', '10.2.0.1', '2001:db8::7', 'fd12::1'])).toEqual([
      '10.1.2.3',
      '2001:db8::7',
    ]);
  });

  it('hold loopback only if that is said, never by a wider network', () => {
    expect(allowed('127.0.0.0/8', ['127.0.0.1', '::1', '10.0.0.1'])).toEqual(['127.0.0.1']);
    expect(allowed('::1/128', ['127.0.0.1', '::1'])).toEqual(['::1']);
    expect(allowed('0.0.0.0/0,::/0', ['127.0.0.1', '::1', '10.0.0.1'])).toEqual(['10.0.0.1']);
  });

  it.each(['', '0.0.0.0/0,::/0,127.0.0.0/8,169.254.0.0/16,::ffff:0:0/96'])(
    'never hold metadata, link-local, multicast, unspecified or disguised addresses (%j)',
    (setting) => {
      const never = [
        '169.254.169.254',
        'fd00:ec2::254',
        'fe80::1',
        '224.0.0.1',
        'ff02::1',
        '255.255.255.255',
        '0.0.0.0',
      ];
      const disguised = [
        '::',
        '::ffff:10.0.0.1',
        '::ffff:127.0.0.1',
        '0:0:0:0:0:ffff:7f00:1',
        '::10.0.0.1',
        '64:ff9b::a00:1',
      ];
      const odd = ['2002:a00:1::1', 'fe80::1%eth0', 'fd12::1%eth0', '010.0.0.1', '10.1', 'localhost', ''];
      expect(allowed(setting, [...never, ...disguised, ...odd])).toEqual([]);
    },
  );

  it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'private', '10.0.0.0/8/8', '10.0.0.0/x'])(
    '%s is refused',
    (text) => {
      expect(() => parseNetworks('bmc_networks', text)).toThrow(`"${text}" is no network`);
    },
  );
});

describe('public addresses', () => {
  it('are those where everybody may go', () => {
    const open = ['9.9.9.9', '172.32.0.1', '2620:fe::9'];
    const closed = [
      '10.0.0.1',
      'fd12::1',
      '127.0.0.1',
      '::1',
      '169.254.169.254',
      '100.64.0.1',
      '192.0.2.1',
      '198.18.0.1',
    ];
    const odd = [
      '::ffff:9.9.9.9',
      '64:ff9b::909:909',
      '2002:909:909::1',
      '2001:db8::1',
      'fe80::1%eth0',
      'dns.example',
      '',
    ];
    expect([...open, ...closed, ...odd].filter(isPublic)).toEqual(open);
  });
});
