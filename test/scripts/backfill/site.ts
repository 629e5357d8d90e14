/** The Bare Metal API behind its gateway, and a Nova that tells of its servers and notes what it is asked. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { create } from '../../../functions/baremetal-api/app.ts';
import { Config } from '../../../functions/baremetal-api/config.ts';
import { apis } from '../../../infra/manifest.ts';
import { resolveSettings } from '../../../infra/settings.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { Unauthorized } from '../../../layers/domain/fault.ts';
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { servedApis } from '../../../local/gateway/api.ts';
import { openGateway } from '../../../local/gateway/server.ts';
import { environmentWith } from '../../fakes/settings.ts';

const root = new URL('../../..', import.meta.url).pathname;

export const fixture = (name: string) =>
  JSON.parse(readFileSync(join(root, 'test/fixtures/nova-bm', name), 'utf8')) as never;

export type Asked = { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] };

/** What Nova answers; a number is a status without a body. */
export type Nova = (path: string, headers: IncomingMessage['headers']) => object | number;

const listen = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** `password`: of the user admin, whom the Bare Metal API asks for then. */
export const openSite = async ({ nova, password }: { nova?: Nova; password?: string } = {}) => {
  const platform = createMemoryPlatform();
  const baremetal = create(platform, Config.parse(environmentWith({ INGOT_AUTH_STRATEGY: 'keystone' })));
  const asked: Asked[] = [];
  const proof = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const gateway = await openGateway({
    apis: servedApis(
      { baremetal: apis.baremetal },
      resolveSettings(() => undefined),
    ),
    invoke: async (_name, event) => {
      const { httpMethod: method, path } = JSON.parse(event) as { httpMethod: string; path: string };
      asked.push({ method, path, headers: {} });
      return baremetal(JSON.parse(event) as never, { request_id: '1', remaining_ms: () => 29_000 });
    },
    authorize: async ({ headers }) => {
      const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
      if (password !== undefined && given !== proof) throw Unauthorized('Authorization required');
      return { user: 'admin', roles: 'admin', scope: 'system' };
    },
    trusted: noNetworks,
    port: 0,
    ids: createCountedIds(),
    log: createLogRecorder(),
    now: () => 1000,
  });
  const questions: Asked[] = [];
  const compute = await listen((request, response) => {
    const { method = '', url = '', headers } = request;
    questions.push({ method, path: url, headers });
    const answer = nova?.(url.replace('/v2.1', ''), headers) ?? 404;
    if (typeof answer === 'number') response.writeHead(answer).end('<html>');
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  const folder = mkdtempSync(join(tmpdir(), 'ingot-backfill-'));
  let count = 0;

  const file = (content: unknown): string => {
    count += 1;
    const path = join(folder, `${count}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  /** The script itself, as an operator starts it. */
  const run = async (args: readonly string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const command = [join(root, 'scripts/backfill-instance-metadata'), ...args];
      execFile(process.execPath, command, { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
      });
    });

  const store = async (values: Partial<StoredNode> & { uuid: string }): Promise<void> => {
    const first = {
      driver: 'fake-hardware',
      created_at: '2026-01-01T00:00:00.000+00:00',
      position: platform.ids.ulid(),
    };
    await createRecord(platform, kinds.node, newNode({ ...first, provision_state: 'active', ...values }));
  };

  return {
    url: gateway.url,
    compute: `${compute.url}/v2.1`,
    platform,
    /** What the Bare Metal API was asked, and what Nova was. */
    asked,
    questions,
    file,
    run,
    store,
    read: async (uuid: string) => (await readRecord(platform.table, kinds.node, uuid))!,
    close: async () => {
      await gateway.close(0);
      compute.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export type Site = Awaited<ReturnType<typeof openSite>>;
