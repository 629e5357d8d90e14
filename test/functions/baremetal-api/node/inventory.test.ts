import { beforeEach, describe, expect, it } from 'vitest';

import { inventoryWrite } from '../../../../layers/store/inventories.ts';
import { createFront } from '../front.ts';

let front: ReturnType<typeof createFront>;
beforeEach(() => {
  front = createFront();
});

const found = { inventory: { cpu: { count: 4 } }, plugin_data: { root_disk: { name: '/dev/sda' } } };

const enrolInspected = async (inspected = found) => {
  const { uuid } = await front.enrol({ name: 'one' });
  await front.platform.table.write([await inventoryWrite(front.platform, uuid, inspected)]);
  return uuid;
};

describe('GET inventory', () => {
  it('answers what the last inspection found, for UUID and name', async () => {
    const uuid = await enrolInspected();
    for (const ident of [uuid, 'one']) {
      const { status, body } = await front.request(`GET /v1/nodes/${ident}/inventory`);
      expect([status, body]).toEqual([200, found]);
    }
  });

  it('answers one that is larger than an item of the table', async () => {
    const large = { ...found, plugin_data: { root_disk: { name: 'x'.repeat(500 * 1024) } } };
    const uuid = await enrolInspected(large);
    expect((await front.request(`GET /v1/nodes/${uuid}/inventory`)).body).toEqual(large);
  });

  it('is 404 for a node that was never inspected, and for no node', async () => {
    const { uuid } = await front.enrol();
    const { status, error } = await front.request(`GET /v1/nodes/${uuid}/inventory`);
    expect([status, error]).toEqual([404, `Node ${uuid} has no inventory, it was not inspected yet.`]);
    expect((await front.request('GET /v1/nodes/nobody/inventory')).status).toBe(404);
  });

  it('is not there below 1.81', async () => {
    const uuid = await enrolInspected();
    const status = async (version: string) =>
      (await front.request(`GET /v1/nodes/${uuid}/inventory`, { version })).status;
    expect([await status('1.80'), await status('1.81')]).toEqual([404, 200]);
  });

  it('is for the owner, but not for the lessee', async () => {
    const uuid = await enrolInspected();
    await front.force(uuid, { owner: 'p-owner', lessee: 'p-lessee' });
    const status = async (project: string) => {
      const subject = { user: 'u', project, roles: 'reader', scope: 'project' };
      return (await front.request(`GET /v1/nodes/${uuid}/inventory`, { subject })).status;
    };
    expect([await status('p-owner'), await status('p-lessee'), await status('p-other')]).toEqual([200, 403, 404]);
  });

  it('goes with the node', async () => {
    const uuid = await enrolInspected();
    expect((await front.request(`DELETE /v1/nodes/${uuid}`)).status).toBe(204);
    expect(await front.platform.table.query({ partition: `node#${uuid}` })).toEqual([]);
  });
});
