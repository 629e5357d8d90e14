import { expect, it } from 'vitest';

import { createLab } from '../lab.ts';

const path = '/SessionService/Sessions';
const login = async ({ redfish, machine }: ReturnType<typeof createLab>, password = machine.password) =>
  redfish('POST', path, { UserName: machine.username, Password: password }, {});

it('opens a session, takes its token, and closes it', async () => {
  const lab = createLab();
  const { status, headers } = await login(lab);
  expect(status).toBe(201);
  const token = { 'x-auth-token': headers['x-auth-token']! };
  expect((await lab.redfish('GET', '/Systems', undefined, token)).status).toBe(200);
  const own = headers['location']!.replace('/m0001/redfish/v1', '');
  expect((await lab.redfish('GET', path, undefined, token)).body['Members@odata.count']).toBe(1);
  expect((await lab.redfish('DELETE', own, undefined, token)).status).toBe(204);
  expect((await lab.redfish('GET', '/Systems', undefined, token)).status).toBe(401);
  expect((await lab.redfish('DELETE', own)).status).toBe(404);
});

it('counts refused credentials, by Basic and by login', async () => {
  const lab = createLab();
  expect((await login(lab, 'wrong')).status).toBe(401);
  const wrong = `Basic ${Buffer.from('operator:wrong').toString('base64')}`;
  expect((await lab.redfish('GET', '/Systems', undefined, { authorization: wrong })).status).toBe(401);
  expect(lab.machine.auth_failures).toBe(2);
});

it('has as many sessions as its profile says, and frees those that expire', async () => {
  const lab = createLab(undefined, 'supermicro');
  for (let count = 0; count < 6; count += 1) expect((await login(lab)).status).toBe(201);
  const refused = await login(lab);
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'Base.1.16.SessionLimitExceeded' } } });
  await lab.advance(1801);
  expect((await login(lab)).status).toBe(201);
});

it('keeps a session alive that is used', async () => {
  const lab = createLab();
  const token = { 'x-auth-token': (await login(lab)).headers['x-auth-token']! };
  for (let count = 0; count < 4; count += 1) {
    await lab.advance(1000);
    expect((await lab.redfish('GET', '/Systems', undefined, token)).status).toBe(200);
  }
});

it('loses a session and refuses new ones when the faults say so', async () => {
  const lab = createLab();
  const token = { 'x-auth-token': (await login(lab)).headers['x-auth-token']! };
  lab.world.faults.add(null, { name: 'session_lost', count: 1 });
  expect((await lab.redfish('GET', '/Systems', undefined, token)).status).toBe(401);
  lab.world.faults.add(null, { name: 'session_limit', count: 1 });
  expect((await login(lab)).status).toBe(503);
});
