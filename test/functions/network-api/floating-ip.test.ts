/** Floating IPs, through the front door. */
import { describe, expect, it } from 'vitest';

import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { openChanges } from '../../../layers/store/address-changes.ts';
import { ann, bob, createFront, ray, refusal, root, withSubnet } from './front.ts';

const at = '/v2.0/floatingips';

const site = async () => {
  const front = createFront();
  const external = { network: { name: 'public', 'router:external': true }, cidr: '203.0.113.0/24', subject: root };
  const { network_id: floating_network_id, subnet_id } = await withSubnet(front, external);
  const { network_id } = await withSubnet(front);
  const port = await front.make('ports', { network_id });
  return { ...front, floating_network_id, subnet_id, network_id, port };
};

describe('a floating IP', () => {
  it('is any address of an external network', async () => {
    const { make, floating_network_id, subnet_id } = await site();
    expect(await make('floatingips', { floating_network_id })).toEqual({
      id: expect.any(String),
      description: '',
      project_id: 'red',
      tenant_id: 'red',
      tags: [],
      revision_number: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      floating_network_id,
      floating_ip_address: expect.stringMatching(/^203\.0\.113\.\d+$/),
      subnet_id,
      port_id: null,
      fixed_ip_address: null,
      router_id: null,
      status: 'DOWN',
    });
  });

  it('stands for the address of a port, then of another one, then of none', async () => {
    const { make, request, platform, floating_network_id, network_id, port } = await site();
    const { id, ...made } = await make('floatingips', { floating_network_id, port_id: port.id });
    expect(made).toMatchObject({ port_id: port.id, fixed_ip_address: port.fixed_ips[0].ip_address, status: 'ACTIVE' });
    const other = await make('ports', { network_id });
    const put = async (values: object) =>
      (await request(`PUT ${at}/${id}`, { body: { floatingip: values } })).body.floatingip;
    expect(await put({ port_id: other.id })).toMatchObject({ fixed_ip_address: other.fixed_ips[0].ip_address });
    expect(await put({ description: 'x' })).toMatchObject({ port_id: other.id, description: 'x' });
    expect(await put({ port_id: null })).toMatchObject({ port_id: null, fixed_ip_address: null, status: 'DOWN' });
    // No server has the ports, so there is nobody to tell.
    expect(await openChanges(platform.table, { limit: 10 })).toEqual([]);
  });

  it('goes, and its address is free', async () => {
    const { make, request, platform, floating_network_id, port } = await site();
    const before = platform.table.items().length;
    const { id } = await make('floatingips', { floating_network_id, port_id: port.id });
    expect((await request(`DELETE ${at}/${id}`)).status).toBe(204);
    expect(platform.table.items()).toHaveLength(before);
    expect(refusal(await request(`GET ${at}/${id}`))).toEqual([404, 'FloatingIPNotFound']);
  });

  it('keeps its network from going, or from being no external one', async () => {
    const { make, request, floating_network_id } = await site();
    await make('floatingips', { floating_network_id });
    const network = `/v2.0/networks/${floating_network_id}`;
    expect(refusal(await request(`DELETE ${network}`, { subject: root }))).toEqual([409, 'NetworkInUse']);
    const body = { network: { 'router:external': false } };
    expect(refusal(await request(`PUT ${network}`, { body, subject: root }))).toEqual([409, 'ExternalNetworkInUse']);
  });

  it('of a chosen address is for administrators', async () => {
    const { make, request, floating_network_id } = await site();
    const floatingip = { floating_network_id, floating_ip_address: '203.0.113.77' };
    expect(refusal(await request(`POST ${at}`, { body: { floatingip } }))).toEqual([403, 'PolicyNotAuthorized']);
    const made = await make('floatingips', { ...floatingip, project_id: 'red' }, root);
    expect(made).toMatchObject({ floating_ip_address: '203.0.113.77', project_id: 'red' });
    expect(refusal(await request(`POST ${at}`, { body: { floatingip }, subject: root }))).toEqual([
      409,
      'IpAddressInUse',
    ]);
    expect((await request(`GET ${at}/${made.id}`)).status).toBe(200);
  });

  it('is refused what makes no sense', async () => {
    const { make, request, floating_network_id, network_id, port } = await site();
    const bare = await make('ports', { network_id, fixed_ips: [] });
    const many = await make('ports', {
      network_id,
      fixed_ips: [{ ip_address: '10.0.0.8' }, { ip_address: '10.0.0.9' }],
    });
    const ask = async (values: object, subject = ann) =>
      refusal(await request(`POST ${at}`, { body: { floatingip: { floating_network_id, ...values } }, subject }));
    expect(await ask({ floating_network_id: network_id })).toEqual([400, 'BadRequest']);
    expect(await ask({ floating_network_id: countedUuid(77) })).toEqual([404, 'NetworkNotFound']);
    expect(await ask({ port_id: countedUuid(77) })).toEqual([404, 'PortNotFound']);
    expect(await ask({ port_id: bare.id })).toEqual([400, 'BadRequest']);
    expect(await ask({ port_id: many.id })).toEqual([400, 'BadRequest']);
    expect(await ask({ port_id: port.id, fixed_ip_address: '10.0.0.250' })).toEqual([400, 'BadRequest']);
    expect(await ask({ fixed_ip_address: '10.0.0.250' })).toEqual([400, 'BadRequest']);
    expect(await ask({ subnet_id: countedUuid(77) })).toEqual([400, 'BadRequest']);
    expect(await ask({ port_id: port.id }, bob)).toEqual([404, 'PortNotFound']);
    expect(await ask({}, ray)).toEqual([403, 'PolicyNotAuthorized']);
    expect(
      (await make('floatingips', { floating_network_id, port_id: many.id, fixed_ip_address: '10.0.0.9' })).status,
    ).toBe('ACTIVE');
  });

  it('is the only one of an address', async () => {
    const { make, request, floating_network_id, port } = await site();
    const body = { floatingip: { floating_network_id, port_id: port.id } };
    await make('floatingips', body.floatingip);
    expect(refusal(await request(`POST ${at}`, { body }))).toEqual([409, 'FloatingIPPortAlreadyAssociated']);
  });

  it('is seen by its project', async () => {
    const { make, request, floating_network_id, port } = await site();
    const { id } = await make('floatingips', { floating_network_id, port_id: port.id });
    const seen = async (subject: typeof ann, query = '') => [
      (await request(`GET ${at}/${id}`, { subject })).status,
      (await request(`GET ${at}${query}`, { subject })).body.floatingips.length as number,
    ];
    expect(await seen(ann, `?port_id=${port.id}&status=ACTIVE`)).toEqual([200, 1]);
    expect(await seen(ray)).toEqual([200, 1]);
    expect(await seen(bob)).toEqual([404, 0]);
    expect(await seen(root)).toEqual([200, 1]);
  });
});
