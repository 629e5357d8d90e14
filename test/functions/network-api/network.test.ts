/** Networks, through the front door. */
import { describe, expect, it } from 'vitest';

import { withoutNote } from '../../layers/store/due-entries.ts';
import { ann, bob, createFront, ray, refusal, root, withSubnet } from './front.ts';

const at = '/v2.0/networks';
const namesIn = (body: { networks: { name: string }[] }) => body.networks.map(({ name }) => name);

describe('a network', () => {
  it('is made with what is usual', async () => {
    const { request } = createFront();
    const { status, body } = await request(`POST ${at}`, { body: { network: { name: 'private' } } });
    expect(status).toBe(201);
    expect(body.network).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'private',
      description: '',
      project_id: 'red',
      tenant_id: 'red',
      tags: [],
      revision_number: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
      admin_state_up: true,
      status: 'ACTIVE',
      shared: false,
      'router:external': false,
      mtu: 1500,
      subnets: [],
      port_security_enabled: false,
      availability_zone_hints: [],
      availability_zones: [],
    });
  });

  it('is changed, and counts it', async () => {
    const { request, make } = createFront();
    const { id } = await make('networks', { name: 'private' });
    const body = { network: { name: 'other', admin_state_up: 'False', mtu: '9000' } };
    const { body: answer } = await request(`PUT ${at}/${id}`, { body });
    expect(answer.network).toMatchObject({
      name: 'other',
      admin_state_up: false,
      status: 'DOWN',
      mtu: 9000,
      revision_number: 2,
    });
    expect((await request(`GET ${at}/${id}`)).body).toEqual(answer);
  });

  it('is removed with its subnets, unless a port is on it', async () => {
    const front = createFront();
    const { network_id, subnet_id } = await withSubnet(front);
    const { id } = await front.make('ports', { network_id });
    expect(refusal(await front.request(`DELETE ${at}/${network_id}`))).toEqual([409, 'NetworkInUse']);
    await front.request(`DELETE /v2.0/ports/${id}`);
    expect((await front.request(`DELETE ${at}/${network_id}`)).status).toBe(204);
    expect(refusal(await front.request(`GET ${at}/${network_id}`))).toEqual([404, 'NetworkNotFound']);
    expect(refusal(await front.request(`GET /v2.0/subnets/${subnet_id}`))).toEqual([404, 'SubnetNotFound']);
    expect(withoutNote(front.platform.table.items())).toEqual([]);
  });

  it.each([
    [{ shared: true }, 'update_network:shared'],
    [{ 'router:external': true }, 'update_network:router:external'],
    [{ 'provider:network_type': 'vlan' }, 'create_network:provider'],
    [{ project_id: 'blue' }, 'create_network'],
  ])('with %j is made by administrators only', async (values, rule) => {
    const { request } = createFront();
    const { status, body } = await request(`POST ${at}`, { body: { network: values } });
    expect([status, body.NeutronError.type]).toEqual([403, 'PolicyNotAuthorized']);
    expect(body.NeutronError.message).toBe(`rule:${rule} is disallowed by policy`);
  });

  it('says what is not so without being an administrator of it', async () => {
    const { make } = createFront();
    expect(await make('networks', { shared: false, 'router:external': false })).toMatchObject({ shared: false });
  });

  it('tells administrators where it is in the equipment, and nobody else', async () => {
    const { request, make } = createFront();
    const segment = {
      'provider:network_type': 'vlan',
      'provider:physical_network': 'physnet1',
      'provider:segmentation_id': 101,
    };
    const { id, ...shown } = await make('networks', { ...segment, project_id: 'red' }, root);
    expect(shown).toMatchObject(segment);
    const { network } = (await request(`GET ${at}/${id}`)).body;
    expect(Object.keys(network as object).filter((name) => name.startsWith('provider'))).toEqual([]);
    const filter = 'provider:segmentation_id=101';
    expect(refusal(await request(`GET ${at}?${filter}`))).toEqual([400, 'HTTPBadRequest']);
    expect((await request(`GET ${at}?${filter}`, { subject: root })).body.networks).toHaveLength(1);
    expect(refusal(await request(`POST ${at}`, { body: { network: segment }, subject: root }))).toEqual([
      409,
      'VlanIdInUse',
    ]);
    await request(`DELETE ${at}/${id}`, { subject: root });
    expect(await make('networks', segment, root)).toMatchObject(segment);
  });

  it.each([
    [{ 'provider:network_type': 'vlan', 'provider:segmentation_id': 5 }, 'physical_network is required'],
    [
      { 'provider:network_type': 'vlan', 'provider:physical_network': 'p', 'provider:segmentation_id': 4095 },
      '1 to 4094',
    ],
    [
      { 'provider:network_type': 'flat', 'provider:physical_network': 'p', 'provider:segmentation_id': 5 },
      'not possible',
    ],
    [{ 'provider:network_type': 'vxlan' }, '1 to 16777215'],
    [{ 'provider:physical_network': 'p' }, 'network_type is required'],
  ])('%j makes no sense', async (network, words) => {
    const { status, body } = await createFront().request(`POST ${at}`, { body: { network }, subject: root });
    expect([status, body.NeutronError.type]).toEqual([400, 'InvalidInput']);
    expect(body.NeutronError.message).toContain(words);
  });

  it('that is shared stays so while others use it', async () => {
    const front = createFront();
    const { network_id } = await withSubnet(front, { network: { shared: true }, subject: root });
    const { id } = await front.make('ports', { network_id });
    const body = { network: { shared: false } };
    expect(refusal(await front.request(`PUT ${at}/${network_id}`, { body, subject: root }))).toEqual([
      409,
      'InvalidSharedSetting',
    ]);
    await front.request(`DELETE /v2.0/ports/${id}`);
    expect((await front.request(`PUT ${at}/${network_id}`, { body, subject: root })).status).toBe(200);
    expect((await front.request(`GET ${at}/${network_id}`)).status).toBe(404);
  });
});

