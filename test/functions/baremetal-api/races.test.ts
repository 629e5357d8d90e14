/** The API's races once more on DynamoDB (dynoxide, or what INGOT_DYNAMODB_ENDPOINT names), whose conflicts are its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { systemChance } from '../../../layers/platform/chance.ts';
import { systemClock } from '../../../layers/platform/clock.ts';
import { createAwsTable } from '../../../layers/platform/aws/table.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { startDynamo } from '../../layers/platform/aws/dynamodb.ts';
import { createFront } from './front.ts';

const clients = 25;
const all = Array.from({ length: clients }, (_, index) => index);

let front: ReturnType<typeof createFront>;
let stop: () => Promise<void> | void;

beforeAll(async () => {
  const dynamo = await startDynamo();
  stop = dynamo.stop;
  const table = createAwsTable({ client: dynamo.client, name: dynamo.name, clock: systemClock, chance: systemChance });
  // Writers that meet wait for one another in the time of the machine.
  const platform = { ...createMemoryPlatform(), table, clock: systemClock, chance: systemChance };
  front = createFront({}, platform as never);
});
afterAll(async () => stop());

const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** How often each status came. */
const tally = (statuses: readonly number[]) =>
  Object.fromEntries([...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]));

const race = async (ask: (index: number) => Promise<{ status: number }>) =>
  tally((await Promise.all(all.map(async (index) => ask(index)))).map(({ status }) => status));

it('has one winner for a name', async () => {
  const body = { driver: 'fake-hardware', name: 'one' };
  expect(await race(async () => front.request('POST /v1/nodes', { body }))).toEqual({ 201: 1, 409: clients - 1 });
});

it('has one winner for a MAC address', async () => {
  const node = await front.enrol();
  const body = { node_uuid: node.uuid, address: '52:54:00:00:00:0a' };
  expect(await race(async () => front.request('POST /v1/ports', { body }))).toEqual({ 201: 1, 409: clients - 1 });
});

it('has one winner for a node, whoever else asks', async () => {
  const { uuid } = await front.enrol();
  await front.force(uuid, { provision_state: 'manageable', power_state: 'power off' });
  const target = { target: 'provide' };
  const found = await race(async () => front.request(`PUT /v1/nodes/${uuid}/states/provision`, { body: target }));
  expect(found[202]).toBe(1);
  expect(Object.keys(found).every((status) => ['202', '400', '409'].includes(status))).toBe(true);
});

it('has one winner for the instance of a node', async () => {
  const { uuid } = await front.enrol();
  const patch = (index: number) => [{ op: 'add', path: '/instance_uuid', value: uuidOf(index) }];
  const found = await race(async (index) => front.request(`PATCH /v1/nodes/${uuid}`, { body: patch(index) }));
  expect(found).toEqual({ 200: 1, 409: clients - 1 });
});

it('loses no change of a node that many change', async () => {
  const { uuid } = await front.enrol();
  // As the clients do: a 409 is asked again.
  const insist = async (index: number): Promise<{ status: number }> => {
    const body = [{ op: 'add', path: `/extra/k${index}`, value: index }];
    const answer = await front.request(`PATCH /v1/nodes/${uuid}`, { body });
    return answer.status === 409 || answer.status === 503 ? insist(index) : answer;
  };
  expect(await race(insist)).toEqual({ 200: clients });
  const { body } = await front.request(`GET /v1/nodes/${uuid}`);
  expect(Object.keys(body.extra)).toHaveLength(clients);
});

it('has one winner for the name of an allocation', async () => {
  const body = { name: 'wish', resource_class: 'none' };
  expect(await race(async () => front.request('POST /v1/allocations', { body }))).toEqual({ 201: 1, 409: clients - 1 });
});
