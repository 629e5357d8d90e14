/**
 * Many clients at once, over HTTP, at functions in threads of their own and the table of one machine: one of them wins,
 * the others are told so, and nothing that was accepted is lost. Nodes are of fake hardware, so that nothing waits.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort, type Process, type Reply, request, start, temporaryFolder, until } from './system.ts';

const clients = 200;
const folder = temporaryFolder();
let url: string;
let ingot: Process;

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  const args = ['--no-demo', '--machines', '0', '--port', new URL(url).port, '--state-dir', folder.path];
  ingot = start('local/main.js', args, { INGOT_AUTH_STRATEGY: 'noauth', INGOT_POLL_INTERVAL_MS: '50' });
  await ingot.ready('Ingot', async () => (await call('GET', '/v1')).status === 200);
});
afterAll(async () => {
  await ingot?.kill('SIGTERM');
  folder.remove();
});

const call = async (method: string, path: string, body?: unknown): Promise<Reply> => request(url, method, path, body);
const uuidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const add = (path: string, value: unknown) => [{ op: 'add', path, value }];

/** The same for each of so many clients, at the same time. */
const everyone = async <T>(ask: (n: number) => Promise<T>, count = clients): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, async (_, n) => ask(n)));

/** How many answers there were of each status. */
const count = (answers: readonly Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const wonBy = (answers: readonly Reply[], ...won: number[]) => answers.filter(({ status }) => won.includes(status));

/** A request that is repeated while it is answered 409, as clients do. Rejects for every other error. */
const persist = async (method: string, path: string, body?: unknown): Promise<Reply> =>
  until(
    `${method} ${path}`,
    async () => {
      const reply = await call(method, path, body);
      if (reply.status >= 400 && reply.status !== 409) throw new Error(JSON.stringify(reply));
      return reply.status < 300 && reply;
    },
    400,
  );

const show = async (path: string) => (await call('GET', `/v1/${path}`)).body;
const enrol = async (values: object = {}): Promise<string> => {
  const { status, body } = await call('POST', '/v1/nodes', { driver: 'fake-hardware', ...values });
  expect([status, body]).toMatchObject([201, {}]);
  return body['uuid'] as string;
};
const provision = async (node: string, target: string) => call('PUT', `/v1/nodes/${node}/states/provision`, { target });

/** Waits until nobody works on the node, and returns it. */
const rested = async (node: string) =>
  until(`${node} to rest`, async () => {
    const now = await show(`nodes/${node}`);
    return now['reservation'] === null && now['target_provision_state'] === null && now;
  });

const reach = async (node: string, ...targets: string[]) => {
  for (const target of targets) {
    await persist('PUT', `/v1/nodes/${node}/states/provision`, { target });
    await rested(node);
  }
};
const available = async (values: object = {}): Promise<string> => {
  const node = await enrol({ automated_clean: false, ...values });
  await reach(node, 'manage', 'provide');
  expect(await show(`nodes/${node}`)).toMatchObject({ provision_state: 'available' });
  return node;
};

/** One whose power is known, without which no allocation gets it. */
const poweredOff = async (values: object): Promise<string> => {
  const node = await available(values);
  await persist('PUT', `/v1/nodes/${node}/states/power`, { target: 'power off' });
  await until('power off', async () => (await show(`nodes/${node}`))['power_state'] === 'power off');
  return node;
};

describe('200 clients who create', () => {
  it.each([
    [
      'nodes of one name',
      '/v1/nodes',
      async () => (n: number) => ({ driver: 'fake-hardware', name: 'n1', extra: { n } }),
    ],
    ['nodes of one UUID', '/v1/nodes', async () => () => ({ driver: 'fake-hardware', uuid: uuidOf(1) })],
    [
      'ports of one MAC address at one node',
      '/v1/ports',
      async () => {
        const node_uuid = await enrol();
        return () => ({ node_uuid, address: '52:54:00:00:00:01' });
      },
    ],
    [
      'ports of one MAC address at twenty nodes',
      '/v1/ports',
      async () => {
        const nodes = await everyone(async () => enrol(), 20);
        return (n: number) => ({ node_uuid: nodes[n % 20], address: '52:54:00:00:00:02' });
      },
    ],
    ['allocations of one name', '/v1/allocations', async () => () => ({ name: 'a1', resource_class: 'none' })],
    ['chassis of one UUID', '/v1/chassis', async () => () => ({ uuid: uuidOf(2) })],
    [
      'deploy templates of one name',
      '/v1/deploy_templates',
      async () => () => ({
        name: 'CUSTOM_T1',
        steps: [{ interface: 'deploy', step: 'erase_devices', args: {}, priority: 1 }],
      }),
    ],
  ] as const)('%s make one', async (_what, path, prepare) => {
    const bodyOf = await prepare();
    const answers = await everyone(async (n) => call('POST', path, bodyOf(n)));
    expect(count(answers)).toEqual({ 201: 1, 409: clients - 1 });
    const [won] = wonBy(answers, 201);
    expect(await show(`${path.slice(4)}/${String(won!.body['uuid'])}`)).toMatchObject({ uuid: won!.body['uuid'] });
  });
});

describe('200 clients who ask one node', () => {
  it('to deploy start one deploy', async () => {
    const node = await available();
    const answers = await everyone(async () => provision(node, 'active'));
    expect(wonBy(answers, 202)).toHaveLength(1);
    expect(wonBy(answers, 400, 409)).toHaveLength(clients - 1);
    expect(await rested(node)).toMatchObject({ provision_state: 'active', last_error: null });
  });

  it('for power start one change at a time', async () => {
    const node = await available();
    const answers = await everyone(async (n) =>
      call('PUT', `/v1/nodes/${node}/states/power`, { target: n % 2 ? 'power on' : 'power off' }),
    );
    expect(wonBy(answers, 202).length).toBeGreaterThan(0);
    expect(wonBy(answers, 202, 409)).toHaveLength(clients);
    await until('its lock to be free', async () => (await show(`nodes/${node}`))['reservation'] === null);
    expect(await show(`nodes/${node}`)).toMatchObject({ target_power_state: null, last_error: null });
  });

  it('to be deployed, powered and patched lose nothing that was accepted', async () => {
    const node = await available();
    const asks = [
      async (n: number) => call('PATCH', `/v1/nodes/${node}`, add(`/extra/k${n}`, n)),
      async () => provision(node, 'active'),
      async () => call('PUT', `/v1/nodes/${node}/states/power`, { target: 'power on' }),
    ];
    const answers = await everyone(async (n) => asks[n % asks.length]!(n));
    expect(wonBy(answers, 200, 202, 400, 409)).toHaveLength(clients);
    const of = (ask: number, won: number) =>
      answers.flatMap(({ status }, n) => (n % asks.length === ask && status === won ? [`k${n}`] : []));
    const deploys = of(1, 202).length;
    expect(deploys).toBeLessThanOrEqual(1);
    const after = await rested(node);
    expect(Object.keys(after['extra'] as object).sort()).toEqual(of(0, 200).sort());
    expect(after['provision_state']).toBe(deploys ? 'active' : 'available');
  });

  it('to be deployed, patched, given a port and deleted leave it whole or gone', async () => {
    const node = await available();
    const port = (node_uuid: string, n: number) => ({ node_uuid, address: `52:54:00:00:01:${n.toString(16)}` });
    const asks = [
      async (n: number) => call('PATCH', `/v1/nodes/${node}`, add(`/extra/k${n}`, n)),
      async (n: number) => call('POST', '/v1/ports', port(node, n + 16)),
      async () => call('DELETE', `/v1/nodes/${node}`),
      async () => provision(node, 'active'),
    ];
    const answers = await everyone(async (n) => asks[n % asks.length]!(n));
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const deleted = wonBy(answers, 204).length;
    expect(deleted).toBeLessThanOrEqual(1);
    expect((await call('GET', `/v1/nodes/${node}`)).status).toBe(deleted ? 404 : 200);
    const made = wonBy(answers, 201);
    const left = (await show('ports/detail'))['ports'] as { uuid: string; node_uuid: string }[];
    expect(left.filter(({ node_uuid: home }) => home === node)).toHaveLength(deleted ? 0 : made.length);
    const other = await enrol();
    const again = await Promise.all(
      made.map(async ({ body }) => call('POST', '/v1/ports', { node_uuid: other, address: body['address'] })),
    );
    expect(wonBy(again, deleted ? 201 : 409)).toHaveLength(made.length);
  });

  it('to be deployed and undeployed at once find a way that the states have', async () => {
    const node = await available();
    const answers = await everyone(async (n) => provision(node, n % 2 ? 'active' : 'deleted'));
    expect(wonBy(answers, 202, 400, 409)).toHaveLength(clients);
    const { provision_state: state } = await rested(node);
    expect(['active', 'available']).toContain(state);
  });
});

describe('test and set', () => {
  it('of instance_uuid of one node is won by one', async () => {
    const node = await available();
    const answers = await everyone(async (n) =>
      call('PATCH', `/v1/nodes/${node}`, add('/instance_uuid', uuidOf(1000 + n))),
    );
    expect(count(answers)).toEqual({ 200: 1, 409: clients - 1 });
    const [won] = wonBy(answers, 200);
    expect((await show(`nodes/${node}`))['instance_uuid']).toBe(won!.body['instance_uuid']);
  });

  it('of one instance_uuid on 200 nodes is won by one', async () => {
    const nodes = await everyone(async () => enrol());
    const answers = await everyone(async (n) =>
      call('PATCH', `/v1/nodes/${nodes[n]}`, add('/instance_uuid', uuidOf(2))),
    );
    expect(count(answers)).toEqual({ 200: 1, 409: clients - 1 });
    const found = (await show(`nodes?instance_uuid=${uuidOf(2)}`))['nodes'] as { uuid: string }[];
    expect(found.map(({ uuid }) => uuid)).toEqual([wonBy(answers, 200)[0]!.body['uuid']]);
  });

  it('loses no key that was added to extra', async () => {
    const node = await enrol();
    await everyone(async (n) => persist('PATCH', `/v1/nodes/${node}`, add(`/extra/k${n}`, n)));
    expect((await show(`nodes/${node}`))['extra']).toEqual(
      Object.fromEntries(Array.from({ length: clients }, (_, n) => [`k${n}`, n])),
    );
  });

  it('lets one of those in who remove the same key', async () => {
    const node = await enrol({ extra: { key: 'of the only door' } });
    const answers = await everyone(async () =>
      call('PATCH', `/v1/nodes/${node}`, [{ op: 'remove', path: '/extra/key' }]),
    );
    expect(wonBy(answers, 200)).toHaveLength(1);
    expect(wonBy(answers, 400, 409)).toHaveLength(clients - 1);
    expect((await show(`nodes/${node}`))['extra']).toEqual({});
  });

  it('loses no trait that was added, up to as many as there may be', async () => {
    const node = await enrol();
    const answers = await everyone(
      async (n) =>
        until(`trait ${n}`, async () => {
          const reply = await call('PUT', `/v1/nodes/${node}/traits/CUSTOM_${n}`);
          return reply.status !== 409 && reply;
        }),
      60,
    );
    const added = answers.flatMap(({ status }, n) => (status === 204 ? [`CUSTOM_${n}`] : []));
    expect(count(answers)).toEqual({ 204: 50, 400: 10 });
    expect(((await show(`nodes/${node}/traits`))['traits'] as string[]).sort()).toEqual(added.sort());
  });
});

describe('200 allocations', () => {
  it.each([1, 20])('of %i nodes take each once, and the others fail with a reason', async (nodes) => {
    const resource_class = `class-${nodes}`;
    const fleet = await everyone(async () => poweredOff({ resource_class }), nodes);
    const made = await everyone(async () => call('POST', '/v1/allocations', { resource_class }));
    expect(count(made)).toEqual({ 201: clients });
    const found = await until(
      'the allocations to end',
      async () => {
        const all = (await show(`allocations?resource_class=${resource_class}`))['allocations'] as Record<
          string,
          string
        >[];
        return all.every(({ state }) => state !== 'allocating') && all;
      },
      200,
    );
    const active = found.filter(({ state }) => state === 'active');
    expect(new Set(active.map(({ node_uuid: node }) => node))).toEqual(new Set(fleet));
    expect(active).toHaveLength(nodes);
    expect(found.filter(({ state, last_error: why }) => state === 'error' && why)).toHaveLength(clients - nodes);
    for (const { uuid, node_uuid: node } of active) {
      expect(await show(`nodes/${node}`)).toMatchObject({ allocation_uuid: uuid, instance_uuid: uuid });
    }
  });
});
