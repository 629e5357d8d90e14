/** A server with a network of every sort, for tests and for the real cloud-init (test/wire/guest). */
import { createMetadata } from '../../../layers/guest/metadata.ts';
import { guestPorts, type GuestNetwork, type Subnet } from '../../../layers/guest/network.ts';
import type { GuestServer } from '../../../layers/guest/server.ts';
import { instance } from './golden.ts';

const subnet = (cidr: string, version: 4 | 6, address: string, more: Partial<Subnet> = {}): Subnet => ({
  cidr,
  version,
  gateway: null,
  dns: [],
  routes: [],
  dhcp: false,
  ipv6_address_mode: null,
  ips: [{ address, type: 'fixed', version, floating_ips: [] }],
  ...more,
});

/** A static port on a card, one by DHCP on another, and one on a group of two cards. */
export const network: GuestNetwork = {
  vifs: [
    {
      id: '567a4527-b0e4-4d0a-bcc2-71fda37897f7',
      address: 'fa:16:3e:00:00:01',
      network: { id: 'net-1', mtu: 1450 },
      subnets: [
        subnet('192.168.1.0/24', 4, '192.168.1.1', {
          gateway: '192.168.1.254',
          dns: ['8.8.8.8', '9.9.9.9'],
          routes: [{ cidr: '10.1.0.0/16', gateway: '192.168.1.253' }],
          ips: [
            {
              address: '192.168.1.1',
              type: 'fixed',
              version: 4,
              floating_ips: [{ address: '11.22.33.44', type: 'floating', version: 4 }],
            },
          ],
        }),
        subnet('192.168.2.0/24', 4, '192.168.2.1'),
        subnet('fd00:1::/64', 6, 'fd00:1::1', { gateway: 'fd00:1::fe', dns: ['2001:4860:4860::8888'] }),
      ],
    },
    {
      id: 'a3ca97e2-0cf9-4159-9bfc-afd55bc13ead',
      address: 'fa:16:3e:00:00:02',
      network: { id: 'net-2', mtu: 9000 },
      subnets: [
        subnet('10.0.0.0/8', 4, '10.0.0.1', { dhcp: true, dns: ['10.0.0.53'] }),
        subnet('fd00:2::/64', 6, 'fd00:2::1', { dhcp: true, ipv6_address_mode: 'slaac' }),
      ],
    },
    {
      id: 'c0ffee00-1111-4222-8333-444455556666',
      address: null,
      network: { id: 'net-3', mtu: 1500 },
      subnets: [subnet('172.16.0.0/20', 4, '172.16.0.9', { dns: ['8.8.8.8'] })],
    },
  ],
  cards: [
    { uuid: 'card-1', address: '52:54:00:aa:00:01', portgroup_uuid: null, vif: '567a4527-b0e4-4d0a-bcc2-71fda37897f7' },
    { uuid: 'card-2', address: '52:54:00:aa:00:02', portgroup_uuid: null, vif: 'a3ca97e2-0cf9-4159-9bfc-afd55bc13ead' },
    { uuid: 'card-3', address: '52:54:00:aa:00:03', portgroup_uuid: 'group-1', vif: null },
    { uuid: 'card-4', address: '52:54:00:aa:00:04', portgroup_uuid: 'group-1', vif: null },
  ],
  groups: [
    {
      uuid: 'group-1',
      address: '52:54:00:aa:00:03',
      mode: '802.3ad',
      properties: { miimon: '100', bond_xmit_hash_policy: 'layer3+4' },
      vif: 'c0ffee00-1111-4222-8333-444455556666',
    },
  ],
};

export const server: GuestServer = {
  metadata: createMetadata(
    {
      uuid: instance,
      package: '1',
      display_name: 'Büro サーバ',
      flavor_name: 'bm.small',
      project_id: 'p-1',
      root: { type: 'image', uuid: '66e81ebe-9d4f-45ae-b79b-b3d9dc989b21' },
    },
    guestPorts(network.vifs),
  ),
  hostname: 'buero.cloud.test',
  launch_index: 2,
  reservation_id: 'r-abcdefgh',
  availability_zone: 'rack1',
  meta: { role: 'web' },
  key_pair: { name: 'k', type: 'ssh', public_key: 'ssh-ed25519 AAAAC3Nza me@host' },
  admin_pass: 'correct-horse',
  user_data: Buffer.from('#cloud-config\npackages: [vim]\n'),
  vendor_data: { cloud: 'ingot' },
  security_groups: ['default'],
  files: [{ path: '/etc/motd', contents: Buffer.from('hello\n') }],
  random_seed: Buffer.alloc(512, 7),
};
