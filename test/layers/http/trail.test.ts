/** Who asked for which change, in the log. */
import { describe, expect, it } from 'vitest';

import { createFront } from '../../functions/baremetal-api/front.ts';

const secret = 'hunter2-very-secret';
const anna = {
  user: 'u-1',
  user_name: 'anna',
  project: 'p-1',
  project_name: 'blue',
  roles: 'admin,member',
  scope: 'system',
};

const trails = ({ platform }: ReturnType<typeof createFront>) =>
  platform.log.lines.filter(({ message }) => message === 'A change was asked for.').map(({ fields }) => fields);

describe('a request that is let through to change something', () => {
  it('leaves one line: who, as what, which route, what was named, and how it ended', async () => {
    const front = createFront();
    const body = {
      name: 'n1',
      driver: 'redfish',
      driver_info: { redfish_address: 'https://b', redfish_password: secret },
    };
    expect((await front.request('POST /v1/nodes', { body, subject: anna })).status).toBe(201);
    const patch = [{ op: 'replace', path: '/driver_info/redfish_password', value: `${secret}2` }];
    expect((await front.request('PATCH /v1/nodes/n1', { body: patch, subject: anna })).status).toBe(200);
    const who = { user: 'u-1', project: 'p-1', roles: 'admin,member', scope: 'system' };
    expect(trails(front)).toEqual([
      expect.objectContaining({
        ...who,
        route: 'POST /v1/nodes',
        path: '/v1/nodes',
        names: ['name', 'driver', 'driver_info'],
        status: 201,
      }),
      expect.objectContaining({
        ...who,
        route: 'PATCH /v1/nodes/{ident}',
        path: '/v1/nodes/n1',
        names: ['/driver_info/redfish_password'],
        status: 200,
      }),
    ]);
    expect(JSON.stringify(front.platform.log.lines)).not.toContain(secret);
  });

  it('leaves it too if it is refused then', async () => {
    const front = createFront();
    await front.request('POST /v1/nodes', { body: { driver: 'nothing' }, subject: anna });
    expect(trails(front)).toMatchObject([{ user: 'u-1', status: 400 }]);
  });

  it('is told by names that are cut, however many and long they are', async () => {
    const front = createFront();
    const body = Array.from({ length: 99 }, (_, at) => ({
      op: 'add',
      path: `/extra/${at}${'x'.repeat(500)}`,
      value: 1,
    }));
    const { uuid } = await front.enrol({});
    await front.request(`PATCH /v1/nodes/${uuid}`, { body, subject: anna });
    const { names } = trails(front).at(-1) as { names: string[] };
    expect([names.length, Math.max(...names.map((name) => name.length))]).toEqual([50, 100]);
  });
});

it('a request that changes nothing, or that nobody let through, leaves none', async () => {
  const front = createFront();
  await front.request('GET /v1/nodes', { subject: anna });
  await front.request('POST /v1/nodes', { body: {}, subject: { ...anna, roles: 'reader' } });
  await front.request('DELETE /v1/nodes/nobody', { subject: anna });
  expect(trails(front)).toEqual([]);
});
