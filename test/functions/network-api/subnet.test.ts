/** Subnets, through the front door. */
import { describe, expect, it } from 'vitest';

import { ann, bob, createFront, ray, refusal, root, withSubnet } from './front.ts';

const at = '/v2.0/subnets';

/** Asks for a subnet of a new network of ann's. */
const asking = async (values: object, subject = ann) => {
  const front = createFront();
  const { id: network_id } = await front.make('networks', { name: 'private' });
  const body = { subnet: { network_id, ip_version: 4, cidr: '10.0.0.0/24', ...values } };
  return { ...front, answer: await front.request(`POST ${at}`, { body, subject }) };
};

describe('a subnet', () => {
  it('is made with its first address as the gateway, and all others to give', async () => {
    const { answer, request } = await asking({ name: 'v4', dns_nameservers: ['8.8.8.8'] });
    expect(answer.status).toBe(201);
    const { subnet } = answer.body;
    expect(subnet).toMatchObject({
      name: 'v4',
      cidr: '10.0.0.0/24',
      ip_version: 4,
      gateway_ip: '10.0.0.1',
      allocation_pools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
      dns_nameservers: ['8.8.8.8'],
      host_routes: [],
      enable_dhcp: true,
      ipv6_ra_mode: null,
      ipv6_address_mode: null,
      subnetpool_id: null,
      segment_id: null,
      service_types: [],
      project_id: 'red',
    });
    expect((await request(`GET /v2.0/networks/${subnet.network_id}`)).body.network.subnets).toEqual([subnet.id]);
  });

  it.each([
    [{ gateway_ip: null }, { gateway_ip: null, allocation_pools: [{ start: '10.0.0.1', end: '10.0.0.254' }] }],
    [{ gateway_ip: '10.0.0.254' }, { allocation_pools: [{ start: '10.0.0.1', end: '10.0.0.253' }] }],
    [
      { ip_version: 6, cidr: 'FD00:0:0:7::/64', gateway_ip: 'fe80::1' },
      { cidr: 'fd00:0:0:7::/64', gateway_ip: 'fe80::1', allocation_pools: [{ start: 'fd00:0:0:7::1' }] },
    ],
    [
      { allocation_pools: [{ start: '10.0.0.100', end: '10.0.0.110' }], enable_dhcp: false },
      { gateway_ip: '10.0.0.1', allocation_pools: [{ start: '10.0.0.100', end: '10.0.0.110' }], enable_dhcp: false },
    ],
    [
      { host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.9' }] },
      { host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.9' }] },
    ],
    [
      { ip_version: '6', cidr: '2001:db8::/64', ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' },
      { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' },
    ],
  ])('with %j has %j', async (values, shown) => {
    const { answer } = await asking(values);
    expect(answer.body.subnet).toMatchObject(shown);
  });

  it.each([
    [{ cidr: '10.0.0.5/24' }, 400, 'HTTPBadRequest'],
    [{ cidr: 'fd00::/64' }, 400, 'InvalidInput'],
    [{ ip_version: 5 }, 400, 'HTTPBadRequest'],
    [{ cidr: undefined }, 400, 'HTTPBadRequest'],
    [{ gateway_ip: '10.0.1.1' }, 400, 'InvalidInput'],
    [{ gateway_ip: '10.0.0.0' }, 400, 'InvalidInput'],
    [{ gateway_ip: '10.0.0.255' }, 400, 'InvalidInput'],
    [{ gateway_ip: 'fd00::1' }, 400, 'InvalidInput'],
    [{ gateway_ip: 'x' }, 400, 'HTTPBadRequest'],
    [{ allocation_pools: [{ start: '10.0.0.1', end: '10.0.0.9' }] }, 409, 'GatewayConflictWithAllocationPools'],
    [{ allocation_pools: [{ start: '10.0.1.1', end: '10.0.1.9' }] }, 400, 'OutOfBoundsAllocationPool'],
    [{ allocation_pools: [{ start: '10.0.0.9', end: '10.0.0.2' }] }, 400, 'InvalidAllocationPool'],
    [
      {
        allocation_pools: [
          { start: '10.0.0.2', end: '10.0.0.9' },
          { start: '10.0.0.9', end: '10.0.0.12' },
        ],
      },
      409,
      'OverlappingAllocationPools',
    ],
    [{ host_routes: [{ destination: 'fd00::/64', nexthop: '10.0.0.9' }] }, 400, 'InvalidInput'],
    [{ host_routes: [{ destination: '10.9.0.0/16' }] }, 400, 'HTTPBadRequest'],
    [{ dns_nameservers: ['dns.example'] }, 400, 'HTTPBadRequest'],
    [{ ipv6_address_mode: 'slaac' }, 400, 'InvalidInput'],
    [{ ip_version: 6, cidr: 'fd00::/80', ipv6_address_mode: 'slaac' }, 400, 'InvalidInput'],
    [{ ip_version: 6, cidr: 'fd00::/64', ipv6_address_mode: 'slaac', enable_dhcp: false }, 400, 'InvalidInput'],
    [
      { ip_version: 6, cidr: 'fd00::/64', ipv6_address_mode: 'slaac', ipv6_ra_mode: 'dhcpv6-stateful' },
      400,
      'InvalidInput',
    ],
    [{ network_id: '00000000-0000-4000-8000-0000000000ff' }, 404, 'NetworkNotFound'],
    [{ subnetpool_id: '00000000-0000-4000-8000-0000000000ff' }, 400, 'HTTPBadRequest'],
  ])('with %j is refused: %i %s', async (values, status, type) => {
    expect(refusal((await asking(values)).answer)).toEqual([status, type]);
  });

  it('has no address in common with another one of its network', async () => {
    const front = createFront();
    const { network_id } = await withSubnet(front);
    const body = (cidr: string) => ({ subnet: { network_id, ip_version: 4, cidr } });
    expect(refusal(await front.request(`POST ${at}`, { body: body('10.0.0.128/25') }))).toEqual([400, 'InvalidInput']);
    expect((await front.request(`POST ${at}`, { body: body('10.0.1.0/24') })).status).toBe(201);
  });

  it('is made by who has the network', async () => {
    expect(refusal((await asking({}, bob)).answer)).toEqual([404, 'NetworkNotFound']);
    expect(refusal((await asking({}, ray)).answer)).toEqual([403, 'PolicyNotAuthorized']);
    expect((await asking({}, root)).answer.status).toBe(201);
    const front = createFront();
    const { network_id } = await withSubnet(front, { network: { shared: true }, subject: root });
    const body = { subnet: { network_id, ip_version: 4, cidr: '10.9.0.0/24' } };
    expect(refusal(await front.request(`POST ${at}`, { body }))).toEqual([403, 'PolicyNotAuthorized']);
  });
});

describe('a change', () => {
  it('moves the pools and the gateway, and leaves addresses to who has them', async () => {
    const front = createFront();
    const { network_id, subnet_id } = await withSubnet(front);
    const fixed = async (fixed_ips?: object[]) =>
      (await front.make('ports', { network_id, ...(fixed_ips && { fixed_ips }) })).fixed_ips[0].ip_address as string;
    await fixed([{ ip_address: '10.0.0.200' }]);
    const set = { gateway_ip: '10.0.0.254', allocation_pools: [{ start: '10.0.0.10', end: '10.0.0.10' }] };
    const { body } = await front.request(`PUT ${at}/${subnet_id}`, { body: { subnet: set } });
    expect(body.subnet).toMatchObject(set);
    expect(await fixed()).toBe('10.0.0.10');
    const taken = { subnet: { gateway_ip: '10.0.0.200' } };
    expect(refusal(await front.request(`PUT ${at}/${subnet_id}`, { body: taken }))).toEqual([409, 'GatewayIpInUse']);
    const inside = { subnet: { gateway_ip: '10.0.0.10' } };
    expect(refusal(await front.request(`PUT ${at}/${subnet_id}`, { body: inside }))).toEqual([
      409,
      'GatewayConflictWithAllocationPools',
    ]);
    const none = await front.request(`PUT ${at}/${subnet_id}`, { body: { subnet: { gateway_ip: null } } });
    expect(none.body.subnet.gateway_ip).toBeNull();
  });

  it.each([{ cidr: '10.0.1.0/24' }, { ip_version: 6 }, { network_id: 'x' }, { ipv6_ra_mode: 'slaac' }])(
    'to %j is none',
    async (subnet) => {
      const front = createFront();
      const { subnet_id } = await withSubnet(front);
      const answer = await front.request(`PUT ${at}/${subnet_id}`, { body: { subnet } });
      expect(refusal(answer)).toEqual([400, 'HTTPBadRequest']);
    },
  );
});

it('a subnet is not removed while a port has an address of it', async () => {
  const front = createFront();
  const { network_id, subnet_id } = await withSubnet(front);
  const { id } = await front.make('ports', { network_id });
  expect(refusal(await front.request(`DELETE ${at}/${subnet_id}`))).toEqual([409, 'SubnetInUse']);
  await front.request(`DELETE /v2.0/ports/${id}`);
  expect((await front.request(`DELETE ${at}/${subnet_id}`)).status).toBe(204);
  expect((await front.request(`GET /v2.0/networks/${network_id}`)).body.network.subnets).toEqual([]);
});

it('subnets are found by their network and their cidr', async () => {
  const front = createFront();
  const { network_id, subnet_id } = await withSubnet(front);
  await withSubnet(front);
  const ids = async (query: string) =>
    (await front.request(`GET ${at}?${query}`)).body.subnets.map(({ id }: { id: string }) => id) as string[];
  expect(await ids(`network_id=${network_id}`)).toEqual([subnet_id]);
  expect(await ids('cidr=10.0.0.0/24&ip_version=4&enable_dhcp=True')).toHaveLength(2);
  expect(await ids('ip_version=6')).toEqual([]);
});
