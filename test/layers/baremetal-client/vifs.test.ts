import { beforeEach, describe, expect, it } from 'vitest';

import { createTenant, lost, silent } from './tenant.ts';

let tenant: ReturnType<typeof createTenant>;
let uuid: string;
beforeEach(async () => {
  tenant = createTenant();
  ({ uuid } = await tenant.store({ network_interface: 'flat' }));
  for (const end of ['01', '02']) {
    await tenant.request('POST /v1/ports', { body: { node_uuid: uuid, address: `52:54:00:00:00:${end}` } });
  }
});

describe('a VIF', () => {
  it('is attached and detached', async () => {
    await tenant.client.attachVif(uuid, 'a');
    expect(await tenant.client.listVifs(uuid)).toEqual(['a']);
    await tenant.client.detachVif(uuid, 'a');
    expect(await tenant.client.listVifs(uuid)).toEqual([]);
  });

  it('that is attached already is attached, to one card', async () => {
    await tenant.client.attachVif(uuid, 'a');
    await tenant.client.attachVif(uuid, 'a');
    expect(await tenant.client.listVifs(uuid)).toEqual(['a']);
  });

  it('that is not attached, and of a node that is gone, is detached', async () => {
    await tenant.client.detachVif(uuid, 'a');
    await tenant.client.detachVif('00000000-0000-4000-8000-00000000dead', 'a');
  });

  it('is attached once though the answer is lost, and again if nobody was there', async () => {
    tenant.mishap('POST', lost, silent);
    await tenant.client.attachVif(uuid, 'a');
    await tenant.client.attachVif(uuid, 'b');
    expect(await tenant.client.listVifs(uuid)).toHaveLength(2);
    expect(tenant.requests('POST')).toHaveLength(2);
  });

  it('is detached though the answer is lost', async () => {
    await tenant.client.attachVif(uuid, 'a');
    tenant.mishap('DELETE', lost);
    await tenant.client.detachVif(uuid, 'a');
    expect(tenant.requests('DELETE')).toHaveLength(1);
  });

  it('for which no card is free is BaremetalRefused', async () => {
    await tenant.client.attachVif(uuid, 'a');
    await tenant.client.attachVif(uuid, 'b');
    await expect(tenant.client.attachVif(uuid, 'c')).rejects.toMatchObject({
      name: 'BaremetalRefused',
      message: expect.stringContaining('no port without a VIF'),
    });
  });

  it('waits for a node that is locked, and is not detached from one that stays so', async () => {
    await tenant.client.attachVif(uuid, 'a');
    await tenant.force(uuid, { reservation: 'power-1' });
    tenant.mishap(
      'POST',
      async (_wanted, send) => send(),
      async (_wanted, send) => {
        await tenant.force(uuid, { reservation: null });
        return send();
      },
    );
    await tenant.client.attachVif(uuid, 'b');
    await tenant.force(uuid, { reservation: 'power-2' });
    await expect(tenant.client.detachVif(uuid, 'a')).rejects.toMatchObject({ name: 'BaremetalLocked' });
    expect(await tenant.client.listVifs(uuid)).toHaveLength(2);
  });

  it('of a node with network interface noop is accepted', async () => {
    const noop = await tenant.store();
    tenant.mishap('POST', lost);
    await tenant.client.attachVif(noop.uuid, 'a');
    await tenant.client.detachVif(noop.uuid, 'a');
    expect(await tenant.client.listVifs(noop.uuid)).toEqual([]);
  });
});
