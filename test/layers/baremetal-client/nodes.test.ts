import { beforeEach, describe, expect, it } from 'vitest';

import { answering, createTenant, instance, otherInstance, refusing, silent } from './tenant.ts';

let tenant: ReturnType<typeof createTenant>;
beforeEach(() => {
  tenant = createTenant();
});

const query = {
  free: true,
  placement_class: undefined,
  conductor_group: undefined,
  limit: 10,
  marker: undefined,
  descending: false,
};

describe('candidates', () => {
  it('are the free nodes, with what the scheduler looks at', async () => {
    const { uuid } = await tenant.store({ resource_class: 'gold', properties: { cpus: 4 }, conductor_group: 'a' });
    await tenant.store({ provision_state: 'active' });
    await tenant.store({ maintenance: true });
    await tenant.store({ instance_uuid: instance });
    expect(await tenant.client.listCandidates(query)).toEqual([
      {
        uuid,
        driver: 'fake-hardware',
        resource_class: 'gold',
        traits: [],
        properties: { cpus: 4 },
        conductor_group: 'a',
        maintenance: false,
        power_state: null,
        provision_state: 'available',
        instance_uuid: null,
        reservation: null,
      },
    ]);
  });

  it('are all nodes if not only the free ones are asked for', async () => {
    await tenant.store({ provision_state: 'active' });
    expect(await tenant.client.listCandidates({ ...query, free: false })).toHaveLength(1);
  });

  it('are of the class and the conductor group, the youngest first if that is asked for', async () => {
    const first = await tenant.store({ resource_class: 'gold-1', conductor_group: 'a' });
    const second = await tenant.store({ resource_class: 'gold-1', conductor_group: 'a' });
    await tenant.store({ resource_class: 'gold-1', conductor_group: 'b' });
    await tenant.store({ resource_class: 'silver', conductor_group: 'a' });
    const found = await tenant.client.listCandidates({
      ...query,
      placement_class: 'CUSTOM_GOLD_1',
      conductor_group: 'a',
      descending: true,
    });
    expect(found.map(({ uuid }) => uuid)).toEqual([second.uuid, first.uuid]);
  });

  it('go on behind a marker', async () => {
    const nodes = [await tenant.store(), await tenant.store(), await tenant.store()];
    const page = await tenant.client.listCandidates({ ...query, limit: 2, marker: nodes[0]!.uuid });
    expect(page.map(({ uuid }) => uuid)).toEqual([nodes[1]!.uuid, nodes[2]!.uuid]);
  });

  it('fill the page though the API gives shorter ones', async () => {
    const nodes = [await tenant.store(), await tenant.store(), await tenant.store()];
    tenant.mishap('GET', async ({ path, ...others }) =>
      tenant.platform.apis.baremetal({ ...others, path: path.replace('limit=3', 'limit=2') }),
    );
    const page = await tenant.client.listCandidates({ ...query, limit: 3 });
    expect(page.map(({ uuid }) => uuid)).toEqual(nodes.map(({ uuid }) => uuid));
  });
});

describe('a node', () => {
  it('is read with what servers depend on, in the pinned version, under the request id', async () => {
    const { uuid } = await tenant.store({ provision_state: 'deploy failed', last_error: 'oh', protected: true });
    expect(await tenant.client.getNode(uuid)).toMatchObject({
      uuid,
      provision_state: 'deploy failed',
      target_provision_state: null,
      target_power_state: null,
      protected: true,
      last_error: 'oh',
    });
    expect(tenant.platform.apis.calls.at(-1)!.wanted.headers).toEqual({
      'OpenStack-API-Version': 'baremetal 1.115',
      'X-OpenStack-Request-Id': 'req-1',
    });
  });

  it('is read without what it is made of and what it is told', async () => {
    const { uuid } = await tenant.store({ driver_info: { redfish_address: 'https://10.1.0.7' } });
    const { path } = (await tenant.client.getNode(uuid), tenant.platform.apis.calls.at(-1)!.wanted);
    expect(path).not.toMatch(/driver_info|instance_info|extra/);
    expect(await tenant.client.getNode(uuid)).not.toHaveProperty('driver_info');
  });

  it('is found by its instance', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, provision_state: 'active' });
    expect(await tenant.client.nodeOfInstance(instance)).toMatchObject({ uuid });
    expect(await tenant.client.nodeOfInstance(otherInstance)).toBeUndefined();
  });

  it('that is not there is BaremetalNotFound', async () => {
    await expect(tenant.client.getNode('nobody')).rejects.toMatchObject({ name: 'BaremetalNotFound', code: 500 });
  });

  it('whose name has another meaning in a path is asked for by it all the same', async () => {
    await expect(tenant.client.getNode('../ports?a=b/c')).rejects.toMatchObject({ name: 'BaremetalRefused' });
    expect(tenant.requests()).toEqual(['GET /v1/nodes/..%2Fports%3Fa%3Db%2Fc']);
  });

  it.each(['', '.', '..'])('and a VIF cannot be named "%s", which would make another path of theirs', async (name) => {
    const { uuid } = await tenant.store();
    await expect(tenant.client.getNode(name)).rejects.toMatchObject({ name: 'BaremetalNotFound' });
    await tenant.client.detachVif(uuid, name);
    expect(tenant.requests('DELETE')).toEqual([]);
  });

  it('that a newer service shows with more is read all the same', async () => {
    const { uuid } = await tenant.store();
    tenant.mishap('GET', async (_wanted, send) => {
      const reply = await send();
      return { ...reply, text: JSON.stringify({ ...(JSON.parse(reply.text) as object), shininess: 7 }) };
    });
    expect(await tenant.client.getNode(uuid)).not.toHaveProperty('shininess');
  });

  it.each([
    [{ uuid: 'n', driver: 'd' }, 'resource_class'],
    ['<html>', 'the body'],
    ['', 'the body'],
  ])('that is answered as %j is BaremetalProtocol that names %s', async (body, named) => {
    tenant.mishap('GET', answering(200, body));
    await expect(tenant.client.getNode('n')).rejects.toMatchObject({
      name: 'BaremetalProtocol',
      message: expect.stringContaining(`The answer to GET /v1/nodes/n cannot be read: ${named}:`),
    });
  });
});

