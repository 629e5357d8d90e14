import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Grant } from '../../../infra/grants.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Wiring } from '../../../local/functions/message.ts';
import { serveInvoke } from '../../../local/functions/invoke.ts';
import { createPlatform } from '../../../local/functions/platform.ts';
import { serve } from '../../../local/rpc.ts';
import { startTable, type TableThread } from '../../../local/table/start.ts';
import { createMemoryEvents } from '../../../layers/platform/memory/events.ts';
import { createMemoryFunctions } from '../../../layers/platform/memory/functions.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createMemoryWorkflows } from '../../../layers/platform/memory/workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-ports-'));
const path = join(folder, 'table.db');
const events = createMemoryEvents();
let table: TableThread;

beforeAll(async () => {
  table = await startTable(path);
});
afterAll(async () => {
  await table.stop();
  rmSync(folder, { recursive: true });
});

const wiring = (): Wiring => {
  const { port1, port2 } = new MessageChannel();
  serve(port1, createMemoryWorkflows());
  port1.unref();
  const bus = new MessageChannel();
  serve(bus.port1, { publish: events.publish });
  bus.port1.unref();
  bus.port2.unref();
  port2.unref();
  return {
    table: { path, writer: table.port() },
    workflows: port2,
    events: bus.port2,
    objects: { folder: join(folder, 'objects'), key: join(folder, 'links'), base: 'http://127.0.0.1:1' },
    secrets: join(folder, 'secrets'),
    apis: {
      baremetal: { endpoint: 'http://127.0.0.1:1', credentials: '' },
      image: { endpoint: 'http://127.0.0.1:1', credentials: join(folder, 'none') },
    },
  };
};

const open = async (name: string, ...grants: Grant[]) =>
  (await createPlatform(name, grants, wiring(), createLogRecorder())) as Platform;

const key = { pk: 'a', sk: 'b' };
const denied = { name: 'AccessDenied' };
const context = { node: 'n', name: 'redfish_password' };

it('opens the table as far as it is granted', async () => {
  const writing = await open('f', 'table');
  await writing.table.write([{ put: { ...key, value: 1 } }]);
  expect(await writing.table.get(key)).toMatchObject({ value: 1 });
  await expect((await open('f')).table.get(key)).rejects.toMatchObject(denied);
});

it('lets who answers strangers touch nodes, and nothing else of the table', async () => {
  const { table: fenced } = await open('f', 'table:agents');
  const node = { pk: 'node#n', sk: 'wait' };
  await fenced.write([{ put: node }]);
  expect(await fenced.get(node)).toEqual(node);
  await expect(fenced.get(key)).rejects.toMatchObject(denied);
  await expect(fenced.write([{ put: { ...key, value: 2 } }])).rejects.toMatchObject(denied);
  await expect(fenced.scan({ limit: 1 })).rejects.toMatchObject(denied);
});

it('tells those who start workflows from those who call back, and lets one be both', async () => {
  const starting = await open('f', 'workflows:start');
  await starting.workflows.start('deploy', 'run-1', {});
  expect(await starting.workflows.describe('deploy', 'run-1')).toMatchObject({ status: 'RUNNING' });
  await expect(starting.workflows.succeed('token', {})).rejects.toMatchObject(denied);
  const both = await open('f', 'workflows:start', 'workflows:callback');
  await both.workflows.start('deploy', 'run-2', {});
  expect(await both.workflows.succeed('token', {})).toBe('delivered');
});

it('lets who may only seal not open', async () => {
  const sealing = await open('f', 'seal');
  const sealed = await sealing.sealer.seal('secret', context);
  await expect(sealing.opener.open(sealed, context)).rejects.toMatchObject(denied);
  expect(await (await open('f', 'open')).opener.open(sealed, context)).toBe('secret');
});

it('publishes events for who may', async () => {
  const event = { id: 'e1', type: 'node.create', key: 'n', time: '2026-01-01T00:00:00+00:00', detail: {} };
  await (await open('f', 'publish')).events.publish([event]);
  expect(events.published).toEqual([event]);
  await expect((await open('f', 'table')).events.publish([event])).rejects.toMatchObject(denied);
});

it('stores objects and makes links to the gateway', async () => {
  const { objects } = await open('f', 'objects');
  await objects.put('a/b', Buffer.from('x'));
  expect(await objects.link('a/b', 60)).toMatch(/^http:\/\/127\.0\.0\.1:1\/objects\/a\/b\?/);
});

it('gives the proxy the records of machines and not the table', async () => {
  const platform = await open('bmc-proxy', 'table', 'open');
  expect(platform).not.toHaveProperty('table');
  expect(platform).toHaveProperty('records.read');
});

it('calls the API that it is granted, and no other', async () => {
  const { apis } = await open('f', 'apis:baremetal');
  const wanted = { method: 'GET', path: '/v1/nodes' } as const;
  await expect(apis.baremetal(wanted)).rejects.toMatchObject({ name: 'Unavailable' });
  await expect(apis.image(wanted)).rejects.toMatchObject(denied);
  await expect((await open('f')).apis.baremetal(wanted)).rejects.toMatchObject(denied);
  const both = await open('f', 'apis:baremetal', 'apis:image');
  await expect(both.apis.image(wanted)).rejects.toMatchObject({ name: 'ServiceCredential' });
});

it('calls an API of its own by its function', async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = { statusCode: 200, headers: { 'X-Mark': 'a' }, body: '{}' };
  serveInvoke(port1, ['invoke:image-api'], createMemoryFunctions({ 'image-api': () => answer }));
  port1.unref();
  port2.unref();
  const apis = { ...wiring().apis!, image: { endpoint: '', credentials: '' } };
  const own = await createPlatform('f', ['apis:image'], { ...wiring(), apis, functions: port2 }, createLogRecorder());
  const reply = await (own as Platform).apis.image({ method: 'GET', path: '/v2/images' });
  expect(reply).toEqual({ status: 200, headers: { 'x-mark': 'a' }, text: '{}' });
});

it('reads what it proves from its file alone', async () => {
  const log = createLogRecorder();
  const { apis } = (await createPlatform('f', ['apis:image'], wiring(), log)) as Platform;
  await expect(apis.image({ method: 'GET', path: '/v2/images' })).rejects.toMatchObject({ code: 503 });
  expect(log.lines[0]).toMatchObject({
    message: expect.stringContaining('image_credentials names nothing that can be used') as string,
    fields: { error: { message: expect.stringContaining(join(folder, 'none')) as string } },
  });
  const [key, parameters] = [join(folder, 'none'), (await open('f', 'apis:image')).parameters];
  await expect(parameters.read(key)).rejects.toMatchObject(denied);
});
