import { expect, it } from 'vitest';

import { createApi, createServingLab } from '../lab.ts';

it('asks for the version, looks itself up by its MAC and calls with its token', async () => {
  const { api, machine } = await createServingLab();
  expect(api.to('/v1/lookup')).toMatchObject([{ method: 'GET', version: '1.62' }]);
  expect(api.to('/v1/heartbeat/node-1')[0]).toEqual({
    method: 'POST',
    path: '/v1/heartbeat/node-1',
    version: '1.68',
    body: {
      callback_url: 'https://bmc.test/m0001/agent',
      agent_version: expect.any(String) as string,
      agent_token: 'T'.repeat(43),
      agent_verify_ca: 'PEM',
    },
  });
  expect(machine.agent).toMatchObject({ state: 'serving', node_uuid: 'node-1' });
});

it('sends an older API only what it knows', async () => {
  const api = createApi();
  api.answers['/'] = () => Response.json({ default_version: { version: '1.40' } });
  await createServingLab(api);
  expect(api.to('/v1/lookup')[0]!.version).toBe('1.40');
  expect(Object.keys(api.to('/v1/heartbeat/node-1')[0]!.body)).toEqual(['callback_url', 'agent_version']);
});

it('keeps looking itself up while nobody knows it, it is locked, or nobody answers', async () => {
  const api = createApi();
  const known = api.answers['/v1/lookup']!;
  api.answers['/v1/lookup'] = (count) => {
    if (count === 1) throw new TypeError('refused');
    return count < 5 ? new Response('', { status: count % 2 ? 404 : 409 }) : known(count);
  };
  const { machine, advance } = await createServingLab(api);
  await advance(200);
  expect(api.to('/v1/lookup')).toHaveLength(5);
  expect(machine.agent!.state).toBe('serving');
});

it('shuts itself off when the token was given to somebody else', async () => {
  const api = createApi('******');
  const { machine, advance, agent } = await createServingLab(api);
  await advance(600);
  expect(machine.agent!.state).toBe('locked');
  expect(api.to('/v1/heartbeat/node-1')).toHaveLength(0);
  expect((await agent('GET', '/v1/commands')).body).toBe('drop');
});

it('calls again after 30 to 60 % of the heartbeat timeout, and sooner after a refusal', async () => {
  const { api, advance } = await createServingLab();
  const beats = () => api.to('/v1/heartbeat/node-1').length;
  const before = beats();
  await advance(1800);
  expect(beats() - before).toBeGreaterThanOrEqual(9);
  expect(beats() - before).toBeLessThanOrEqual(21);
  api.answers['/v1/heartbeat/node-1'] = () => new Response('', { status: 409 });
  await advance(180);
  const refused = beats();
  await advance(60);
  expect(beats() - refused).toBeGreaterThanOrEqual(5);
});

it('ends with the power', async () => {
  const { api, advance, reset, agent } = await createServingLab();
  await reset('ForceOff');
  await advance(5);
  const before = api.calls.length;
  await advance(1000);
  expect(api.calls).toHaveLength(before);
  expect((await agent('GET', '/v1/commands')).body).toBe('drop');
});

it('misbehaves as the faults say', async () => {
  const lab = await createServingLab();
  const { world, api, advance } = lab;
  world.faults.add(null, { name: 'duplicate_heartbeat', count: 1 });
  world.faults.add(null, { name: 'agent_wrong_token', count: 1 });
  const before = api.to('/v1/heartbeat/node-1').length;
  await advance(180);
  const beats = api.to('/v1/heartbeat/node-1').slice(before);
  expect(beats.filter(({ body }) => body['agent_token'] !== 'T'.repeat(43))).toHaveLength(2);

  world.faults.add(null, { name: 'agent_never_calls', count: 1 });
  const calls = api.to('/v1/lookup').length;
  await lab.reset('ForceRestart');
  await advance(1000);
  expect(lab.machine.phase).toBe('ramdisk');
  expect(api.to('/v1/lookup')).toHaveLength(calls);
});

it('leaves no token in the request log', async () => {
  const { world, agent } = await createServingLab();
  await agent('GET', '/v1/commands');
  expect(JSON.stringify(world.log.list())).not.toContain('TTTT');
});
