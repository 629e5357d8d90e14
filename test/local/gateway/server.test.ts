import { once } from 'node:events';
import { request as httpRequest, Agent } from 'node:http';
import { connect } from 'node:net';

import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { afterEach, expect, it } from 'vitest';

import { challengeOf } from '../../../infra/challenge.ts';
import type { RouteRow } from '../../../infra/manifest.ts';
import type { Settings } from '../../../infra/settings.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { Fault, Forbidden, Unauthorized } from '../../../layers/domain/fault.ts';
import { ironic } from '../../../layers/http/protocols/ironic.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../../../local/gateway/server.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';

const routes: RouteRow[] = [
  { at: 'ANY /', function: 'baremetal-api', authorize: false },
  { at: 'ANY /v1/heartbeat/{node_ident}', function: 'ramdisk-api', authorize: false },
  { at: 'ANY /{proxy+}', function: 'baremetal-api', authorize: true },
];
const challenge = challengeOf({ auth_strategy: 'http_basic' } as Settings, 'Baremetal API');
const apis = { baremetal: { protocol: ironic, routes, challenge } };

let gateway: Gateway;
afterEach(async () => gateway.close(0));

type Handle = (name: string, event: APIGatewayProxyEvent) => unknown;

/** A gateway whose functions are `handle`; by default they answer with their event. */
const open = async (handle?: Handle, options: Partial<GatewayOptions> = {}): Promise<string> => {
  const echo: Handle = (name, event) => ({ statusCode: 200, headers: {}, body: JSON.stringify({ name, event }) });
  gateway = await openGateway({
    apis,
    invoke: async (name, event) => (handle ?? echo)(name, JSON.parse(event) as never),
    authorize: async () => ({ user: 'ann' }),
    trusted: noNetworks,
    port: 0,
    ids: createCountedIds(),
    log: createLogRecorder(),
    now: () => 1000,
    ...options,
  });
  return gateway.url;
};

type Seen = { name: string; event: APIGatewayProxyEvent };
const seen = async (response: Response) => (await response.json()) as Seen;

it('makes the event of API Gateway', async () => {
  const url = await open();
  const response = await fetch(`${url}/v1/nodes/a%20b?fields=uuid,name&x=1&x=2&__proto__=y`, {
    method: 'PATCH',
    headers: { 'X-OpenStack-Ironic-API-Version': '1.80', 'User-Agent': 'me' },
    body: '[]',
  });
  const { name, event } = await seen(response);
  expect(name).toBe('baremetal-api');
  expect(event).toMatchObject({
    resource: '/{proxy+}',
    path: '/v1/nodes/a%20b',
    httpMethod: 'PATCH',
    pathParameters: { proxy: 'v1/nodes/a b' },
    queryStringParameters: { fields: 'uuid,name', x: '2' },
    multiValueQueryStringParameters: { fields: ['uuid,name'], x: ['1', '2'] },
    body: '[]',
    isBase64Encoded: false,
    requestContext: {
      path: '/v1/nodes/a%20b',
      stage: 'local',
      authorizer: { user: 'ann' },
      requestTimeEpoch: 1000,
      identity: { sourceIp: '127.0.0.1', userAgent: 'me' },
    },
  });
  expect(event.requestContext.requestId).toBeTruthy();
  expect(event.headers['X-OpenStack-Ironic-API-Version'] ?? event.headers['x-openstack-ironic-api-version']).toBe(
    '1.80',
  );
  expect(event.headers).toMatchObject({ 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '127.0.0.1' });
});

it('takes the parameters of a route and asks no authorizer where none is wanted', async () => {
  const url = await open(undefined, {
    authorize: async () => {
      throw Forbidden('never asked');
    },
  });
  const { name, event } = await seen(await fetch(`${url}/v1/heartbeat/n1`, { method: 'POST', body: '{}' }));
  expect([name, event.pathParameters, event.requestContext.authorizer]).toEqual([
    'ramdisk-api',
    { node_ident: 'n1' },
    undefined,
  ]);
});

