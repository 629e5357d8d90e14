import { beforeEach, expect, it } from 'vitest';

import { createFrontWithNodes, type Front } from './stored.ts';

const mine = '11111111-2222-4333-8444-555555555555';
const theirs = '99999999-2222-4333-8444-555555555555';

let front: Front;
let uuid: string;
beforeEach(async () => {
  front = createFrontWithNodes();
  ({ uuid } = await front.store({
    provision_state: 'active',
    network_interface: 'flat',
    instance_uuid: mine,
    power_state: 'power on',
  }));
  await front.request('POST /v1/ports', { body: { node_uuid: uuid, address: '52:54:00:00:00:01' } });
  await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'vif' } });
});

/** Everything that is asked for by who has the instance. */
const requests: readonly [string, object | undefined, number][] = [
  ['PATCH /v1/nodes/{node}', [{ op: 'add', path: '/instance_info/a', value: 'b' }], 200],
  ['PATCH /v1/nodes/{node}', [{ op: 'remove', path: '/instance_uuid' }], 200],
  ['POST /v1/nodes/{node}/vifs', { id: 'other' }, 400],
  ['DELETE /v1/nodes/{node}/vifs/vif', undefined, 204],
  ['PUT /v1/nodes/{node}/states/power', { target: 'rebooting' }, 202],
  ['PUT /v1/nodes/{node}/states/provision', { target: 'deleted' }, 202],
  ['PUT /v1/nodes/{node}/states/provision', { target: 'rebuild' }, 202],
];

const ask = async (line: string, body: object | undefined, instance: string) =>
  front.request(line.replace('{node}', uuid), {
    headers: { 'X-Ingot-Instance': instance },
    ...(body !== undefined && { body }),
  });

it.each(requests)('%s %j is done for the instance that the node has', async (line, body, status) => {
  expect((await ask(line, body, mine.toUpperCase())).status).toBe(status);
});

it.each(requests)('%s %j is refused, and changes nothing, for another', async (line, body) => {
  const before = await front.read(uuid);
  const { status, error } = await ask(line, body, theirs);
  expect([status, error]).toEqual([409, expect.stringContaining(`does not have instance ${theirs}`)]);
  expect(await front.read(uuid)).toEqual(before);
});

it('is asked of the node when it is written, whatever it was when the request came', async () => {
  let written = false;
  front.platform.table.onWrite = async () => {
    if (written) return;
    written = true;
    await front.force(uuid, { instance_uuid: theirs });
  };
  const { status } = await ask('PUT /v1/nodes/{node}/states/power', { target: 'power off' }, mine);
  expect([status, (await front.read(uuid)).target_power_state]).toEqual([409, null]);
});
