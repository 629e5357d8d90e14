/** Calls of an API over HTTP: to our own gateway, and to others that do not want us. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';

import { describe, expect, it, onTestFinished } from 'vitest';

import { apis as rows } from '../../../infra/manifest.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { type ApiCallOptions, createApiCall } from '../../../layers/platform/api-call.ts';
import type { ApiRequest } from '../../../layers/platform/apis.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createGuard } from '../../../local/gateway/noauth.ts';
import { openGateway } from '../../../local/gateway/server.ts';
import { describeApis } from '../../conformance/apis.ts';

const { baremetal } = rows;
/** Where nothing listens: connections to the port of TCP multiplexers are refused here. */
const nowhere = 'http://127.0.0.1:1';

describeApis('APIs over HTTP', async (serve) => {
  const log = createLogRecorder();
  const gateway = await openGateway({
    apis: { baremetal: { protocol: baremetal.protocol, routes: baremetal.routes } },
    // As a program of this machine, and as no web page.
    guard: createGuard(''),
    invoke: async (_name, event) => serve(JSON.parse(event) as never, { request_id: '1', remaining_ms: () => 1000 }),
    authorize: async () => ({ user: 'ingot-service' }),
    trusted: noNetworks,
    port: 0,
    ids: createCountedIds(),
    log,
    now: () => 1000,
  });
  return {
    apis: {
      baremetal: createApiCall({ api: 'baremetal', endpoint: `${gateway.url}/v1/`, log }),
      image: createApiCall({ api: 'image', endpoint: nowhere, log }),
    },
    end: async () => gateway.close(0),
  };
});

type Told = { readonly status: number; readonly headers?: Record<string, string> } | 'silence';

/** A server that answers by the headers it sees, and the call of it. */
const open = async (answer: (request: IncomingMessage) => Told, more: Partial<ApiCallOptions> = {}) => {
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const told = answer(request);
    if (told !== 'silence') response.writeHead(told.status, told.headers).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const log = createLogRecorder();
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = createApiCall({ api: 'baremetal', endpoint, log, ...more });
  const ask = async (wanted: Partial<ApiRequest> = {}) => call({ method: 'GET', path: '/v1/nodes', ...wanted });
  return { ask, log, seen };
};

/** Parameters that change: the last one stays. */
const parameters = (...texts: (string | Error)[]) => {
  const state = { reads: 0 };
  const credentials = async () => {
    const text = texts[Math.min(state.reads, texts.length - 1)]!;
    state.reads += 1;
    if (text instanceof Error) throw text;
    return text;
  };
  return { state, credentials };
};

const account = (password: string) => JSON.stringify({ username: 'ingot', password });
const basic = (password: string) => `Basic ${Buffer.from(`ingot:${password}`).toString('base64')}`;
const unavailable = {
  name: 'Unavailable',
  code: 503,
  message: 'The Bare Metal API could not be asked. Try again later.',
};
const refused = { ...unavailable, name: 'ServiceCredential' };

describe('the proof of somebody else', () => {
  const proof = { 'x-auth-token': 'gAAAA-his' };

  it('is sent in the place of the credential, which is not even read', async () => {
    const { state, credentials } = parameters(account('hunter2'));
    const { ask, seen } = await open(() => ({ status: 200 }), { credentials });
    await ask({ proof });
    await ask({ proof: {} });
    expect(seen.map((headers) => [headers['x-auth-token'], headers.authorization])).toEqual([
      ['gAAAA-his', undefined],
      [undefined, undefined],
    ]);
    expect(state.reads).toBe(0);
  });

  it.each([401, 403])(
    'that is refused (%i) is refused to him alone: it is an answer, asked for once',
    async (status) => {
      const { ask, seen, log } = await open(() => ({ status }), parameters(account('hunter2')));
      expect(await ask({ proof })).toMatchObject({ status });
      expect([seen.length, log.lines]).toEqual([1, []]);
    },
  );

  it('goes nowhere where it could be read on its way', async () => {
    const log = createLogRecorder();
    const call = createApiCall({ api: 'baremetal', endpoint: 'http://metal.example', log });
    await expect(call({ method: 'GET', path: '/v1/nodes', proof })).rejects.toMatchObject(refused);
    expect(log.lines[0]!.message).toContain('is no https URL');
    expect(inspect(log.lines, { depth: 9 })).not.toContain('gAAAA');
  });
});