describe('who sees a network', () => {
  it('is its project, and all if it is shared or external', async () => {
    const { request, make } = createFront();
    await make('networks', { name: 'anns' });
    await make('networks', { name: 'bobs' }, bob);
    await make('networks', { name: 'shared', shared: true }, root);
    await make('networks', { name: 'public', 'router:external': true }, root);
    const seen = async (subject: typeof ann) => namesIn((await request(`GET ${at}`, { subject })).body);
    expect(await seen(ann)).toEqual(['anns', 'shared', 'public']);
    expect(await seen(ray)).toEqual(['anns', 'shared', 'public']);
    expect(await seen(bob)).toEqual(['bobs', 'shared', 'public']);
    expect(await seen(root)).toEqual(['anns', 'bobs', 'shared', 'public']);
  });

  it('sees its subnets too, as long as that is so', async () => {
    const front = createFront();
    const { network_id, subnet_id } = await withSubnet(front, { network: { shared: true }, subject: root });
    const seen = async () => [
      (await front.request(`GET /v2.0/subnets/${subnet_id}`)).status,
      (await front.request('GET /v2.0/subnets')).body.subnets.length as number,
    ];
    expect(await seen()).toEqual([200, 1]);
    await front.request(`PUT ${at}/${network_id}`, { body: { network: { shared: false } }, subject: root });
    expect(await seen()).toEqual([404, 0]);
    await front.request(`PUT ${at}/${network_id}`, { body: { network: { 'router:external': true } }, subject: root });
    expect(await seen()).toEqual([200, 1]);
  });
});

describe('a list', () => {
  const withThree = async () => {
    const front = createFront();
    const made = [];
    for (const name of ['b', 'c', 'a'])
      made.push(await front.make('networks', { name, description: name === 'c' ? 'x' : '' }));
    return { ...front, ids: made.map(({ id }) => id as string) };
  };

  it('is filtered by fields, of which several values are possible', async () => {
    const { request, ids } = await withThree();
    const names = async (query: string) => namesIn((await request(`GET ${at}?${query}`)).body);
    expect(await names('name=a&name=b')).toEqual(['b', 'a']);
    expect(await names('name=')).toEqual(['b', 'c', 'a']);
    expect(await names('description=x&shared=False')).toEqual(['c']);
    expect(await names('shared=true')).toEqual([]);
    expect(await names('status=DOWN')).toEqual([]);
    expect(await names(`id=${ids[1]}&id=${ids[0]}`)).toEqual(['b', 'c']);
    expect(await names('tenant_id=red')).toEqual(['b', 'c', 'a']);
    expect(await names('project_id=blue')).toEqual([]);
    expect(await names('mtu=1500')).toEqual(['b', 'c', 'a']);
    expect(refusal(await request(`GET ${at}?shared=perhaps`))).toEqual([400, 'HTTPBadRequest']);
    expect(refusal(await request(`GET ${at}?nothing=1`))).toEqual([400, 'HTTPBadRequest']);
  });

  it('has an order', async () => {
    const { request } = await withThree();
    const names = async (query: string) => namesIn((await request(`GET ${at}?${query}`)).body);
    expect(await names('sort_key=name&sort_dir=asc')).toEqual(['a', 'b', 'c']);
    expect(await names('sort_key=name&sort_dir=desc')).toEqual(['c', 'b', 'a']);
    expect(await names('sort_key=mtu&sort_dir=desc&sort_key=name&sort_dir=asc')).toEqual(['a', 'b', 'c']);
    for (const query of [
      'sort_key=nothing',
      'sort_key=name&sort_dir=up',
      'sort_dir=asc',
      'sort_key=provider:network_type',
    ]) {
      expect((await request(`GET ${at}?${query}`)).status).toBe(400);
    }
  });

  it('has pages, there and back', async () => {
    const { request } = await withThree();
    for (const order of ['', '&sort_key=name&sort_dir=asc']) {
      const all = namesIn((await request(`GET ${at}?${order}`)).body);
      const follow = async (line: string, rel: string) => {
        const { body } = await request(line);
        const link = (body.networks_links ?? []).find((one: { rel: string }) => one.rel === rel);
        return {
          names: namesIn(body),
          next: (link?.href as string | undefined)?.replace('http://cloud.test/network', 'GET '),
        };
      };
      const first = await follow(`GET ${at}?limit=2${order}`, 'next');
      expect(first.names).toEqual(all.slice(0, 2));
      const second = await follow(first.next!.replace('GET  ', 'GET '), 'previous');
      expect(second.names).toEqual(all.slice(2));
      const back = await follow(second.next!, 'next');
      expect(back.names).toEqual(all.slice(0, 2));
    }
  });

  it('shows the fields that are named', async () => {
    const { request, ids } = await withThree();
    expect((await request(`GET ${at}?name=a&fields=id&fields=name`)).body.networks).toEqual([
      { id: ids[2], name: 'a' },
    ]);
    expect((await request(`GET ${at}/${ids[2]}?fields=name`)).body.network).toEqual({ name: 'a' });
    expect((await request(`GET ${at}/${ids[2]}?fields=name,id`)).body.network).toEqual({ id: ids[2], name: 'a' });
  });
});

