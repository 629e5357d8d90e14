/** Who changed what, in the history of the node: names, never values. */
import { beforeEach, describe, expect, it } from 'vitest';

import { companions } from '../../../../layers/store/kinds/companions.ts';
import { createFront } from '../front.ts';

const secret = 'hunter2-very-secret';
const anna = { user: 'u-1', user_name: 'anna', project: 'p-1', project_name: 'blue', roles: 'admin', scope: 'system' };
const mac = '52:54:00:00:00:01';

let front: ReturnType<typeof createFront>;
let uuid: string;

const ask = async (line: string, body?: unknown) => {
  const answer = await front.request(line, { body, subject: anna });
  expect(answer.status).toBeLessThan(300);
  return answer.body as { uuid: string };
};
const patch = async (...steps: [op: string, path: string, value?: unknown][]) =>
  ask(
    `PATCH /v1/nodes/${uuid}`,
    steps.map(([op, path, value]) => ({ op, path, value })),
  );

/** The newest line. */
const last = async () => {
  const all = (await front.platform.table.query(companions.event.all(uuid))).map((item) => companions.event.of(item));
  expect(JSON.stringify(all)).not.toContain(secret);
  const { kind, message, user, project, roles } = all.at(-1)!;
  return { kind, message, user, project, roles };
};
const said = (message: unknown) => ({ kind: 'request', message, user: 'u-1', project: 'p-1', roles: 'admin' });

beforeEach(async () => {
  front = createFront();
  const driver_info = { redfish_address: 'https://a', redfish_password: secret };
  ({ uuid } = await ask('POST /v1/nodes', { name: 'n1', driver: 'redfish', driver_info }));
});

describe('the history of a node tells', () => {
  it('who enrolled it', async () => {
    expect(await last()).toEqual(said('Enrolled with name, driver, driver_info.'));
  });

  it('who changed which of its fields, and which keys of objects', async () => {
    await patch(['add', '/driver_info/redfish_username', 'root'], ['add', '/extra/rack', 7], ['add', '/owner', 'p']);
    expect(await last()).toEqual(said('Changed driver_info.redfish_username, extra.rack, owner.'));
  });

  it('who gave another credential, though the record shows the same', async () => {
    await patch(['add', '/driver_info/redfish_password', `${secret}2`]);
    expect(await last()).toEqual(said('Changed driver_info.redfish_password.'));
    await patch(['add', '/driver_info/vendor', { sub: { api_key: secret } }]);
    expect((await last()).message).toBe('Changed driver_info.vendor, driver_info.vendor.sub.api_key.');
    await patch(['remove', '/driver_info/redfish_password']);
    expect((await last()).message).toBe('Changed driver_info.redfish_password.');
  });

  it('nothing of what stays as it is', async () => {
    await patch(['add', '/name', 'n1']);
    expect((await last()).message).toContain('Enrolled');
  });

  it('who changed its traits, and what belongs to it', async () => {
    await ask(`PUT /v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_X'] });
    expect(await last()).toEqual(said('Changed traits.'));
    const port = await ask('POST /v1/ports', { node_uuid: uuid, address: mac, extra: { password: secret } });
    expect(await last()).toEqual(said(`Created port ${port.uuid} with address, node_uuid, extra.`));
    await ask(`PATCH /v1/ports/${port.uuid}`, [{ op: 'add', path: '/extra/rack', value: secret }]);
    expect(await last()).toEqual(said(`Changed of port ${port.uuid} extra.rack.`));
    await ask(`DELETE /v1/ports/${port.uuid}`);
    expect(await last()).toEqual(said(`Deleted port ${port.uuid}.`));
  });
});
