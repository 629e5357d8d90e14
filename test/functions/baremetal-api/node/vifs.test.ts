import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const attach = async (uuid: string, body: object, version = 'latest') =>
  front.request(`POST /v1/nodes/${uuid}/vifs`, { version, body });

describe('vifs of network interface noop', () => {
  it('are accepted and not remembered', async () => {
    const { uuid } = await front.store();
    const path = `/v1/nodes/${uuid}/vifs`;
    expect(await attach(uuid, { id: 'v1', anything: 1 })).toMatchObject({ status: 204, body: undefined });
    expect((await front.request(`GET ${path}`)).body).toEqual({ vifs: [] });
    expect((await front.request(`DELETE ${path}/v1`)).status).toBe(204);
  });

  it('do not exist below 1.28', async () => {
    const { uuid } = await front.store();
    for (const line of [`GET /v1/nodes/${uuid}/vifs`, `DELETE /v1/nodes/${uuid}/vifs/v1`]) {
      expect((await front.request(line, { version: '1.27' })).status).toBe(404);
    }
  });

  it('name a port or a portgroup since 1.67, not both', async () => {
    const { uuid } = await front.store();
    expect((await attach(uuid, { id: 'v1', port_uuid: 'p' }, '1.66')).status).toBe(406);
    expect((await attach(uuid, { id: 'v1', port_uuid: 'p' }, '1.67')).status).toBe(204);
    expect((await attach(uuid, { id: 'v1', port_uuid: 'p', portgroup_uuid: 'g' })).status).toBe(400);
    expect((await attach(uuid, { id: '' })).status).toBe(400);
    expect((await attach(uuid, {})).error).toBe('Missing mandatory parameter: id.');
  });

  it('are not attached to or detached from a locked node', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    expect((await attach(uuid, { id: 'v1' })).status).toBe(409);
    expect((await front.request(`DELETE /v1/nodes/${uuid}/vifs/v1`)).status).toBe(409);
    expect((await front.request(`GET /v1/nodes/${uuid}/vifs`)).status).toBe(200);
  });
});

describe('vifs of network interface flat', () => {
  let uuid: string;
  beforeEach(async () => {
    ({ uuid } = await front.store({ network_interface: 'flat' }));
  });

  const port = async (address: string, more: object = {}) =>
    (await front.request('POST /v1/ports', { body: { node_uuid: uuid, address, ...more } })).body.uuid as string;
  const group = async (more: object = {}) =>
    (await front.request('POST /v1/portgroups', { body: { node_uuid: uuid, ...more } })).body.uuid as string;
  const list = async () =>
    (await front.request(`GET /v1/nodes/${uuid}/vifs`)).body.vifs.map(({ id }: { id: string }) => id);
  const vifAt = async (kind: 'ports' | 'portgroups', card: string) =>
    (await front.request(`GET /v1/${kind}/${card}`)).body.internal_info.tenant_vif_port_id;
  const detach = async (vif: string) => front.request(`DELETE /v1/nodes/${uuid}/vifs/${vif}`);

  it('are attached to a port that may boot the machine first, then to others', async () => {
    const second = await port('52:54:00:00:00:01', { pxe_enabled: false });
    const first = await port('52:54:00:00:00:02');
    expect((await attach(uuid, { id: 'v1' })).status).toBe(204);
    expect((await attach(uuid, { id: 'v2' })).status).toBe(204);
    expect([await vifAt('ports', first), await vifAt('ports', second)]).toEqual(['v1', 'v2']);
    expect((await list()).toSorted()).toEqual(['v1', 'v2']);
    expect((await attach(uuid, { id: 'v3' })).error).toBe(
      'VIF v3 can not be attached: the node has no port without a VIF. Create a port for it first.',
    );
  });

  it('are attached to a free group of ports before any port, which is then not for others', async () => {
    const bond = await group({ standalone_ports_supported: true });
    await port('52:54:00:00:00:01', { portgroup_uuid: bond });
    await port('52:54:00:00:00:02', { portgroup_uuid: bond });
    await attach(uuid, { id: 'v1' });
    expect(await vifAt('portgroups', bond)).toBe('v1');
    expect((await attach(uuid, { id: 'v2' })).status).toBe(400);
    const alone = await port('52:54:00:00:00:03');
    expect((await attach(uuid, { id: 'v2' })).status).toBe(204);
    expect(await vifAt('ports', alone)).toBe('v2');
  });

  it('are not attached to a group without ports, or of which a port is taken', async () => {
    const [, used] = [await group(), await group()];
    const member = await port('52:54:00:00:00:01', { portgroup_uuid: used });
    const other = await port('52:54:00:00:00:02', { portgroup_uuid: used });
    await attach(uuid, { id: 'v1', port_uuid: member });
    expect((await attach(uuid, { id: 'v2', portgroup_uuid: used })).status).toBe(409);
    expect((await attach(uuid, { id: 'v2' })).status).toBe(204);
    expect(await vifAt('ports', other)).toBe('v2');
  });

  it('go where the client wants them, if that is a free card of the node', async () => {
    await port('52:54:00:00:00:01');
    const wanted = await port('52:54:00:00:00:02', { pxe_enabled: false });
    expect((await attach(uuid, { id: 'v1', port_uuid: wanted })).status).toBe(204);
    expect(await vifAt('ports', wanted)).toBe('v1');
    expect(await attach(uuid, { id: 'v2', port_uuid: wanted })).toMatchObject({
      status: 409,
      error: `Port ${wanted} has VIF v1 attached.`,
    });
    const { uuid: stranger } = await front.store();
    expect(await attach(uuid, { id: 'v2', portgroup_uuid: stranger })).toMatchObject({
      status: 400,
      error: `Portgroup ${stranger} is none of this node.`,
    });
  });

  it('are attached once, and detached only if they are attached', async () => {
    const card = await port('52:54:00:00:00:01');
    await port('52:54:00:00:00:02');
    await attach(uuid, { id: 'v1' });
    expect(await attach(uuid, { id: 'v1' })).toMatchObject({
      status: 409,
      error: `VIF v1 is attached already, to ${card}.`,
    });
    expect((await front.request(`DELETE /v1/ports/${card}`)).status).toBe(409);
    expect((await detach('v1')).status).toBe(204);
    expect(await detach('v1')).toMatchObject({ status: 400, error: `VIF v1 is not attached to node ${uuid}.` });
    expect(await list()).toEqual([]);
  });

  it('of clients that ask at once all get a card of their own, or none', async () => {
    for (const number of [1, 2, 3]) await port(`52:54:00:00:00:0${number}`);
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (id) => attach(uuid, { id })));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(3);
    expect(new Set(await list())).toHaveProperty('size', 3);
  });

  it('are not attached to a locked node, and the history tells who attached them', async () => {
    await port('52:54:00:00:00:01');
    await attach(uuid, { id: 'v1' });
    await detach('v1');
    const told = (await front.events(uuid)).slice(-2).map(({ message, user }) => [message, user]);
    expect(told).toEqual([
      [expect.stringMatching(/^VIF v1 is attached to port .{36}\.$/), 'admin'],
      [expect.stringMatching(/^VIF v1 is detached from port .{36}\.$/), 'admin'],
    ]);
    await front.force(uuid, { reservation: 'r' });
    expect((await attach(uuid, { id: 'v1' })).status).toBe(409);
  });
});
