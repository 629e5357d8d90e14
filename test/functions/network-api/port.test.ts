/** Ports, through the front door. */
import { describe, expect, it } from 'vitest';

import { bindPort } from '../../../layers/store/network-ports.ts';
import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { ann, bob, createFront, ray, refusal, root, withSubnet } from './front.ts';

const at = '/v2.0/ports';

const site = async (options: Parameters<typeof withSubnet>[1] = {}) => {
  const front = createFront();
  return { ...front, ...(await withSubnet(front, options)) };
};

describe('a port', () => {
  it('is made with an address of each version and a MAC address of its own', async () => {
    const { make, network_id, subnet_id } = await site();
    const v6 = await make('subnets', { network_id, ip_version: 6, cidr: 'fd00::/64' });
    const made = await make('ports', { network_id });
    expect(made).toEqual({
      id: expect.any(String),
      name: '',
      description: '',
      project_id: 'red',
      tenant_id: 'red',
      tags: [],
      revision_number: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      network_id,
      admin_state_up: true,
      mac_address: expect.stringMatching(/^fa:16:3e(:[0-9a-f]{2}){3}$/),
      fixed_ips: [
        { subnet_id, ip_address: expect.stringMatching(/^10\.0\.0\.\d+$/) },
        { subnet_id: v6.id, ip_address: expect.stringMatching(/^fd00::/) },
      ],
      device_id: '',
      device_owner: '',
      status: 'DOWN',
      'binding:vnic_type': 'normal',
      security_groups: [],
      port_security_enabled: false,
      allowed_address_pairs: [],
      extra_dhcp_opts: [],
    });
  });

  it('has no address on a network without subnets, or if it wants none', async () => {
    const { make, network_id } = await site();
    const { id } = await make('networks', { name: 'bare' });
    expect(await make('ports', { network_id: id })).toMatchObject({ fixed_ips: [] });
    expect(await make('ports', { network_id, fixed_ips: [] })).toMatchObject({ fixed_ips: [] });
  });

  it('gets the addresses that it asks for', async () => {
    const { make, request, network_id, subnet_id } = await site();
    const ask = async (...fixed_ips: object[]) => {
      const { fixed_ips: got } = await make('ports', { network_id, fixed_ips });
      return (got as { ip_address: string }[]).map(({ ip_address: ip }) => ip);
    };
    expect(await ask({ ip_address: '10.0.0.9' }, { subnet_id, ip_address: '10.0.0.11' })).toEqual([
      '10.0.0.9',
      '10.0.0.11',
    ]);
    // Of the gateway, too: a machine may be it.
    expect(await ask({ ip_address: '10.0.0.1' })).toEqual(['10.0.0.1']);
    const two = await ask({ subnet_id }, { subnet_id });
    expect(new Set(two).size).toBe(2);
    const body = { port: { network_id, fixed_ips: [{ ip_address: '10.0.0.9' }] } };
    expect(refusal(await request(`POST ${at}`, { body }))).toEqual([409, 'IpAddressInUse']);
  });

  it.each([
    [{ fixed_ips: [{ ip_address: '10.0.1.9' }] }, 400, 'InvalidIpForNetwork'],
    [{ fixed_ips: [{ ip_address: '10.0.0.255' }] }, 400, 'InvalidIpForSubnet'],
    [{ fixed_ips: [{ subnet_id: countedUuid(77) }] }, 400, 'InvalidInput'],
    [{ fixed_ips: [{ ip_address: '10.0.0.9' }, { ip_address: '10.0.0.9' }] }, 400, 'InvalidInput'],
    [{ fixed_ips: [{}] }, 400, 'HTTPBadRequest'],
    [{ fixed_ips: [{ ip_address: 'x' }] }, 400, 'HTTPBadRequest'],
    [{ mac_address: '01:00:5e:00:00:01' }, 400, 'HTTPBadRequest'],
    [{ network_id: countedUuid(77) }, 404, 'NetworkNotFound'],
    [{ network_id: undefined }, 400, 'HTTPBadRequest'],
    [{ security_groups: [countedUuid(77)] }, 400, 'InvalidInput'],
    [{ allowed_address_pairs: [{ ip_address: '10.0.0.9' }] }, 400, 'HTTPBadRequest'],
    [{ extra_dhcp_opts: [{ opt_name: 'x', opt_value: 'y' }] }, 400, 'HTTPBadRequest'],
    [{ port_security_enabled: true }, 400, 'HTTPBadRequest'],
    [{ device_owner: 'compute:nova' }, 403, 'PolicyNotAuthorized'],
    [{ 'binding:host_id': 'n1' }, 403, 'PolicyNotAuthorized'],
    [{ 'binding:profile': { a: 1 } }, 403, 'PolicyNotAuthorized'],
  ])('with %j is refused: %i %s', async (values, status, type) => {
    const { request, network_id } = await site();
    const answer = await request(`POST ${at}`, { body: { port: { network_id, ...values } } });
    expect(refusal(answer)).toEqual([status, type]);
  });

  it('is the only one with its MAC address on its network', async () => {
    const { make, request, network_id } = await site();
    const other = await make('networks', { name: 'other' });
    const mac_address = '52-54-00-AA-00-01';
    expect(await make('ports', { network_id, mac_address })).toMatchObject({ mac_address: '52:54:00:aa:00:01' });
    expect(refusal(await request(`POST ${at}`, { body: { port: { network_id, mac_address } } }))).toEqual([
      409,
      'MacAddressInUse',
    ]);
    expect((await make('ports', { network_id: other.id, mac_address })).mac_address).toBe('52:54:00:aa:00:01');
  });

  it('finds no more addresses when the pool is empty, and some when a port goes', async () => {
    const { make, request, network_id } = await site({ cidr: '10.0.0.0/30' });
    const { id } = await make('ports', { network_id });
    const body = { port: { network_id } };
    expect(refusal(await request(`POST ${at}`, { body }))).toEqual([409, 'IpAddressGenerationFailure']);
    await request(`DELETE ${at}/${id}`);
    expect((await request(`POST ${at}`, { body })).status).toBe(201);
  });

  it('is made on networks of the own project and on shared ones', async () => {
    const { make, request } = createFront();
    const tries = { own: {}, shared: { shared: true }, external: { 'router:external': true } };
    const outcome = async (network: object, owner: typeof ann, values: object = {}) => {
      const { id: network_id } = await make('networks', network, owner);
      await make('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, owner);
      return (await request(`POST ${at}`, { body: { port: { network_id, ...values } } })).status;
    };
    expect(await outcome(tries.own, ann)).toBe(201);
    expect(await outcome(tries.own, bob)).toBe(404);
    expect(await outcome(tries.shared, root)).toBe(201);
    expect(await outcome(tries.external, root)).toBe(403);
    // Which address is whose is for the owner of the network to say.
    expect(await outcome(tries.shared, root, { fixed_ips: [{ ip_address: '10.0.0.9' }] })).toBe(403);
    expect(await outcome(tries.shared, root, { mac_address: '52:54:00:aa:00:01' })).toBe(403);
  });

  it('may have the security group of its project, which does nothing', async () => {
    const { make, request, network_id } = await site();
    const { body } = await request('GET /v2.0/security-groups');
    const [{ id, ...group }] = body.security_groups;
    expect(group).toMatchObject({
      name: 'default',
      description: expect.stringContaining('Not enforced'),
      security_group_rules: [],
    });
    expect(await make('ports', { network_id, security_groups: [id] })).toMatchObject({ security_groups: [id] });
    expect((await request(`GET /v2.0/security-groups/${id}`)).body.security_group.id).toBe(id);
    expect((await request(`GET /v2.0/security-groups/${id}`, { subject: bob })).status).toBe(404);
    expect((await request('GET /v2.0/security-groups?name=other')).body).toEqual({ security_groups: [] });
    expect((await request('GET /v2.0/security-groups?project_id=blue')).body.security_groups).toEqual([]);
    expect(
      (await request('GET /v2.0/security-groups?project_id=blue', { subject: root })).body.security_groups[0],
    ).toMatchObject({
      project_id: 'blue',
    });
    expect((await request('POST /v2.0/security-groups', { body: { security_group: { name: 'x' } } })).status).toBe(405);
    expect((await request('GET /v2.0/security-group-rules')).body).toEqual({ security_group_rules: [] });
  });
});

describe('a change of a port', () => {
  it('gives up addresses and takes others, and keeps what it names again', async () => {
    const { make, request, network_id, subnet_id } = await site();
    const { id, fixed_ips } = await make('ports', { network_id });
    const put = async (values: object) => (await request(`PUT ${at}/${id}`, { body: { port: values } })).body.port;
    const more = await put({ fixed_ips: [...fixed_ips, { ip_address: '10.0.0.99' }] });
    expect(more.fixed_ips).toEqual([...fixed_ips, { subnet_id, ip_address: '10.0.0.99' }]);
    expect((await put({ fixed_ips: [{ subnet_id }] })).fixed_ips).toEqual(fixed_ips);
    expect((await put({ fixed_ips: [] })).fixed_ips).toEqual([]);
    expect(await make('ports', { network_id, fixed_ips: [{ ip_address: '10.0.0.99' }] })).toMatchObject({});
    expect((await put({ name: 'x', description: 'y' })).name).toBe('x');
  });

  it('is for members of its project', async () => {
    const { make, request, network_id } = await site();
    const { id } = await make('ports', { network_id });
    const body = { port: { name: 'x' } };
    const status = async (subject: typeof ann) => (await request(`PUT ${at}/${id}`, { body, subject })).status;
    expect([await status(ann), await status(ray), await status(bob), await status(root)]).toEqual([200, 403, 404, 200]);
  });
});

describe('a port whose MAC address is taken back', () => {
  it('keeps the one that it has', async () => {
    const front = createFront();
    const { network_id } = await withSubnet(front);
    const { id, mac_address } = await front.make('ports', { network_id });
    const { status, body } = await front.request(`PUT ${at}/${id}`, { body: { port: { mac_address: null } } });
    expect([status, body.port.mac_address]).toEqual([200, mac_address]);
  });
});

describe('a port that a server has', () => {
  const bound = async () => {
    const all = await site();
    const { id } = await all.make('ports', { network_id: all.network_id });
    const server = countedUuid(900);
    await bindPort(all.platform, id as string, {
      device_id: server,
      device_owner: 'compute:nova',
      host_id: countedUuid(901),
      mac_address: '52:54:00:aa:00:01',
    });
    return { ...all, id: id as string, server };
  };

  it('shows the node to administrators only', async () => {
    const { request, id, server } = await bound();
    const { port } = (await request(`GET ${at}/${id}`)).body;
    expect(port).toMatchObject({ status: 'ACTIVE', device_id: server, device_owner: 'compute:nova' });
    expect(Object.keys(port as object).filter((name) => name.startsWith('binding'))).toEqual(['binding:vnic_type']);
    const { port: seen } = (await request(`GET ${at}/${id}`, { subject: root })).body;
    expect(seen).toMatchObject({
      'binding:host_id': countedUuid(901),
      'binding:vif_type': 'other',
      'binding:vif_details': {},
    });
  });

  it('is not removed or taken away, but by the administrator', async () => {
    const { request, id } = await bound();
    expect(refusal(await request(`DELETE ${at}/${id}`))).toEqual([409, 'PortInUse']);
    const put = async (values: object, subject = ann) =>
      request(`PUT ${at}/${id}`, { body: { port: values }, subject });
    expect(refusal(await put({ device_id: '' }))).toEqual([409, 'PortInUse']);
    expect(refusal(await put({ mac_address: '52:54:00:aa:00:02' }))).toEqual([409, 'PortBound']);
    expect(refusal(await put({ device_owner: '' }))).toEqual([403, 'PolicyNotAuthorized']);
    expect((await put({ device_owner: '', device_id: '' }, root)).status).toBe(200);
    expect((await request(`DELETE ${at}/${id}`)).status).toBe(204);
  });

  it('is found by its server', async () => {
    const { request, make, network_id, id, server } = await bound();
    await make('ports', { network_id });
    const ids = async (query: string) =>
      (await request(`GET ${at}?${query}`)).body.ports.map(({ id: one }: { id: string }) => one) as string[];
    expect(await ids(`device_id=${server}`)).toEqual([id]);
    expect(await ids(`device_id=${server}&network_id=${network_id}`)).toEqual([id]);
    expect(await ids('status=ACTIVE')).toEqual([id]);
    expect(await ids('mac_address=52:54:00:AA:00:01')).toEqual([id]);
  });
});

it('ports are found by their addresses', async () => {
  const { make, request, network_id, subnet_id } = await site();
  const { id } = await make('ports', { network_id, fixed_ips: [{ ip_address: '10.0.0.9' }] });
  await make('ports', { network_id, fixed_ips: [] });
  const ids = async (query: string) =>
    (await request(`GET ${at}?${query}`)).body.ports.map(({ id: one }: { id: string }) => one) as string[];
  expect(await ids('fixed_ips=ip_address=10.0.0.9')).toEqual([id]);
  expect(await ids(`fixed_ips=subnet_id=${subnet_id}&fixed_ips=ip_address=10.0.0.9`)).toEqual([id]);
  expect(await ids('fixed_ips=ip_address_substr=0.0.9')).toEqual([id]);
  expect(await ids('fixed_ips=ip_address=10.0.0.10')).toEqual([]);
  expect(await ids(`subnet_id=${subnet_id}`)).toEqual([id]);
});
