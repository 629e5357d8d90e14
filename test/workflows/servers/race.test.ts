import { expect, it } from 'vitest';

import { root } from '../../functions/compute-api/front.ts';
import { createStage } from './stage.ts';

it('50 creates on 20 machines are 20 servers and 50 clear answers; deleted, they leave nothing', async () => {
  const stage = await createStage();
  for (let at = 0; at < 20; at += 1) await stage.addNode();
  const network = await stage.addNetwork();
  await stage.request('PUT /v2.1/os-quota-sets/red', { subject: root, body: { quota_set: { instances: 100 } } });
  const uuids = await Promise.all(
    Array.from({ length: 50 }, async () => stage.boots({ networks: [{ uuid: network }] })),
  );
  await stage.settle(600);
  const shown = await Promise.all(uuids.map(async (uuid) => stage.show(uuid)));
  expect(shown.filter(({ status }) => status === 'ACTIVE')).toHaveLength(20);
  const errors = shown.filter(({ status }) => status === 'ERROR').map(({ fault }) => fault.message as string);
  expect(errors).toEqual(Array.from({ length: 30 }, () => expect.stringMatching(/^No valid host was found\./)));
  const nodes = await stage.nodes();
  expect(new Set(nodes.map(({ instance_uuid: uuid }) => uuid)).size).toBe(20);
  expect(await stage.ports()).toHaveLength(20);
  await Promise.all(uuids.map(async (uuid) => stage.request(`DELETE /v2.1/servers/${uuid}`)));
  await stage.settle(600);
  for (const node of await stage.nodes()) {
    expect(node).toMatchObject({ provision_state: 'available', instance_uuid: null, instance_info: {} });
  }
  expect([await stage.ports(), await stage.used()]).toEqual([[], { instances: 0, cores: 0, ram: 0 }]);
});
