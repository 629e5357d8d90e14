import { describe, expect, it } from 'vitest';

import { callOf, createWorld, hangs, machineOf, waitOf } from './world.ts';

const pause = (more: object = {}) => machineOf({ A: { Type: 'Wait', Seconds: 60, End: true } }, more);
const ask = machineOf({ A: waitOf('ask', { Output: '{% $states.result %}', End: true }) });
const tokenOf = ({ calls }: { calls: readonly { payload: unknown }[] }, at = 0) =>
  (calls[at]!.payload as { token: string }).token;

describe('starting', () => {
  it('refuses a workflow that is not there', async () => {
    const { states } = await createWorld({ machines: {} });
    await expect(states.start('nothing', 'a', {})).rejects.toMatchObject({ name: 'NotFound' });
  });

  it.each(['', 'a b', 'a/b', 'a,b', 'x'.repeat(81)])('refuses the name %j, as Step Functions does', async (name) => {
    const { states } = await createWorld({ machines: { pause: pause() } });
    await expect(states.start('pause', name, {})).rejects.toMatchObject({ name: 'Invalid', code: 400 });
  });

  it('refuses an input larger than 256 KiB', async () => {
    const { states } = await createWorld({ machines: { pause: pause() } });
    const input = { a: 'x'.repeat(262_144) };
    await expect(states.start('pause', 'one', input)).rejects.toMatchObject({ name: 'TooLarge', code: 413 });
    expect(await states.describe('pause', 'one')).toBeUndefined();
  });

  it('keeps workflows apart that use the same name', async () => {
    const { states } = await createWorld({ machines: { pause: pause(), ask }, script: { ask: () => null } });
    await states.start('pause', 'same', {});
    await states.start('ask', 'same', {});
    await states.stop('pause', 'same', 'Stopped', '');
    expect(await states.describe('ask', 'same')).toMatchObject({ status: 'RUNNING' });
  });

  it('ignores the input of a second start', async () => {
    const world = await createWorld({ machines: { machine: machineOf({ A: { Type: 'Pass', End: true } }) } });
    await world.run('machine', { n: 1 });
    expect(await world.run('machine', { n: 2 })).toMatchObject({ output: { n: 1 } });
  });
});

describe('tokens', () => {
  it('bring the result of their task', async () => {
    const world = await createWorld({ machines: { ask }, script: { ask: () => null } });
    await world.run('ask');
    expect(await world.states.succeed(tokenOf(world), { is: 'heartbeat' })).toBe('delivered');
    expect(await world.outcome('ask', 'one')).toMatchObject({ status: 'SUCCEEDED', output: { is: 'heartbeat' } });
  });

  it('may come before the function that got them has returned', async () => {
    const world = await createWorld({ machines: { ask }, script: { ask: () => hangs } });
    await world.run('ask');
    await world.states.succeed(tokenOf(world), 'early');
    expect(await world.outcome('ask', 'one')).toMatchObject({ status: 'SUCCEEDED', output: 'early' });
  });

  it('fail their task, which may be retried with a new one', async () => {
    const retried = machineOf({ A: waitOf('ask', { Retry: [{ ErrorEquals: ['Busy'] }], End: true }) });
    const world = await createWorld({ machines: { retried }, script: { ask: () => null } });
    await world.run('retried');
    expect(await world.states.fail(tokenOf(world), 'Busy', 'not yet')).toBe('delivered');
    await world.settle();
    expect(tokenOf(world, 1)).not.toBe(tokenOf(world));
    expect(await world.states.succeed(tokenOf(world), 1)).toBe('gone');
    expect(await world.states.succeed(tokenOf(world, 1), 1)).toBe('delivered');
  });

  it('are gone when their task has timed out', async () => {
    const short = machineOf({ A: waitOf('ask', { TimeoutSeconds: 5, End: true }) });
    const world = await createWorld({ machines: { short }, script: { ask: () => null } });
    expect(await world.run('short')).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    expect(await world.states.succeed(tokenOf(world), 1)).toBe('gone');
  });

  it('are gone when nobody ever issued them', async () => {
    const world = await createWorld({ machines: { ask }, script: { ask: () => null } });
    await world.run('ask');
    for (const token of ['', 'x', '1', '1.', '1.guess', `${tokenOf(world)}x`]) {
      expect(await world.states.succeed(token, 1)).toBe('gone');
    }
  });

  it('live on as long as heartbeats come', async () => {
    const beat = machineOf({ A: waitOf('ask', { HeartbeatSeconds: 30, End: true }) });
    const world = await createWorld({ machines: { beat }, script: { ask: () => null } });
    await world.states.start('beat', 'one', {});
    await world.states.idle();
    for (let beats = 0; beats < 4; beats += 1) {
      world.timers.pass(29_000);
      expect(await world.states.heartbeat(tokenOf(world))).toBe('delivered');
    }
    await world.settle();
    expect(await world.outcome('beat', 'one')).toMatchObject({
      error: 'States.Timeout',
      seconds: 4 * 29 + 30,
    });
  });

  it('refuse an output larger than 256 KiB and stay', async () => {
    const world = await createWorld({ machines: { ask }, script: { ask: () => null } });
    await world.run('ask');
    const large = 'x'.repeat(262_144);
    await expect(world.states.succeed(tokenOf(world), large)).rejects.toMatchObject({ name: 'TooLarge' });
    expect(await world.states.succeed(tokenOf(world), 'small')).toBe('delivered');
  });
});

