import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, expect, it } from 'vitest';

import type { StateEvent } from '../../../local/states/history.ts';
import { startStates, type StatesThread, type StatesThreadOptions } from '../../../local/states/start.ts';
import { connect } from '../../../local/rpc.ts';
import type { Workflows } from '../../../layers/platform/workflows.ts';
import type { Functions } from '../../../layers/platform/platform.ts';
import { callOf, machineOf, waitOf } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-thread-'));
const threads: StatesThread[] = [];
const children: ChildProcess[] = [];
let journals = 0;

const machine = machineOf({
  A: callOf('${first}', { Assign: { a: '{% $states.result.Payload %}' }, Next: 'B' }),
  B: waitOf('ask', { Output: { a: '{% $a %}', b: '{% $states.result %}' }, End: true }),
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(threads.splice(0).map(async (thread) => thread.stop()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const options = () => ({
  journal: join(folder, `${(journals += 1)}.db`),
  definitions: { machine: JSON.stringify(machine) },
  substitutions: { first: 'one' },
});

const start = async (
  given: Pick<StatesThreadOptions, 'journal' | 'definitions' | 'substitutions'>,
  functions: Functions,
  onEvent?: (event: StateEvent) => void,
) => {
  const onExit = (error: Error) => {
    throw error;
  };
  const thread = await startStates({ ...given, functions, onExit, ...(onEvent && { onEvent }) });
  threads.push(thread);
  return thread;
};

/** Functions that remember who was called; `ask` hands its token to the test. */
const createFunctions = () => {
  const calls: string[] = [];
  const asked = Promise.withResolvers<string>();
  const invoke = async (name: string, payload: object) => {
    calls.push(name);
    if (name === 'ask') asked.resolve((payload as { token: string }).token);
    return 'of the function';
  };
  return { functions: { invoke }, calls, token: asked.promise };
};

const ended = async (workflows: Workflows, name: string) => {
  for (;;) {
    const execution = await workflows.describe('machine', name);
    if (execution && execution.status !== 'RUNNING') return execution;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

it('runs executions in its thread, for whoever has a port to it', async () => {
  const { functions, token } = createFunctions();
  const events: StateEvent[] = [];
  const thread = await start(options(), functions, (event) => events.push(event));
  const workflows = connect<Workflows>(thread.attach());
  await workflows.start('machine', 'x', {});
  expect(await workflows.succeed(await token, 'of the token')).toBe('delivered');
  expect(await ended(workflows, 'x')).toMatchObject({ status: 'SUCCEEDED' });
  expect(await thread.states.output('machine', 'x')).toEqual({ a: 'of the function', b: 'of the token' });
  expect(events.map(({ is }) => is)).toEqual(['started', 'entered', 'exited', 'entered', 'exited', 'ended']);
});

it('passes on what a function throws, by name', async () => {
  const invoke = async () => Promise.reject(Object.assign(new Error('not so'), { name: 'Refused' }));
  const { states } = await start(options(), { invoke });
  await states.start('machine', 'x', {});
  expect(await ended(states, 'x')).toMatchObject({ status: 'FAILED', error: 'Refused' });
});

it('says with one sentence why it cannot start', async () => {
  const broken = startStates({
    ...options(),
    definitions: { broken: JSON.stringify(machineOf({ A: { Type: 'Odd' } })) },
    functions: createFunctions().functions,
    onExit: () => {},
  });
  await expect(broken).rejects.toMatchObject({
    name: 'InvalidDefinition',
    message: expect.stringMatching(/broken\.asl\.json, state "A": Type "Odd"/) as string,
  });
});

it('lets those who wait know that it stops, and continues when it is started again', async () => {
  const given = options();
  const first = createFunctions();
  const before = await start(given, first.functions);
  await before.states.start('machine', 'x', {});
  const token = await first.token;
  await before.stop();
  threads.pop();
  const second = createFunctions();
  const after = await start(given, second.functions);
  expect(await after.states.succeed(token, 1)).toBe('delivered');
  expect(second.calls).not.toContain('one');
});

it('goes on where a process that was killed left off', async () => {
  const given = options();
  const child = fork(new URL('victim.ts', import.meta.url), [JSON.stringify(given)], { execArgv: [] });
  children.push(child);
  // The victim tells the token it was given, and is killed with a hundred executions under way.
  const [token] = (await once(child, 'message')) as [string];
  child.kill('SIGKILL');
  await once(child, 'exit');

  const { states } = await start(given, createFunctions().functions);
  expect(await states.succeed(token, 'survived')).toBe('delivered');
  expect(await states.output('machine', 'x')).toEqual({ a: 'of the victim', b: 'survived' });
  const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
  const known = await Promise.all(names.map(async (name) => states.describe('machine', name)));
  expect(known.filter((each) => each === undefined)).toEqual([]);
});
