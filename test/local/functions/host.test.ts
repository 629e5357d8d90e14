import { MessageChannel } from 'node:worker_threads';

import { afterEach, expect, it } from 'vitest';

import type { Grant } from '../../../infra/grants.ts';
import type { FunctionRow } from '../../../infra/manifest.ts';
import { createHost, type FunctionHost } from '../../../local/functions/host.ts';
import { serveInvoke } from '../../../local/functions/invoke.ts';

const row = (timeout = 20, grants: readonly Grant[] = []): FunctionRow => ({ memory: 64, timeout, grants, doc: '' });

let host: FunctionHost;
const lines: string[] = [];

const open = (rows: Record<string, FunctionRow>, size = 1): FunctionHost => {
  lines.length = 0;
  host = createHost({
    rows,
    folder: new URL('./fixtures/', import.meta.url),
    environment: (name) => ({ INGOT_GREETING: `hello ${name}` }),
    wire: (_name, { grants }, functions) => {
      const { port1, port2 } = new MessageChannel();
      serveInvoke(port1, grants, functions);
      return { functions: port2 };
    },
    onLine: (name, line) => lines.push(`${name}: ${line}`),
    size,
  });
  return host;
};

afterEach(async () => host.stop(0));

it('passes JSON in and out, and a result of nothing as null', async () => {
  const { invoke } = open({ echo: row() });
  expect(await invoke('echo', { do: 'echo', value: { a: [1, 'ü', null] } })).toMatchObject({
    value: { a: [1, 'ü', null] },
  });
  expect(await invoke('echo', { do: 'nothing' })).toBeNull();
  expect(await invoke('echo', { do: 'answer', value: '{"a":"ü\\""}' })).toEqual({
    statusCode: 200,
    body: '{"a":"ü\\""}',
    isBase64Encoded: false,
  });
});

it('gives a function its own environment and nothing of the process', async () => {
  const { invoke } = open({ echo: row() });
  expect(await invoke('echo', { do: 'environment' })).toEqual({ greeting: 'hello echo', names: ['INGOT_GREETING'] });
});

it('tells an invocation how much of its time is left', async () => {
  const { invoke } = open({ echo: row(20) });
  const told = (await invoke('echo', { do: 'remaining' })) as { remaining_ms: number; request_id: string };
  expect(told.remaining_ms).toBeGreaterThan(0);
  expect(told.remaining_ms).toBeLessThanOrEqual(20_000);
  expect(told.request_id).toMatch(/^[0-9a-f-]{36}$/);
});

it('runs several invocations of one worker at once', async () => {
  const { invoke } = open({ echo: row() });
  const order: string[] = [];
  const slow = invoke('echo', { do: 'wait', ms: 60 }).then(() => order.push('slow'));
  const quick = invoke('echo', { do: 'echo' }).then(() => order.push('quick'));
  await Promise.all([slow, quick]);
  expect(order).toEqual(['quick', 'slow']);
});

it('starts a second worker only while the first has work, up to the size of the pool', async () => {
  const { invoke } = open({ echo: row() }, 2);
  const waits = [1, 2, 3].map(async () => invoke('echo', { do: 'wait', ms: 60 }));
  const threads = (await Promise.all(waits)) as { thread: number }[];
  expect(new Set(threads.map(({ thread }) => thread)).size).toBe(2);
});

it('passes on the name and message of what the function throws', async () => {
  const { invoke } = open({ echo: row() });
  await expect(invoke('echo', { do: 'fault' })).rejects.toMatchObject({
    name: 'BmcBusy',
    message: 'The BMC is busy, try again later.',
  });
  await expect(invoke('echo', { do: 'mistake' })).rejects.toMatchObject({ name: 'TypeError' });
  await expect.poll(() => lines.join('\n')).toContain('undefined is not a machine');
  expect(lines.join('\n')).not.toContain('BMC is busy');
});

it('gives up an invocation at its limit, lets its neighbours end, and goes on in another worker', async () => {
  const { invoke } = open({ echo: row(4) });
  const { thread } = (await invoke('echo', { do: 'echo' })) as { thread: number };
  const hanging = invoke('echo', { do: 'hang' }).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  // Past the limit of its neighbour by 0.8 s, and 1.2 s before its own.
  const neighbour = invoke('echo', { do: 'wait', ms: 2800 });
  expect(await hanging).toMatchObject({ name: 'Sandbox.Timedout' });
  const after = (await invoke('echo', { do: 'echo' })) as { thread: number };
  expect(after.thread).not.toBe(thread);
  expect(await neighbour).toEqual({ thread });
});

it('ends a worker that never comes back from a loop', async () => {
  const { invoke } = open({ echo: row(2) });
  await host.warm();
  await expect(invoke('echo', { do: 'spin' })).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
  expect(await invoke('echo', { do: 'echo', value: 1 })).toMatchObject({ value: 1 });
});

it('fails what a dying worker was doing with a reason, and replaces it', async () => {
  const { invoke } = open({ echo: row() });
  await expect(invoke('echo', { do: 'crash' })).rejects.toMatchObject({
    name: 'Runtime.ExitError',
    message: expect.stringContaining('outside of every invocation') as string,
  });
  expect(await invoke('echo', { do: 'echo', value: 2 })).toMatchObject({ value: 2 });
});

it('says why a function cannot be loaded, and which setting is missing', async () => {
  open({ broken: row() });
  await expect(host.warm()).rejects.toMatchObject({ message: expect.stringContaining('cannot be loaded') as string });
  open({ misconfigured: row() });
  await expect(host.warm()).rejects.toMatchObject({ message: expect.stringContaining('INGOT_MUST_BE_SET') as string });
});

it('refuses what the row does not grant, naming the manifest', async () => {
  const { invoke } = open({ echo: row() });
  await expect(invoke('echo', { do: 'write' })).rejects.toMatchObject({
    name: 'AccessDenied',
    message: expect.stringContaining('table.write') as string,
  });
});

it('lets a function call exactly the functions that its row names', async () => {
  const { invoke } = open({ caller: row(20, ['invoke:echo']), echo: row() });
  const called = await invoke('caller', { name: 'echo', payload: { do: 'echo', value: 3 } });
  expect(called).toMatchObject({ value: 3 });
  await expect(invoke('caller', { name: 'echo', payload: { do: 'fault' } })).rejects.toMatchObject({ name: 'BmcBusy' });
  await expect(invoke('caller', { name: 'caller', payload: {} })).rejects.toMatchObject({ name: 'AccessDenied' });
});

it('hands on each line that a function writes', async () => {
  const { invoke } = open({ echo: row() });
  await invoke('echo', { do: 'log' });
  await expect.poll(() => lines.join('\n')).toContain('"marker":7');
});

it('refuses unknown functions, and everything once it stops', async () => {
  const { invoke } = open({ echo: row() });
  await expect(invoke('absent', {})).rejects.toMatchObject({ name: 'NotFound' });
  const running = invoke('echo', { do: 'wait', ms: 50 });
  await new Promise((resolve) => setTimeout(resolve, 10));
  const stopped = host.stop(60_000);
  await expect(invoke('echo', { do: 'echo' })).rejects.toMatchObject({ name: 'Unavailable' });
  expect(await running).toHaveProperty('thread');
  await stopped;
});