describe('what cannot be asked', () => {
  it.each([
    ['POST', {}],
    ['POST', { network: 'x' }],
    ['POST', { network: {}, more: 1 }],
    ['POST', { network: { nothing: 1 } }],
    ['POST', { network: { id: 'x' } }],
    ['POST', { network: { status: 'ACTIVE' } }],
    ['POST', { network: { project_id: 'red', tenant_id: 'blue' } }],
    ['POST', { network: { port_security_enabled: true } }],
    ['POST', { network: { mtu: 5 } }],
    ['POST', { networks: [] }],
    ['POST', { networks: ['x'] }],
    ['PUT', { network: { project_id: 'blue' } }],
    ['PUT', { network: { subnets: [] } }],
    ['PUT', { network: { nothing: 1 } }],
    ['PUT', { network: { 'provider:network_type': 'vlan' } }],
  ])('%s %j is refused', async (method, body) => {
    const { request, make } = createFront();
    const { id } = await make('networks', { name: 'private' });
    const line = method === 'POST' ? `POST ${at}` : `PUT ${at}/${id}`;
    expect(refusal(await request(line, { body, subject: root }))).toEqual([400, 'HTTPBadRequest']);
  });

  it('is a network of no UUID', async () => {
    expect(refusal(await createFront().request(`GET ${at}/private`))).toEqual([404, 'NetworkNotFound']);
  });
});

describe('several at once', () => {
  it('are made in their order', async () => {
    const { request } = createFront();
    const body = { networks: [{ name: 'one' }, { name: 'two' }] };
    const answer = await request(`POST ${at}`, { body });
    expect([answer.status, namesIn(answer.body)]).toEqual([201, ['one', 'two']]);
  });

  it('are none if one is refused', async () => {
    const { request, platform } = createFront();
    const wrong = { name: 'two', 'provider:network_type': 'vxlan' };
    const body = { networks: [{ name: 'one' }, wrong] };
    expect((await request(`POST ${at}`, { body, subject: root })).status).toBe(400);
    expect(withoutNote(platform.table.items())).toEqual([]);
  });
});

describe('tags', () => {
  it('are put on a record, and it is found by them', async () => {
    const { request, make } = createFront();
    const { id } = await make('networks', { name: 'one' });
    await make('networks', { name: 'two' });
    const tags = `${at}/${id}/tags`;
    expect((await request(`PUT ${tags}`, { body: { tags: ['red', 'blue', 'red'] } })).body).toEqual({
      tags: ['red', 'blue'],
    });
    expect((await request(`PUT ${tags}/green`)).status).toBe(201);
    expect((await request(`GET ${tags}/green`)).status).toBe(204);
    expect((await request(`GET ${tags}`)).body).toEqual({ tags: ['red', 'blue', 'green'] });
    expect((await request(`DELETE ${tags}/blue`)).status).toBe(204);
    expect((await request(`DELETE ${tags}/blue`)).status).toBe(404);
    expect((await request(`GET ${tags}/blue`)).status).toBe(404);
    const names = async (query: string) => namesIn((await request(`GET ${at}?${query}`)).body);
    expect(await names('tags=red,green')).toEqual(['one']);
    expect(await names('tags=red,blue')).toEqual([]);
    expect(await names('tags-any=red,blue')).toEqual(['one']);
    expect(await names('not-tags=red,green')).toEqual(['two']);
    expect(await names('not-tags-any=red,blue')).toEqual(['two']);
    expect((await request(`DELETE ${tags}`)).status).toBe(204);
    expect((await request(`GET ${tags}`)).body).toEqual({ tags: [] });
  });
});
