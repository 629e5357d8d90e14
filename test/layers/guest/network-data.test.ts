import { describe, expect, it } from 'vitest';

import { networkData } from '../../../layers/guest/network-data.ts';
import { guestPorts } from '../../../layers/guest/network.ts';
import { network } from './server.ts';

const [first, second, third] = network.vifs as [
  (typeof network.vifs)[0],
  (typeof network.vifs)[0],
  (typeof network.vifs)[0],
];
const data = (more: Partial<typeof network> = {}) =>
  networkData({ ...network, ...more }) as Record<'links' | 'networks' | 'services', Record<string, unknown>[]>;

describe('network_data', () => {
  it('has a link for each VIF with the address of its card, and those of a bond', () => {
    expect(data().links).toEqual([
      { id: 'interface0', vif_id: first.id, type: 'phy', mtu: 1450, ethernet_mac_address: '52:54:00:aa:00:01' },
      { id: 'interface1', vif_id: second.id, type: 'phy', mtu: null, ethernet_mac_address: '52:54:00:aa:00:02' },
      {
        id: 'interface2',
        vif_id: third.id,
        type: 'bond',
        mtu: 1500,
        ethernet_mac_address: '52:54:00:aa:00:03',
        bond_mode: '802.3ad',
        bond_links: ['card-3', 'card-4'],
        bond_miimon: '100',
        bond_xmit_hash_policy: 'layer3+4',
      },
      { id: 'card-3', type: 'phy', ethernet_mac_address: '52:54:00:aa:00:03' },
      { id: 'card-4', type: 'phy', ethernet_mac_address: '52:54:00:aa:00:04' },
    ]);
  });

  it('has the first subnet of each version, static or as the guest is to ask for its address', () => {
    expect(data().networks).toEqual([
      {
        id: 'network0',
        type: 'ipv4',
        link: 'interface0',
        ip_address: '192.168.1.1',
        netmask: '255.255.255.0',
        routes: [
          { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '192.168.1.254' },
          { network: '10.1.0.0', netmask: '255.255.0.0', gateway: '192.168.1.253' },
        ],
        network_id: 'net-1',
        services: [
          { type: 'dns', address: '8.8.8.8' },
          { type: 'dns', address: '9.9.9.9' },
        ],
      },
      {
        id: 'network1',
        type: 'ipv6',
        link: 'interface0',
        ip_address: 'fd00:1::1',
        netmask: 'ffff:ffff:ffff:ffff::',
        routes: [{ network: '::', netmask: '::', gateway: 'fd00:1::fe' }],
        network_id: 'net-1',
        services: [{ type: 'dns', address: '2001:4860:4860::8888' }],
      },
      { id: 'network2', type: 'ipv4_dhcp', link: 'interface1', network_id: 'net-2' },
      {
        id: 'network3',
        type: 'ipv6_slaac',
        link: 'interface1',
        ip_address: 'fd00:2::1',
        netmask: 'ffff:ffff:ffff:ffff::',
        routes: [],
        network_id: 'net-2',
        services: [],
      },
      {
        id: 'network4',
        type: 'ipv4',
        link: 'interface2',
        ip_address: '172.16.0.9',
        netmask: '255.255.240.0',
        routes: [],
        network_id: 'net-3',
        services: [{ type: 'dns', address: '8.8.8.8' }],
      },
    ]);
  });

  it('names each DNS server once', () => {
    expect(data().services.map(({ address }) => address)).toEqual([
      '8.8.8.8',
      '9.9.9.9',
      '2001:4860:4860::8888',
      '10.0.0.53',
    ]);
  });

  it.each([
    ['0.0.0.0/0', 4, '0.0.0.0'],
    ['10.0.0.0/9', 4, '255.128.0.0'],
    ['10.0.0.1/32', 4, '255.255.255.255'],
    ['10.0.0.1', 4, '255.255.255.255'],
    ['::/0', 6, '::'],
    ['fd00::/7', 6, 'fe00::'],
    ['fd00::/49', 6, 'ffff:ffff:ffff:8000::'],
    ['fd00::/127', 6, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe'],
  ] as const)('has for %s the netmask of its bits', (cidr, version, netmask) => {
    const subnet = { ...first.subnets[0]!, cidr, version };
    subnet.ips = [{ ...subnet.ips[0]!, version }];
    expect(data({ vifs: [{ ...first, subnets: [subnet] }] }).networks[0]).toMatchObject({ netmask });
  });

  it('has the address that the network gives to a VIF of which nobody says where it is plugged in', () => {
    expect(data({ cards: [], groups: [] }).links.map((link) => link['ethernet_mac_address'])).toEqual([
      'fa:16:3e:00:00:01',
      'fa:16:3e:00:00:02',
      null,
    ]);
  });

  it('is empty without a VIF', () => {
    expect(data({ vifs: [] })).toEqual({});
  });
});

describe('the ports of a guest', () => {
  it('have all addresses of all subnets, in their order', () => {
    expect(
      guestPorts(network.vifs).map(({ uuid, fixed_ips }) => [uuid, fixed_ips.map(({ address }) => address)]),
    ).toEqual([
      [first.id, ['192.168.1.1', '192.168.2.1', 'fd00:1::1']],
      [second.id, ['10.0.0.1', 'fd00:2::1']],
      [third.id, ['172.16.0.9']],
    ]);
  });
});
