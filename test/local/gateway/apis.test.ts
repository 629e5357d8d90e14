/** Several APIs at one gateway: each in its own words, below a prefix or at a port of its own. On AWS: test/infra/apis.test.ts. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';

import { apis } from '../../../infra/manifest.ts';
import { resolveSettings } from '../../../infra/settings.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { Unauthorized } from '../../../layers/domain/fault.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { servedApis } from '../../../local/gateway/api.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../../../local/gateway/server.ts';
import { samples } from '../../infra/samples.ts';
import { createLamps } from '../../layers/http/lamps.ts';

let gateway: Gateway;
afterEach(async () => gateway.close(0));

const open = async (more: Partial<GatewayOptions> = {}) => {
  const clock = createVirtualClock();
  const { lamps, text } = createLamps({ clock, log: createLogRecorder(), lamps: new Map() });
  const functions = { sync: lamps, workflow: text, 'baremetal-api': async () => ({ statusCode: 200, body: 'metal' }) };
  gateway = await openGateway({
    apis: servedApis(
      { ...apis, ...samples },
      resolveSettings(() => undefined),
    ),
    invoke: async (name, event) =>
      functions[name as keyof typeof functions](JSON.parse(event) as APIGatewayProxyEvent, {
        request_id: '1',
        remaining_ms: () => 1000,
      }),
    authorize: async ({ headers }) => {
      if (!(headers['authorization'] ?? headers['Authorization'])) throw Unauthorized('');
      return { user: 'ann', project: 'p1', roles: 'admin', scope: 'project' };
    },
    mounts: [{ prefix: '/objects/', serve: async (_request, response) => void response.end('object') }],
    trusted: noNetworks,
    port: 0,
    ids: createCountedIds(),
    log: createLogRecorder(),
    now: clock.now,
    ...more,
  });
  return gateway;
};

const ask = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('an API that a row adds', () => {
  it('is served below its prefix, which its links carry', async () => {
    const { url, urls } = await open();
    expect(urls).toMatchObject({ baremetal: url, lamps: `${url}/lamps` });
    expect((await ask(`${urls['lamps']}/v2`)).text).toBe(`{"self":"${url}/lamps/v2"}`);
    const known = { headers: { Authorization: 'Basic x' } };
    expect(await ask(`${urls['lamps']}/v2/lamps`, known)).toMatchObject({ status: 200, text: '[]' });
  });

  it('leaves to the others what only begins like its prefix', async () => {
    const { url } = await open();
    for (const path of ['/lampshade', '/v1/lamps', '/lamp']) {
      const answer = await ask(url + path, { headers: { Authorization: 'Basic x' } });
      expect([path, answer.text]).toEqual([path, 'metal']);
    }
  });

  it('refuses in its own words what no function is asked, and tells callers its own realm', async () => {
    const { urls } = await open();
    const stranger = await ask(`${urls['lamps']}/v2/lamps`);
    expect([stranger.status, JSON.parse(stranger.text)]).toEqual([
      401,
      { lampFault: { code: 401, message: 'Authorization required', by: 'gateway' } },
    ]);
    expect(stranger.headers.get('www-authenticate')).toBe('Basic realm="Lamps API"');
    expect(stranger.headers.get('vary')).toBe('Lamp-Version');
    const nowhere = await ask(`${urls['lamps']}/v3`);
    expect([nowhere.status, JSON.parse(nowhere.text)]).toMatchObject([404, { lampNotFound: { by: 'gateway' } }]);
    const metal = await ask(`${urls['baremetal']}/v1/nodes`);
    expect(JSON.parse(metal.text)).toEqual({ error: { message: 'Authorization required', code: 401 } });
  });

  it('may have a port of its own, where nothing else is', async () => {
    const { url, urls } = await open();
    const files = urls['files']!;
    expect(new URL(files).port).not.toBe(new URL(url).port);
    expect(await ask(`${files}/latest/hostname`)).toMatchObject({ status: 200, text: 'hostname of 127.0.0.1' });
    expect(await ask(`${files}/latest/file`, { method: 'DELETE' })).toMatchObject({
      status: 405,
      text: '405 This method is not possible at this path.\n',
    });
    for (const path of ['/v1/nodes', '/lamps/v2', '/objects/a']) {
      expect([path, (await ask(files + path)).text]).toEqual([path, '404 The resource could not be found.\n']);
    }
    expect((await ask(`${url}/objects/a`)).text).toBe('object');
  });

  it('is spoken to in its own words even where no request can be read', async () => {
    const { urls } = await open();
    const socket = connect(Number(new URL(urls['files']!).port), '127.0.0.1');
    socket.write('hello\r\n\r\n');
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk as string;
    expect(answer).toContain('Content-Type: text/plain');
    expect(answer).toMatch(/400 The request is not valid HTTP\.\n$/);
  });

  it('opens no port at all if one of them is taken', async () => {
    await open();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port: main } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const first = gateway;
    const files = { ...samples.files, port };
    const rows = servedApis(
      { ...apis, files },
      resolveSettings(() => undefined),
    );
    await expect(open({ apis: rows, port: main })).rejects.toMatchObject({
      name: 'PortTaken',
      message: expect.stringContaining('or let all APIs have free ports with --port 0.') as string,
    });
    gateway = first;
    const again = createServer().listen(main, '127.0.0.1');
    await once(again, 'listening');
    again.close();
    other.close();
  });
});
