import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

describe('maintenance', () => {
  it('is set with a reason, again, without one, and ended', async () => {
    const { uuid } = await front.store({ fault: 'clean failure' });
    const path = `/v1/nodes/${uuid}/maintenance`;
    expect(await front.request(`PUT ${path}`, { body: { reason: 'disk' } })).toMatchObject({
      status: 202,
      body: undefined,
    });
    expect(await front.read(uuid)).toMatchObject({ maintenance: true, maintenance_reason: 'disk', fault: null });
    await front.request(`PUT ${path}?reason=fan`);
    expect((await front.read(uuid)).maintenance_reason).toBe('fan');
    expect((await front.request(`PUT ${path}`)).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ maintenance: true, maintenance_reason: null });
    expect((await front.request(`DELETE ${path}`)).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ maintenance: false, maintenance_reason: null, fault: null });
    expect(await front.events(uuid)).toHaveLength(4);
  });

  it('is 409 while the node is locked, 400 with anything else in the body', async () => {
    const locked = await front.store({ reservation: 'r' });
    expect((await front.request(`PUT /v1/nodes/${locked.uuid}/maintenance`)).status).toBe(409);
    expect((await front.request(`DELETE /v1/nodes/${locked.uuid}/maintenance`)).status).toBe(409);
    const { uuid } = await front.store();
    expect((await front.request(`PUT /v1/nodes/${uuid}/maintenance`, { body: { why: 'x' } })).status).toBe(400);
    expect((await front.request(`PUT /v1/nodes/${uuid}/maintenance`, { body: { reason: 1 } })).status).toBe(400);
  });
});