describe('a late answer', () => {
  it('of a function whose task has timed out changes nothing', async () => {
    const slow = Promise.withResolvers<string>();
    const machine = machineOf({
      A: callOf('slow', { TimeoutSeconds: 5, Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'B' }], End: true }),
      B: { Type: 'Wait', Seconds: 60, End: true },
    });
    const world = await createWorld({ machines: { machine }, script: { slow: async () => slow.promise } });
    await world.states.start('machine', 'one', {});
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    world.timers.skip();
    slow.resolve('too late');
    await world.settle();
    expect(await world.outcome('machine', 'one')).toMatchObject({
      status: 'SUCCEEDED',
      entered: ['A', 'B'],
      seconds: 65,
    });
  });
});

describe('what others are told', () => {
  it('is every state entered, exited, failed and retried, after it is in the journal', async () => {
    const machine = machineOf({
      A: callOf('f', { Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 7 }], Next: 'B' }),
      B: { Type: 'Succeed' },
    });
    const f = (_: unknown, call: number) => {
      if (call === 1) throw Object.assign(new Error('not now'), { name: 'Busy' });
    };
    const world = await createWorld({ machines: { machine }, script: { f } });
    await world.run('machine');
    expect(world.events.map(({ is, state }) => [is, state].filter(Boolean).join(' '))).toEqual([
      'started',
      'entered A',
      'failed A',
      'retried A',
      'exited A',
      'entered B',
      'exited B',
      'ended',
    ]);
    expect(world.events[3]).toMatchObject({ workflow: 'machine', name: 'one', error: 'Busy', seconds: 7 });
    expect(world.events.at(-1)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('pruning', () => {
  it('forgets what ended long ago, and nothing that runs', async () => {
    const machine = machineOf({ A: { Type: 'Pass', End: true } });
    const world = await createWorld({ machines: { machine, ask }, script: { ask: () => null } });
    await world.run('machine', {}, 'old');
    await world.run('ask', {}, 'running');
    world.timers.pass(10 * 24 * 3_600_000);
    await world.run('machine', {}, 'new');
    expect(await world.states.prune(9)).toBe(1);
    expect(await world.states.describe('machine', 'old')).toBeUndefined();
    expect(await world.states.history('machine', 'old')).toEqual([]);
    expect(await world.states.describe('machine', 'new')).toBeDefined();
    expect(await world.states.succeed(tokenOf(world), 1)).toBe('delivered');
  });
});

describe('closing', () => {
  it('refuses what comes later, rather than calling a token gone', async () => {
    const world = await createWorld({ machines: { ask }, script: { ask: () => null } });
    await world.run('ask');
    await world.states.close();
    await expect(world.states.succeed(tokenOf(world), 1)).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
