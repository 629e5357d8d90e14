/** Nodes that are no machines, by the clients that operators have and by the one that servers are made with. */
import { randomUUID } from 'node:crypto';

import { expect, inject, it } from 'vitest';

import { createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import { createApiCall } from '../../../layers/platform/api-call.ts';
import { systemChance } from '../../../layers/platform/chance.ts';
import { systemClock } from '../../../layers/platform/clock.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { operatorOf } from '../clients.ts';

const deployment = inject('deployment');
const operator = operatorOf(deployment);

/** A node that is free. */
const enrol = async (name: string, address: string): Promise<string> => {
  const { uuid } = await operator.ok('POST', '/v1/nodes', { name, driver: 'fake-hardware', resource_class: 'fake' });
  await operator.ok('POST', '/v1/ports', { node_uuid: uuid, address });
  await operator.ok('PUT', `/v1/nodes/${name}/states/provision`, { target: 'manage' });
  await operator.reaches(name, 'manageable');
  await operator.ok('PUT', `/v1/nodes/${name}/states/provision`, { target: 'provide' });
  await operator.reaches(name, 'available');
  return uuid as string;
};

it('lives from its enrolment until it is free again, and has its power switched', async () => {
  const node = await enrol('fake-life', '52:54:00:fa:4e:01');
  const info = { image_source: 'http://127.0.0.1/y.qcow2', image_checksum: '0'.repeat(32), root_gb: 10 };
  await operator.ok('PATCH', `/v1/nodes/${node}`, [{ op: 'add', path: '/instance_info', value: info }]);
  const configdrive = { meta_data: { hello: 'wörld' }, user_data: '#!/bin/sh\n' };
  await operator.ok('PUT', `/v1/nodes/${node}/states/provision`, { target: 'active', configdrive });
  expect(await operator.reaches(node, 'active')).toMatchObject({ last_error: null });
  await operator.ok('PUT', `/v1/nodes/${node}/states/power`, { target: 'power off' });
  await expect.poll(async () => operator.ok('GET', `/v1/nodes/${node}`)).toMatchObject({ power_state: 'power off' });
  await operator.unlocked(node);
  await operator.ok('PUT', `/v1/nodes/${node}/states/provision`, { target: 'deleted' });
  expect(await operator.reaches(node, 'available')).toMatchObject({ instance_info: {}, last_error: null });
  const { history } = (await operator.ok('GET', `/v1/nodes/${node}/history`)) as { history: unknown[] };
  expect(history.length).toBeGreaterThan(0);
});

it('gets and loses a server by the client that servers are made with', async () => {
  const node = await enrol('fake-server', '52:54:00:fa:4e:02');
  const instance = randomUUID();
  const { endpoints, user, password } = deployment;
  const call = createApiCall({
    api: 'baremetal',
    endpoint: endpoints['Endpoint']!,
    credentials: async () => JSON.stringify({ username: user, password }),
    log: createMemoryPlatform().log,
  });
  const client = createBaremetalClient(
    { call, clock: systemClock, chance: systemChance },
    { request_id: `req-${randomUUID()}`, instance, until: Date.now() + 600_000 },
  );
  const state = async () => (await client.getNode(node)).provision_state;

  expect(await client.claim(node, instance)).toMatchObject({ uuid: node, instance_uuid: instance });
  const add = { image_source: 'http://127.0.0.1/y.qcow2', image_checksum: '0'.repeat(32), root_gb: 10 };
  await client.changeInstanceInfo(node, instance, { add });
  await client.attachVif(node, 'vif-of-the-server');
  expect(await client.validate(node)).toEqual([]);
  expect(await client.provision(node, instance, { target: 'active' })).toBe('accepted');
  await expect.poll(state).toBe('active');
  expect(await client.provision(node, instance, { target: 'active' })).toBe('accepted');
  expect(await client.provision(node, instance, { target: 'deleted' })).toBe('accepted');
  await expect.poll(state).toBe('available');
  expect((await client.getNode(node)).instance_uuid).toBeNull();
});
