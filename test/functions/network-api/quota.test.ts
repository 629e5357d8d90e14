/** Quotas, and what else clients ask of the API, through the front door. */
import { describe, expect, it } from 'vitest';

import { counted, type Counted } from '../../../layers/domain/network/quota.ts';
import { ann, bob, chief, createFront, refusal, root, withSubnet } from './front.ts';

const at = '/v2.0/quotas';
const usual = { network: 100, subnet: 100, port: 500, floatingip: 50 };

describe('the quotas of a project', () => {
  it('are the usual ones, until an administrator sets others, and again when he removes them', async () => {
    const { request } = createFront();
    const limits = async (path = '') => (await request(`GET ${at}/red${path}`)).body.quota;
    expect(await limits()).toEqual({ ...usual, project_id: 'red', tenant_id: 'red' });
    const body = { quota: { network: 2, port: -1 } };
    expect(refusal(await request(`PUT ${at}/red`, { body }))).toEqual([403, 'PolicyNotAuthorized']);
    expect((await request(`PUT ${at}/red`, { body, subject: chief })).body.quota).toMatchObject({
      network: 2,
      port: -1,
      subnet: 100,
    });
    await request(`PUT ${at}/red`, { body: { quota: { network: 3 } }, subject: root });
    expect(await limits()).toMatchObject({ network: 3, port: -1 });
    expect(await limits('/default')).toMatchObject(usual);
    expect((await request(`GET ${at}`, { subject: root })).body.quotas).toEqual([
      { ...usual, network: 3, port: -1, project_id: 'red', tenant_id: 'red' },
    ]);
    expect((await request(`DELETE ${at}/red`, { subject: root })).status).toBe(204);
    expect((await request(`DELETE ${at}/red`, { subject: root })).status).toBe(204);
    expect(await limits()).toMatchObject(usual);
  });

  it('are told to those of the project', async () => {
    const { request } = createFront();
    const status = async (subject: typeof ann) => (await request(`GET ${at}/red`, { subject })).status;
    expect([await status(ann), await status(bob), await status(root)]).toEqual([200, 403, 200]);
    expect(refusal(await request(`GET ${at}`))).toEqual([403, 'PolicyNotAuthorized']);
  });

  it('let no more be made', async () => {
    const { request, make } = createFront();
    await request(`PUT ${at}/red`, { body: { quota: { network: 2, subnet: 0 } }, subject: root });
    const [{ id }] = [await make('networks', {}), await make('networks', {})];
    expect(refusal(await request('POST /v2.0/networks', { body: { network: {} } }))).toEqual([409, 'OverQuota']);
    const subnet = { network_id: id, ip_version: 4, cidr: '10.0.0.0/24' };
    expect(refusal(await request('POST /v2.0/subnets', { body: { subnet } }))).toEqual([409, 'OverQuota']);
    const { quota } = (await request(`GET ${at}/red/details`)).body;
    expect(quota.network).toEqual({ limit: 2, used: 2, reserved: 0 });
    const lower = { quota: { network: 1, check_limit: true } };
    expect((await request(`PUT ${at}/red`, { body: lower, subject: root })).status).toBe(400);
    await request(`DELETE /v2.0/networks/${id}`);
    expect(await make('networks', {})).toMatchObject({ name: '' });
    // Another project has its own.
    expect(await make('networks', {}, bob)).toMatchObject({ project_id: 'blue' });
  });

  it.each(counted)('of %s are enforced', async (name) => {
    const front = createFront();
    const { network_id } = await withSubnet(front);
    const external = { network: { 'router:external': true }, cidr: '203.0.113.0/24', subject: root };
    const { network_id: floating_network_id } = await withSubnet(front, external);
    await front.request(`PUT ${at}/red`, { body: { quota: { [name]: 1 } }, subject: root });
    const bodies = {
      network: {},
      subnet: { network_id, ip_version: 4, cidr: '10.9.0.0/24' },
      port: { network_id },
      floatingip: { floating_network_id },
    } satisfies Record<Counted, object>;
    const make = async () => front.request(`POST /v2.0/${name}s`, { body: { [name]: bodies[name] } });
    const [first, second] = [await make(), await make()];
    // There are a network and a subnet already.
    const isThere = name === 'network' || name === 'subnet';
    expect(first.status).toBe(isThere ? 409 : 201);
    expect(refusal(second)).toEqual([409, 'OverQuota']);
  });

  it('that are lowered count what was made before', async () => {
    const { request, make } = createFront();
    for (let count = 0; count < 8; count += 1) await make('networks', {});
    const limit = async (network: number) => request(`PUT ${at}/red`, { body: { quota: { network } }, subject: root });
    await limit(9);
    expect(await make('networks', {})).toMatchObject({ name: '' });
    for (const network of [9, 5, 1, 0]) {
      await limit(network);
      expect(refusal(await request('POST /v2.0/networks', { body: { network: {} } }))).toEqual([409, 'OverQuota']);
    }
    await limit(12);
    const all = Array.from({ length: 20 }, async () => request('POST /v2.0/networks', { body: { network: {} } }));
    expect((await Promise.all(all)).filter(({ status }) => status === 201)).toHaveLength(3);
  });

  it.each([{ router: 5 }, { network: -2 }, { network: 'x' }, { created_at: 'x' }])('are not %j', async (quota) => {
    const answer = await createFront().request(`PUT ${at}/red`, { body: { quota }, subject: root });
    expect(refusal(answer)).toEqual([400, 'HTTPBadRequest']);
  });
});

describe('what clients ask before they use the API', () => {
  it('is which extensions there are', async () => {
    const { request } = createFront();
    const { extensions } = (await request('GET /v2.0/extensions')).body;
    expect(extensions.map(({ alias }: { alias: string }) => alias)).toContain('external-net');
    expect((await request('GET /v2.0/extensions/quotas')).body.extension.alias).toBe('quotas');
    expect((await request('GET /v2.0/extensions/router')).status).toBe(404);
    expect((await request('GET /v2.0/availability_zones')).body).toEqual({ availability_zones: [] });
  });

  it('is answered to nobody who says not who he is', async () => {
    const { request } = createFront();
    for (const path of ['networks', 'ports', 'quotas/red', 'extensions', 'security-groups']) {
      expect((await request(`GET /v2.0/${path}`, { subject: null })).status).toBe(401);
    }
  });
});
