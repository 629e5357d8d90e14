/** Whom the gateway answers when nobody has to prove who they are. */
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { apis as rows } from '../../../infra/manifest.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { createGuard } from '../../../local/gateway/noauth.ts';
import { type Gateway, openGateway } from '../../../local/gateway/server.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';

const { baremetal } = rows;
const apis = { baremetal: { protocol: baremetal.protocol, routes: baremetal.routes } };

let gateway: Gateway;
let invoked: string[];

beforeAll(async () => {
  gateway = await openGateway({
    apis,
    guard: createGuard('https://metal.example'),
    invoke: async (name) => {
      invoked.push(name);
      return { statusCode: 200, headers: {}, body: 'answered' };
    },
    authorize: async () => ({ user: 'anonymous' }),
    mounts: [{ prefix: '/objects/', serve: async (_request, response) => void response.end('object') }],
    trusted: noNetworks,
    port: 0,
    ids: createCountedIds(),
    log: createLogRecorder(),
    now: () => 1000,
  });
});
afterAll(async () => gateway.close(0));
beforeEach(() => {
  invoked = [];
});

type Asked = { readonly line?: string; readonly headers?: Record<string, string>; readonly body?: string };

const ask = async ({ line = 'GET /v1/nodes', headers = {}, body }: Asked) => {
  const [method, path] = line.split(' ') as [string, string];
  const host = `127.0.0.1:${gateway.port}`;
  const options = { port: gateway.port, host: '127.0.0.1', method, path, headers: { Host: host, ...headers } };
  const sent = httpRequest(options).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  return { status: answer.statusCode, text };
};

const json = { 'Content-Type': 'application/json' };
const post = { line: 'POST /v1/nodes', body: '{}' };
const ramdisk = { line: 'POST /v1/continue_inspection', body: '{}' };

it.each<[string, Asked]>([
  ['a program of this machine', {}],
  ['one that says localhost without a port', { headers: { Host: 'localhost' } }],
  ['one that calls the public endpoint', { headers: { Host: 'metal.example' } }],
  ['the address bar of a browser', { headers: { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' } }],
  ['a page at the public endpoint', { headers: { Host: 'metal.example', Origin: 'https://metal.example' } }],
  ['JSON', { ...post, headers: json }],
  ['JSON with parameters', { ...post, headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } }],
  ['a patch', { line: 'PATCH /v1/nodes/n', body: '[]', headers: { 'Content-Type': 'application/json-patch+json' } }],
  ['a request without a body and its type', { line: 'PUT /v1/nodes/n/traits/CUSTOM_A' }],
  ['an inventory as the deploy agent sends it, without a type', ramdisk],
  ['an inventory with a slash at the end of its path', { ...ramdisk, line: 'POST /v1/continue_inspection/' }],
  ['a heartbeat without a type', { ...ramdisk, line: 'POST /v1/heartbeat/n' }],
])('%s is answered', async (_who, asked) => {
  expect(await ask(asked)).toEqual({ status: 200, text: 'answered' });
});

const page = { Origin: 'https://evil.example' };
const text = { 'Content-Type': 'text/plain' };

describe.each<[string, Asked, number]>([
  ['a page whose name resolves to loopback', { headers: { Host: 'evil.example', Origin: 'http://evil.example' } }, 403],
  ['another name of this machine', { headers: { Host: 'my-laptop.lan:6385' } }, 403],
  ['another port of this machine', { headers: { Host: 'localhost:1' } }, 403],
  ['a foreign page', { headers: page }, 403],
  ['a page without an origin', { headers: { Origin: 'null' } }, 403],
  ['a page of another port', { headers: { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' } }, 403],
  ['a link on a foreign page', { headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' } }, 403],
  ['a form on a foreign page', { ...post, headers: { ...page, ...text, 'Sec-Fetch-Site': 'cross-site' } }, 403],
  ['a foreign page that speaks JSON', { ...post, headers: { ...page, ...json } }, 403],
  ['a foreign page in the role of an agent', { ...ramdisk, headers: page }, 403],
  ['the root asked by a foreign page', { line: 'GET /', headers: page }, 403],
  ['a path that does not exist, asked by a foreign page', { line: 'GET /nothing/there', headers: page }, 403],
  ['X-Forwarded-For', { headers: { 'X-Forwarded-For': '10.0.0.9' } }, 403],
  ['X-Forwarded-Host', { headers: { 'x-forwarded-host': 'metal.example' } }, 403],
  ['Forwarded', { headers: { Forwarded: 'for=10.0.0.9' } }, 403],
  ['X-Real-IP', { headers: { 'X-Real-IP': '10.0.0.9' } }, 403],
  ['Via', { headers: { Via: '1.1 proxy' } }, 403],
  ['text', { ...post, headers: text }, 415],
  ['a form', { ...post, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
  ['what only looks like JSON', { ...post, headers: { 'Content-Type': 'text/plain; application/json' } }, 415],
  ['an inventory as text', { ...ramdisk, headers: text }, 415],
  ['a body in chunks, as text', { ...post, headers: { ...text, 'Transfer-Encoding': 'chunked' } }, 415],
  ['a body without a type', post, 400],
])('%s', (_who, asked, status) => {
  it(`is refused (${status}) in a sentence, and reaches no function`, async () => {
    const answer = await ask(asked);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(/\w+ \w+/);
    expect(invoked).toEqual([]);
  });
});

it('a target in absolute form names the host', async () => {
  expect((await ask({ line: 'GET http://evil.example/v1/nodes' })).status).toBe(403);
  expect((await ask({ line: `GET http://localhost:${gateway.port}/v1/nodes` })).status).toBe(200);
});

it('who came through a proxy is told what to do', async () => {
  const { text: body } = await ask({ headers: { 'X-Forwarded-For': '10.0.0.9' } });
  expect(JSON.parse(body)).toEqual({
    error: { code: 403, message: expect.stringMatching(/INGOT_AUTH_STRATEGY=http_basic, oidc or keystone/) },
  });
});

it('links carry their own proof, so BMCs and agents may follow them by any name and through any proxy', async () => {
  const headers = { Host: '10.0.0.1', Via: '1.1 proxy', 'Content-Type': 'application/octet-stream' };
  expect(await ask({ line: 'PUT /objects/a', body: 'x', headers })).toEqual({ status: 200, text: 'object' });
});

it('a refused body does not disturb the next request', async () => {
  const refused = await ask({
    ...post,
    headers: { ...text, 'Content-Length': '3000000' },
    body: 'x'.repeat(3_000_000),
  });
  expect(refused.status).toBe(415);
  expect((await ask({})).status).toBe(200);
});

it('a public endpoint that is no URL is refused at the start', () => {
  for (const wrong of ['metal.example', 'ftp://metal.example', 'http://']) {
    expect(() => createGuard(wrong)).toThrow('Setting public_endpoint has to be an http or https URL');
  }
});