describe('the cards of a machine', () => {
  it('are its ports and port groups, with the VIFs that are attached', async () => {
    const { uuid } = await tenant.store({ network_interface: 'flat' });
    const group = (await tenant.request('POST /v1/portgroups', { body: { node_uuid: uuid, mode: '802.3ad' } })).body;
    const body = { node_uuid: uuid, address: '52:54:00:00:00:01' };
    const alone = (await tenant.request('POST /v1/ports', { body })).body;
    const inGroup = { ...body, address: '52:54:00:00:00:02', portgroup_uuid: group.uuid };
    const member = (await tenant.request('POST /v1/ports', { body: inGroup })).body;
    await tenant.client.attachVif(uuid, 'vif-1');
    await tenant.client.attachVif(uuid, 'vif-2');
    const { cards, groups } = await tenant.client.getCards(uuid);
    expect(groups).toEqual([{ uuid: group.uuid, address: null, mode: '802.3ad', properties: {}, vif: 'vif-1' }]);
    expect(cards).toHaveLength(2);
    expect(cards).toContainEqual({ uuid: alone.uuid, address: body.address, portgroup_uuid: null, vif: 'vif-2' });
    expect(cards).toContainEqual({
      uuid: member.uuid,
      address: inGroup.address,
      portgroup_uuid: group.uuid,
      vif: null,
    });
  });
});

describe('the validation of a node', () => {
  it('has nothing to say of one that can be deployed', async () => {
    const { uuid } = await tenant.storeReady();
    expect(await tenant.client.validate(uuid)).toEqual([]);
  });

  it('says which of the needed interfaces is not ready, and why', async () => {
    const { uuid } = await tenant.storeReady({ instance_info: {}, inspect_interface: 'no-inspect' });
    expect(await tenant.client.validate(uuid)).toEqual([
      { interface: 'deploy', reason: expect.stringContaining('image_source') },
    ]);
  });
});

describe('when it does not work', () => {
  it('what nobody answers is asked again, with pauses that grow', async () => {
    const { uuid } = await tenant.store();
    const began = tenant.platform.clock.now();
    tenant.mishap('GET', silent, refusing(500, 'x'));
    expect(await tenant.client.getNode(uuid)).toMatchObject({ uuid });
    const waited = tenant.platform.clock.now() - began;
    expect(waited).toBeGreaterThan(750);
    expect(waited).toBeLessThanOrEqual(1500);
  });

  it('it is given up after three times, with a text for everybody and a cause for the log', async () => {
    tenant.mishap('GET', ...Array.from({ length: 9 }, () => refusing(503, 'BMC 10.1.0.7 is away')));
    const error = await tenant.client.getNode('n').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'Unavailable',
      code: 503,
      message: 'The Bare Metal API could not be asked. Try again later.',
      cause: { message: 'GET /v1/nodes/n was refused: BMC 10.1.0.7 is away (503)' },
    });
  });

  it('nobody pauses beyond the time of whoever waits', async () => {
    const hurried = createTenant({ patience_ms: 600 });
    const began = hurried.platform.clock.now();
    hurried.mishap('GET', silent, silent, silent);
    await expect(hurried.client.getNode('n')).rejects.toMatchObject({ name: 'Unavailable' });
    expect(hurried.platform.clock.now() - began).toBeLessThan(600);
  });

  it.each([
    [{ error_message: { faultstring: 'in one piece' } }, 'in one piece (400)'],
    [{ faultcode: 'Client', faultstring: 'too large' }, 'too large (400)'],
    [{ error_message: '{"title":"Bad Request","description":"a router"}' }, 'a router (400)'],
    [{ error: { message: 'a gateway', code: 400 } }, 'a gateway (400)'],
    ['<html>', 'no reason is given (400)'],
    ['null', 'no reason is given (400)'],
    [{ error_message: 'see https://a:b@store.test/x?signature=1' }, 'no reason is given (400)'],
    [{ faultstring: 'see https://a:b@store.test/x?signature=1' }, 'see https://store.test/x (400)'],
  ])('a refusal in the form %j is understood', async (body, told) => {
    tenant.mishap('GET', answering(400, body));
    await expect(tenant.client.getNode('n')).rejects.toMatchObject({
      name: 'BaremetalRefused',
      message: `GET /v1/nodes/n was refused: ${told}`,
    });
  });

  it('a credential that is not taken is not tried again', async () => {
    tenant.platform.apis.served.baremetal = async () => ({ statusCode: 401, body: '' });
    await expect(tenant.client.getNode('n')).rejects.toMatchObject({ name: 'ServiceCredential', code: 503 });
    expect(tenant.requests()).toHaveLength(1);
  });
});
