import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

describe('vifs of network interface noop', () => {
  it('are remembered until they are detached', async () => {
    const { uuid } = await front.store();
    const path = `/v1/nodes/${uuid}/vifs`;
    const attach = async (id: string) => front.request(`POST ${path}`, { body: { id, anything: 1 } });
    expect(await attach('v2')).toMatchObject({ status: 204, body: undefined });
    expect((await attach('v1')).status).toBe(204);
    expect((await front.request(`GET ${path}`)).body).toEqual({ vifs: [{ id: 'v2' }, { id: 'v1' }] });
    expect((await front.request(`DELETE ${path}/v2`)).status).toBe(204);
    expect((await front.request(`GET ${path}`)).body).toEqual({ vifs: [{ id: 'v1' }] });
    expect((await front.request(`GET /v1/nodes/${uuid}`)).body).not.toHaveProperty('vifs');
  });

  it('are said to be there by 409, and not to be there by 400, for who repeats a request', async () => {
    const { uuid } = await front.store();
    const path = `/v1/nodes/${uuid}/vifs`;
    await front.request(`POST ${path}`, { body: { id: 'v1' } });
    expect(await front.request(`POST ${path}`, { body: { id: 'v1' } })).toMatchObject({
      status: 409,
      error: `VIF v1 is already attached to node ${uuid}.`,
    });
    expect(await front.request(`DELETE ${path}/v2`)).toMatchObject({
      status: 400,
      error: `VIF v2 is not attached to node ${uuid}.`,
    });
  });

  it('are as many as an event can tell', async () => {
    const { uuid } = await front.store({
      vifs: Array.from({ length: 64 }, (_, n) => ({ id: `v${n}`, port_uuid: null, portgroup_uuid: null })),
    });
    expect((await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'one more' } })).status).toBe(400);
    expect((await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'x'.repeat(256) } })).status).toBe(400);
  });

  it('do not exist below 1.28', async () => {
    const { uuid } = await front.store();
    for (const line of [`GET /v1/nodes/${uuid}/vifs`, `DELETE /v1/nodes/${uuid}/vifs/v1`]) {
      expect((await front.request(line, { version: '1.27' })).status).toBe(404);
    }
  });

  it('name a port or a portgroup since 1.67, not both', async () => {
    const { uuid } = await front.store();
    const attach = async (more: object, version = 'latest') =>
      (await front.request(`POST /v1/nodes/${uuid}/vifs`, { version, body: { id: 'v1', ...more } })).status;
    expect(await attach({ port_uuid: 'p' }, '1.66')).toBe(406);
    expect(await attach({ port_uuid: 'p' }, '1.67')).toBe(204);
    expect(await attach({ port_uuid: 'p', portgroup_uuid: 'g' })).toBe(400);
    expect(await attach({ id: '' })).toBe(400);
    expect((await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: {} })).error).toBe(
      'Missing mandatory parameter: id.',
    );
  });

  it('are not attached to or detached from a locked node', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    expect((await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'v1' } })).status).toBe(409);
    expect((await front.request(`DELETE /v1/nodes/${uuid}/vifs/v1`)).status).toBe(409);
    expect((await front.request(`GET /v1/nodes/${uuid}/vifs`)).status).toBe(200);
  });
});
