/** DELETE /v1/nodes/{ident}. */
import { beforeEach, describe, expect, it } from 'vitest';

import { configdriveKey, configdriveReference } from '../../../../layers/domain/configdrive.ts';
import { provisionStates } from '../../../../layers/domain/baremetal/transitions.ts';
import { withoutNote } from '../../../layers/store/due-entries.ts';
import { createFront } from '../front.ts';

const instance = '11111111-1111-4111-8111-111111111111';

describe('deleting a node', () => {
  let front: ReturnType<typeof createFront>;
  let uuid: string;
  const remove = async () => front.request(`DELETE /v1/nodes/${uuid}`);

  beforeEach(async () => {
    front = createFront();
    ({ uuid } = await front.enrol({ name: 'n1', driver_info: { redfish_password: 'p' } }));
  });

  it('leaves nothing behind', async () => {
    const port = { node_uuid: uuid, address: '52:54:00:00:00:01', name: 'eth0' };
    expect((await front.request('POST /v1/ports', { body: port })).status).toBe(201);
    expect(await remove()).toMatchObject({ status: 204, body: undefined });
    expect(withoutNote(front.platform.table.items())).toEqual([]);
    expect((await remove()).status).toBe(404);
  });

  it.each(provisionStates)('in state %s is possible in maintenance, else only where nothing runs', async (state) => {
    await front.force(uuid, { provision_state: state });
    const idle = ['enroll', 'manageable', 'available', 'adopt failed'].includes(state);
    expect((await remove()).status).toBe(idle ? 204 : 409);
    if (idle) return;
    await front.force(uuid, { maintenance: true });
    expect((await remove()).status).toBe(204);
  });

  it('is refused with 409 while it has an instance, unless in maintenance', async () => {
    await front.force(uuid, { instance_uuid: instance });
    expect((await remove()).status).toBe(409);
    await front.force(uuid, { maintenance: true });
    expect((await remove()).status).toBe(204);
  });

  it('is refused with 403 while protected, also in maintenance', async () => {
    await front.force(uuid, { protected: true, maintenance: true });
    expect((await remove()).status).toBe(403);
  });

  it('is refused with 409 while locked, also in maintenance', async () => {
    await front.force(uuid, { reservation: 'run-1', maintenance: true });
    expect((await remove()).status).toBe(409);
  });

  it('takes its configdrive along', async () => {
    const key = configdriveKey(uuid, 'x');
    await front.platform.objects.put(key, new Uint8Array([1]));
    await front.force(uuid, { maintenance: true, instance_info: { configdrive: configdriveReference(key) } });
    expect((await remove()).status).toBe(204);
    expect(await front.platform.objects.size(key)).toBeUndefined();
  });

  it('decides again when somebody changed the node in between', async () => {
    const { table } = front.platform;
    let raced = false;
    const racing = createFront(
      {},
      {
        ...front.platform,
        table: {
          ...table,
          query: async (query: Parameters<typeof table.query>[0]) => {
            if (!raced) {
              raced = true;
              await front.force(uuid, { protected: true });
            }
            return table.query(query);
          },
        },
      },
    );
    expect((await racing.request(`DELETE /v1/nodes/${uuid}`)).status).toBe(403);
    expect((await front.request(`GET /v1/nodes/${uuid}`)).status).toBe(200);
  });
});