it('does not believe what a client says of the connection, and keeps its hop headers to itself', async () => {
  const url = await open();
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.1', te: 'trailers' };
  const { event } = await seen(await fetch(`${url}/v1/nodes`, { headers }));
  const lower = Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]));
  expect(lower).toMatchObject({ 'x-forwarded-proto': 'http', 'x-forwarded-for': '10.0.0.1, 127.0.0.1' });
  expect(lower).not.toHaveProperty('connection');
  expect(lower).not.toHaveProperty('te');
});

it('sends a body that is not UTF-8 as base64 and an empty one as null', async () => {
  const url = await open();
  const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
  const binary = await seen(await fetch(`${url}/x`, { method: 'POST', body: bytes }));
  expect([binary.event.body, binary.event.isBase64Encoded]).toEqual([Buffer.from(bytes).toString('base64'), true]);
  const empty = await seen(await fetch(`${url}/x`, { method: 'POST' }));
  expect([empty.event.body, empty.event.isBase64Encoded]).toEqual([null, false]);
});

it('answers with status, repeated headers and body of the function, and with no header of its own making', async () => {
  const result: APIGatewayProxyResult = {
    statusCode: 202,
    headers: { Location: '/there', Connection: 'upgrade', 'Content-Length': '999' },
    multiValueHeaders: { 'X-Many': ['a', 'b'] },
    body: Buffer.from('höhe').toString('base64'),
    isBase64Encoded: true,
  };
  const response = await fetch(`${await open(() => result)}/v1/nodes`);
  expect([response.status, await response.text()]).toEqual([202, 'höhe']);
  expect(response.headers.get('x-many')).toBe('a, b');
  expect([...response.headers.keys()].sort()).toEqual([
    'connection',
    'content-length',
    'date',
    'keep-alive',
    'location',
    'x-many',
  ]);
});

it('passes HEAD and OPTIONS on, and sends no body where HTTP has none', async () => {
  const methods: string[] = [];
  const url = await open((_name, { httpMethod }) => {
    methods.push(httpMethod);
    return { statusCode: httpMethod === 'OPTIONS' ? 204 : 200, headers: {}, body: 'text' };
  });
  const head = await fetch(`${url}/v1/nodes`, { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['4', '']);
  const options = await fetch(`${url}/v1/nodes`, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('content-length')]).toEqual([204, null]);
  expect(methods).toEqual(['HEAD', 'OPTIONS']);
});

it.each([
  ['API Gateway takes', 10 * 1024 * 1024 + 1, 'x'],
  ['Lambda takes once it is JSON', 4 * 1024 * 1024, '"'],
])('refuses a body larger than %s with a flat 413', async (_what, length, character) => {
  const url = await open();
  const response = await fetch(`${url}/v1/nodes`, { method: 'POST', body: character.repeat(length) });
  expect(response.status).toBe(413);
  expect(response.headers.get('x-openstack-ironic-api-maximum-version')).toMatch(/^1\./);
  expect(await response.json()).toMatchObject({ faultcode: 'Client', faultstring: expect.stringContaining('6 MB') });
});

it('refuses a body of unknown length once it has grown too large', async () => {
  const url = await open();
  const chunk = new Uint8Array(1024 * 1024);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      if (sent > 12) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const response = await fetch(`${url}/v1/nodes`, { method: 'POST', body, duplex: 'half' });
  expect(response.status).toBe(413);
});

it('refuses a too large body before it is sent to a client that asks first', async () => {
  const url = await open();
  const request = httpRequest(`${url}/v1/nodes`, {
    method: 'POST',
    headers: { Expect: '100-continue', 'Content-Length': String(11 * 1024 * 1024) },
  });
  let continued = false;
  request.on('continue', () => {
    continued = true;
  });
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [{ statusCode: number }];
  expect([response.statusCode, continued]).toEqual([413, false]);
  request.destroy();
});