describe('the credential', () => {
  it('is read once, and sent as a user', async () => {
    const { state, credentials } = parameters(account('pass:wörd'));
    const { ask, seen } = await open(() => ({ status: 200 }), { credentials });
    await Promise.all([ask(), ask()]);
    expect(seen.map(({ authorization }) => authorization)).toEqual([basic('pass:wörd'), basic('pass:wörd')]);
    expect(state.reads).toBe(1);
  });

  it('is sent as a token where either kind of service looks for it', async () => {
    const { ask, seen } = await open(() => ({ status: 200 }), parameters('{"token": "gAAAA-x"}'));
    await ask();
    expect(seen[0]).toMatchObject({ authorization: 'Bearer gAAAA-x', 'x-auth-token': 'gAAAA-x' });
  });

  it('is not sent where nobody is asked', async () => {
    const { ask, seen } = await open(() => ({ status: 200 }));
    await ask();
    expect(Object.keys(seen[0]!)).not.toEqual(expect.arrayContaining(['authorization']));
  });

  it('may have changed: who is refused reads it again, once', async () => {
    const { state, credentials } = parameters(account('old'), account('new'));
    const { ask, seen } = await open(
      ({ headers }) => ({ status: headers.authorization === basic('new') ? 200 : 401 }),
      { credentials },
    );
    expect(await ask()).toMatchObject({ status: 200 });
    await ask();
    expect([seen.length, state.reads]).toEqual([3, 2]);
  });

  it.each([401, 403])('that is wrong (%i) is said in the log, without it', async (status) => {
    const { ask, log } = await open(() => ({ status }), parameters(account('hunter2')));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(log.lines).toMatchObject([
      {
        level: 'error',
        message: 'The Bare Metal API could not be called: it refused the credential that baremetal_credentials holds.',
        fields: { status },
      },
    ]);
    expect(inspect(log.lines, { depth: 9 })).not.toContain('hunter2');
  });

  it('that nobody gave is said in the log', async () => {
    const { ask, log } = await open(() => ({ status: 401 }));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(log.lines[0]!.message).toContain('as baremetal_credentials is empty');
  });

  it.each([
    ['no JSON', 'hunter2'],
    ['an empty text', ''],
    ['a user without a password', '{"username": "hunter2"}'],
    ['a word too much', '{"username": "u", "password": "hunter2", "tokn": "x"}'],
    ['a user with a colon', '{"username": "hunter2:x", "password": "p"}'],
    ['a token of two lines', '{"token": "hunter2\\r\\nX-Roles: admin"}'],
  ])('that is %s is said in the log, without it, and nothing is sent', async (_what, text) => {
    const { ask, log, seen } = await open(() => ({ status: 200 }), parameters(text));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(log.lines[0]!.message).toContain('baremetal_credentials names nothing that can be used');
    expect(inspect(log.lines, { depth: 9 })).not.toContain('hunter2');
    expect(seen).toEqual([]);
  });

  it('that could not be read is read again by the next call', async () => {
    const { ask } = await open(() => ({ status: 200 }), parameters(new Error('away'), account('p')));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('does not follow a redirect', async () => {
    const { ask, seen } = await open(
      () => ({ status: 307, headers: { Location: `${nowhere}/stolen` } }),
      parameters(account('p')),
    );
    await expect(ask()).rejects.toMatchObject(unavailable);
    expect(seen).toHaveLength(1);
  });
});

/** An identity service that answers each login, by what it was sent. */
const identity = async (answer: (login: unknown) => Told) => {
  const logins: unknown[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    logins.push({ path: request.url, ...(JSON.parse(await text(request)) as object) });
    const told = answer(logins.at(-1));
    if (told !== 'silence') response.writeHead(told.status, told.headers).end('{}');
  };
  const server = createServer((request, response) => void reply(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { logins, auth_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

describe('a service account of Keystone', () => {
  const user = { username: 'glance-reader', password: 'hunter2', project_name: 'service' };

  it('gets a token, once, and another one when that has ended', async () => {
    let made = 0;
    const { logins, auth_url } = await identity(() => ({
      status: 201,
      headers: { 'X-Subject-Token': `token-${(made += 1)}` },
    }));
    let valid = 'token-1';
    const { credentials } = parameters(JSON.stringify({ ...user, auth_url: `${auth_url}/v3/` }));
    const { ask, seen } = await open(({ headers }) => ({ status: headers['x-auth-token'] === valid ? 200 : 401 }), {
      credentials,
    });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    expect(logins).toEqual([
      {
        path: '/v3/auth/tokens',
        auth: {
          identity: {
            methods: ['password'],
            password: { user: { name: 'glance-reader', password: 'hunter2', domain: { name: 'Default' } } },
          },
          scope: { project: { name: 'service', domain: { name: 'Default' } } },
        },
      },
    ]);
    valid = 'token-2';
    expect((await ask()).status).toBe(200);
    expect(seen.map((headers) => headers['x-auth-token'])).toEqual(['token-1', 'token-1', 'token-1', 'token-2']);
    expect(seen.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('may be an application credential', async () => {
    const { logins, auth_url } = await identity(() => ({ status: 201, headers: { 'X-Subject-Token': 'app' } }));
    const given = { auth_url, application_credential_id: 'a', application_credential_secret: 's' };
    const { ask, seen } = await open(() => ({ status: 200 }), parameters(JSON.stringify(given)));
    await ask();
    expect(logins).toMatchObject([
      {
        auth: {
          identity: { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } },
        },
      },
    ]);
    expect(seen[0]!['x-auth-token']).toBe('app');
  });

  it.each([
    ['is refused', { status: 401 }, 'answered 401 to the service account'],
    ['gets no token', { status: 201 }, 'answered 201 to the service account'],
    ['is sent elsewhere', { status: 307, headers: { Location: `${nowhere}/v3/auth/tokens` } }, ''],
  ] as const)('that %s is said in the log, without the password', async (_what, told, why) => {
    const { auth_url } = await identity(() => told);
    const { ask, log, seen } = await open(() => ({ status: 200 }), parameters(JSON.stringify({ ...user, auth_url })));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(inspect(log.lines, { depth: 9 })).toContain(why);
    expect(inspect(log.lines, { depth: 9 })).not.toContain('hunter2');
    expect(seen).toEqual([]);
  });

  it('sends its password nowhere where it could be read on its way', async () => {
    const given = JSON.stringify({ ...user, auth_url: 'http://identity.example/v3' });
    const { ask, log } = await open(() => ({ status: 200 }), parameters(given));
    await expect(ask()).rejects.toMatchObject(refused);
    expect(inspect(log.lines, { depth: 9 })).toContain('auth_url has to be an https URL');
  });
});

it('an API that is silent is not waited for', async () => {
  const { ask, log } = await open(() => 'silence', { patience_ms: 20 });
  await expect(ask()).rejects.toMatchObject(unavailable);
  expect(log.lines[0]!.message).toBe('The Bare Metal API could not be called: nobody answered.');
});

describe('an endpoint', () => {
  const make = (endpoint: string, credentials?: () => Promise<string>) => () =>
    createApiCall({ api: 'image', endpoint, credentials, log: createLogRecorder() });

  it('has to be a URL', () => {
    for (const endpoint of ['', 'images.example', 'ftp://images.example']) {
      expect(make(endpoint)).toThrow('Setting image_endpoint has to be an http or https URL');
    }
  });

  it('has to be https where a credential travels to, or on this machine', () => {
    const { credentials } = parameters(account('p'));
    expect(make('http://images.example', credentials)).toThrow('image_endpoint has to be an https URL');
    for (const endpoint of ['https://images.example', 'http://127.0.0.1:9292/', 'http://localhost:9292/v2']) {
      expect(make(endpoint, credentials)).not.toThrow();
    }
    expect(make('http://images.example')).not.toThrow();
  });
});
