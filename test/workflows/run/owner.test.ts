/**
 * Another owner of runs fits in without a change to `workflows/run`: here servers, which may touch nothing of nodes.
 * What the runner and the sync of runs do is the same for all.
 */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { Fault } from '../../../layers/domain/fault.ts';
import { createMemoryPlatform, type MemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { fillIn } from '../../../workflows/run/asl.ts';
import { lookAfter } from '../../../workflows/run/mend.ts';
import { anyCall, type Owner } from '../../../workflows/run/owner.ts';
import type { Ended, Phase } from '../../../workflows/run/phase.ts';
import { createRunner } from '../../../workflows/run/runner.ts';

type Server = { run: string | null; vm_state: string; fault: string | null; task_state: string | null };
type World = Pick<MemoryPlatform, 'workflows'> & { readonly servers: Map<string, Server> };

const Superseded = () => new Fault('Superseded', 409, 'The server is another run’s.');
const Busy = () => new Fault('NodeLocked', 409, 'Somebody else works on it.');

const call = anyCall.extend({ server: z.string() }).transform(({ server, ...rest }) => ({ ...rest, uuid: server }));

const answers = { is: ['claimed', 'none'] } as const;
const phases: { readonly [state: string]: Phase<Server, Ended> } = {
  Claim: {
    answers,
    run: async ({ vm_state }) => ({ is: 'done', output: { is: vm_state === 'big' ? 'none' : 'claimed' } }),
  },
  WaitForNode: { run: async () => ({ is: 'wait' }) },
  Break: { run: async () => Promise.reject(new Error('oops')) },
};

/** Servers that are kept in memory, and their runs. */
const createServers = () => {
  const servers = new Map<string, Server>([
    ['s-1', { run: 'r-1', vm_state: 'building', fault: null, task_state: null }],
  ]);
  const find = (uuid: string): Server => {
    const found = servers.get(uuid);
    if (found?.run) return found;
    throw Superseded();
  };
  const end = (uuid: string, why: string) =>
    void Object.assign(find(uuid), { run: null, vm_state: 'error', fault: why });
  const owner: Owner<World, z.output<typeof call>, Phase<Server, Ended>, Server, Ended> = {
    kind: 'server',
    call,
    phases: (workflow) => (workflow === 'server-create' ? Promise.resolve(phases) : undefined),
    busy: async () => [...servers].flatMap(([uuid, { run }]) => (run ? [uuid] : [])),
    read: async (_platform, uuid) => {
      const { run, task_state } = find(uuid);
      const input = task_state === 'lost' ? undefined : { server: uuid };
      return [{ uuid, workflow: 'server-create', run: run!, input, phase: 'its start', changed_at: 0 }];
    },
    hold: async (_world, { call: { uuid, phase } }) => Object.assign(find(uuid), { task_state: phase }),
    tell: async (_world, { call: { uuid } }, { is }) => void Object.assign(find(uuid), { task_state: is }),
    judge: async (_world, _work, _server, error) => new Fault('Judged', 500, (error as Error).message),
    fail: async (_platform, { uuid }, { message }) => end(uuid, message),
    abandon: async (_world, { uuid }, { message }) => {
      end(uuid, message);
      return `Server failed: ${message}`;
    },
  };
  const platform = createMemoryPlatform();
  const world: World = { workflows: platform.workflows, servers };
  const runner = createRunner(owner);
  const run = async (phase: string, more: object = {}) =>
    runner(
      world,
      { workflow: 'server-create', phase, server: 's-1', ...more },
      { request_id: 'r', remaining_ms: () => 9 },
    );
  return { owner, platform, run, server: servers.get('s-1')! };
};

describe('a phase', () => {
  it('answers its word, when its owner has told what became of it', async () => {
    const { run, server } = createServers();
    expect(await run('Claim')).toEqual({ is: 'claimed' });
    expect(server.task_state).toBe('done');
  });

  it('answers by its token as well, where the state waits for one', async () => {
    const { run, platform } = createServers();
    await run('Claim', { token: 't' });
    expect(platform.workflows.delivered).toEqual([{ token: 't', output: { is: 'claimed' } }]);
  });

  it('that waits answers nothing; somebody else delivers', async () => {
    const { run, platform, server } = createServers();
    expect(await run('WaitForNode', { token: 't' })).toEqual({});
    expect([platform.workflows.delivered, server.task_state]).toEqual([[], 'wait']);
  });

  it('that throws is judged by its owner', async () => {
    await expect(createServers().run('Break')).rejects.toMatchObject({ name: 'Judged', message: 'oops' });
  });

  it('does nothing for an owner that has lost the run', async () => {
    const { run, server } = createServers();
    server.run = null;
    await expect(run('Claim')).rejects.toMatchObject({ name: 'Superseded' });
    expect(server.task_state).toBeNull();
  });

  it.each([
    ['a phase', 'Clam', {}, 'Workflow server-create of a server has no phase Clam.'],
    ['a phase that every object has', 'toString', {}, 'has no phase toString.'],
    ['a workflow', 'Claim', { workflow: 'deploy' }, 'Workflow deploy of a server has no phase Claim.'],
    ['whose it is', 'Claim', { server: 1 }, 'The ASL sent what no phase takes'],
  ])('is refused if nobody knows %s', async (_what, phase, more, message) => {
    await expect(createServers().run(phase, more)).rejects.toMatchObject({
      name: 'PhaseUnknown',
      message: expect.stringContaining(message) as string,
    });
  });

  it('Fail ends the run with what the Catch says, and shows in the console what people are told', async () => {
    const { run, server } = createServers();
    const Cause = JSON.stringify({ errorMessage: 'No node is free.' });
    expect(await run('Fail', { failed: { phase: 'Claim', Error: 'Conflict', Cause } })).toEqual({
      error: 'Conflict',
      cause: 'Server failed: No node is free.',
    });
    expect(server).toMatchObject({ run: null, vm_state: 'error', fault: 'No node is free.' });
  });
});

describe('sync', () => {
  it('starts a run that was recorded but never started, once', async () => {
    const { owner, platform } = createServers();
    expect(await lookAfter(platform, owner, 's-1')).toEqual(['started']);
    expect(await lookAfter(platform, owner, 's-1')).toEqual(['none']);
    expect(platform.workflows.started).toEqual([{ workflow: 'server-create', name: 'r-1', input: { server: 's-1' } }]);
    expect(platform.log.lines).toMatchObject([{ fields: { server: 's-1', run: 'r-1' } }]);
  });

  it('fails a run whose execution ended without it', async () => {
    const { owner, platform, server } = createServers();
    await platform.workflows.start('server-create', 'r-1', {});
    await platform.workflows.stop('server-create', 'r-1', 'Gone', 'It burns.');
    expect(await lookAfter(platform, owner, 's-1')).toEqual(['failed']);
    expect(server.fault).toBe('The execution r-1 ended as ABORTED: It burns.');
  });

  it('fails a run that nobody can start any more', async () => {
    const { owner, platform, server } = createServers();
    server.task_state = 'lost';
    expect(await lookAfter(platform, owner, 's-1')).toEqual(['failed']);
    expect(server.fault).toBe('The run r-1 was never started.');
  });

  it('has patience for an hour while somebody else has the lock', async () => {
    const { owner, platform, server } = createServers();
    server.task_state = 'lost';
    const [recorded] = await owner.read(platform, 's-1');
    const lockedFor = (ms: number) => ({
      ...owner,
      read: async () => [{ ...recorded!, changed_at: platform.clock.now() - ms }],
      fail: async () => Promise.reject(Busy()),
    });
    expect(await lookAfter(platform, lockedFor(3_600_000), 's-1')).toEqual(['none']);
    expect(await lookAfter(platform, lockedFor(3_600_001), 's-1')).toEqual(['stuck']);
  });

  it('waits as long as a client does for a request that has no execution', async () => {
    const { owner, platform, server } = createServers();
    const until = platform.clock.now() + 1;
    const asked = { ...owner, read: async () => [{ ...(await owner.read(platform, 's-1'))[0]!, until }] };
    expect(await lookAfter(platform, asked, 's-1')).toEqual(['none']);
    platform.clock.advance(1);
    expect(await lookAfter(platform, asked, 's-1')).toEqual(['failed']);
    expect(server.fault).toContain('Whoever worked on it was cut off');
  });

  it('does nothing about an owner that went on meanwhile, and says when it can do nothing', async () => {
    const { owner, platform, server } = createServers();
    server.task_state = 'lost';
    const gone = { ...owner, fail: async () => Promise.reject(Superseded()) };
    expect(await lookAfter(platform, gone, 's-1')).toEqual(['none']);
    const broken = { ...owner, fail: async () => Promise.reject(new Error('no table')) };
    expect(await lookAfter(platform, broken, 's-1')).toEqual(['stuck']);
    expect(platform.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { server: 's-1' } });
  });
});

it('has its states call its own function, by a fragment of its own', () => {
  const fragments = {
    call: { Type: 'Task', Arguments: { FunctionName: '${workflow}', Payload: { phase: '<state>' } } },
    'server-phase': { Use: 'call', Arguments: { FunctionName: '${server_workflow}', Payload: { server: 's' } } },
  };
  const { States } = fillIn('server-create', { States: { Claim: { Use: 'server-phase' } } }, fragments);
  expect(States['Claim']).toMatchObject({
    Arguments: { FunctionName: '${server_workflow}', Payload: { phase: 'Claim', server: 's' } },
  });
});