it('answers 504 when a function takes too long', async () => {
  const url = await open(async () => new Promise(() => undefined), { timeoutMs: 30 });
  const response = await fetch(`${url}/v1/nodes`);
  expect(response.status).toBe(504);
  expect(JSON.parse(((await response.json()) as { error_message: string }).error_message)).toMatchObject({
    faultcode: 'Server',
  });
});

it('answers 503 when an authorizer in a worker says that it cannot find out who calls', async () => {
  // Of what a function throws only name and message arrive; the code is lost on the way.
  const authorize = async () => Promise.reject(new Fault('Unavailable', 500, 'Keystone is away. Try again.'));
  const response = await fetch(`${await open(undefined, { authorize })}/v1/nodes`);
  expect([response.status, (await response.text()).includes('Keystone is away')]).toEqual([503, true]);
});

it.each([
  ['no result', null],
  ['a status that is no number', { statusCode: 'two hundred', body: '' }],
])('answers 502 to %s of a function', async (_what, result) => {
  expect((await fetch(`${await open(() => result)}/v1/nodes`)).status).toBe(502);
});

it('hides from the client why a function failed', async () => {
  const log = createLogRecorder();
  const url = await open(
    () => {
      throw new Fault('TypeError', 500, 'a detail of the inside');
    },
    { log },
  );
  const response = await fetch(`${url}/v1/nodes`);
  expect([response.status, (await response.text()).includes('inside')]).toEqual([502, false]);
  expect(JSON.stringify(log.lines)).toContain('A request failed');
});

it.each([
  [Unauthorized('Authorization required'), 401, 'Basic realm="Baremetal API"'],
  [Forbidden('Access was denied.'), 403, null],
])('answers %s of the authorizer', async (fault, status, challenge) => {
  const url = await open(undefined, {
    authorize: async () => {
      throw fault;
    },
  });
  const response = await fetch(`${url}/v1/nodes`);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, challenge]);
  expect(await response.json()).toEqual({ error: { message: fault.message, code: status } });
});

const raw = async (url: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk as string;
  return answer;
};

it.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a broken length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ['a target that is no path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
])('answers %s with an error and goes on', async (_what, text, status) => {
  const url = await open();
  expect(await raw(url, text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect((await fetch(url)).status).toBe(200);
});

it('understands a target with scheme and host, as proxies send it', async () => {
  const url = await open();
  const answer = await raw(url, 'GET http://a.example/v1/nodes?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(answer).toContain('"path":"/v1/nodes"');
});

it('leaves paths below a mount to what is mounted', async () => {
  const url = await open(undefined, {
    mounts: [
      {
        prefix: '/objects/',
        serve: async (request, response) => void response.end(`object ${request.url}`),
      },
    ],
  });
  expect(await (await fetch(`${url}/objects/a?b`)).text()).toBe('object /objects/a?b');
  expect((await fetch(`${url}/objectsx`)).headers.get('content-length')).not.toBe('0');
});

it('keeps connections alive, and lets a request end before it closes', async () => {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const url = await open(async () => {
    arrived.resolve();
    await gate.promise;
    return { statusCode: 200, headers: {}, body: 'late' };
  });
  const agent = new Agent({ keepAlive: true });
  const request = httpRequest(`${url}/v1/nodes`, { agent }).end();
  await once(request, 'socket');
  await arrived.promise;
  const closed = gateway.close(60_000);
  gate.resolve();
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { headers: Record<string, string> }];
  expect(response.headers['connection']).toBe('close');
  response.resume();
  await closed;
  agent.destroy();
});

it('says in one sentence that its port is taken', async () => {
  await open();
  const again = openGateway({
    apis,
    invoke: async () => '',
    authorize: async () => ({}),
    trusted: noNetworks,
    port: gateway.port,
    ids: createCountedIds(),
    log: createLogRecorder(),
    now: () => 0,
  });
  await expect(again).rejects.toMatchObject({
    name: 'PortTaken',
    message: `Port ${gateway.port} on 127.0.0.1 is taken: stop what uses it, or choose another with --port.`,
  });
});
