import { beforeEach, describe, expect, it } from 'vitest';

import { createTenant, lost, silent } from './tenant.ts';

let tenant: ReturnType<typeof createTenant>;
beforeEach(() => {
  tenant = createTenant();
});

const stored = async (values: object = {}): Promise<string> =>
  (await tenant.storeReady({ provision_state: 'active', power_state: 'power on', ...values })).uuid;

describe('power', () => {
  it.each([
    ['power on', 'power on'],
    ['power off', 'power off'],
    ['soft power off', 'power off'],
    ['rebooting', 'power on'],
    ['soft rebooting', 'power on'],
  ] as const)('%s makes the node head for %s', async (target, becomes) => {
    const uuid = await stored();
    await tenant.client.setPower(uuid, { target });
    expect((await tenant.read(uuid)).target_power_state).toBe(becomes);
  });

  it('goes off softly within a time', async () => {
    const uuid = await stored();
    await tenant.client.setPower(uuid, { target: 'soft power off', timeout: 60 });
    expect(tenant.platform.apis.calls.at(-1)!.wanted.body).toEqual({ target: 'soft power off', timeout: 60 });
    expect(tenant.platform.workflows.started).toMatchObject([{ input: { target: 'soft power off', timeout: 60 } }]);
  });

  it('is asked for once though the answer is lost', async () => {
    for (const target of ['power off', 'rebooting'] as const) {
      const uuid = await stored();
      tenant.mishap('PUT', lost);
      await tenant.client.setPower(uuid, { target });
    }
    expect(tenant.requests('PUT')).toHaveLength(2);
  });

  it('is asked for again if nobody was there, but a restart is not', async () => {
    const uuid = await stored();
    tenant.mishap('PUT', silent);
    await expect(tenant.client.setPower(uuid, { target: 'rebooting' })).rejects.toMatchObject({ name: 'Unavailable' });
    expect(tenant.requests('PUT')).toEqual([]);
    tenant.mishap('PUT', silent);
    await tenant.client.setPower(uuid, { target: 'power off' });
    expect((await tenant.read(uuid)).target_power_state).toBe('power off');
  });

  it('waits for a node that is locked', async () => {
    const uuid = await stored({ reservation: 'vifs-1' });
    tenant.mishap(
      'PUT',
      async (_wanted, send) => send(),
      async (_wanted, send) => {
        await tenant.force(uuid, { reservation: null });
        return send();
      },
    );
    await tenant.client.setPower(uuid, { target: 'rebooting' });
    expect(tenant.requests('PUT')).toHaveLength(2);
  });

  it('that must not go off is BaremetalConflict', async () => {
    const uuid = await stored({ disable_power_off: true });
    await expect(tenant.client.setPower(uuid, { target: 'power off' })).rejects.toMatchObject({
      name: 'BaremetalConflict',
    });
  });
});

describe('an NMI', () => {
  it('reaches the machine', async () => {
    const uuid = await stored();
    await tenant.client.injectNmi(uuid);
    expect(tenant.requests('PUT')).toEqual(['PUT /v1/nodes/{node}/management/inject_nmi']);
  });

  it('whose answer is lost is not sent once more', async () => {
    const uuid = await stored();
    tenant.mishap('PUT', lost);
    await expect(tenant.client.injectNmi(uuid)).rejects.toMatchObject({ name: 'Unavailable' });
    expect(tenant.requests('PUT')).toHaveLength(1);
  });
});
