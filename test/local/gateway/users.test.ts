/** Who calls, from a request at the gateway to what the API behind it says: users of http_basic, and tokens of projects. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { hashSync } from 'bcryptjs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { create as createAuthorizing } from '../../../functions/authorizer/app.ts';
import { Config as AuthorizerConfig } from '../../../functions/authorizer/config.ts';
import { create as createBaremetal } from '../../../functions/baremetal-api/app.ts';
import { Config as BaremetalConfig } from '../../../functions/baremetal-api/config.ts';
import { create as createCompute } from '../../../functions/compute-api/app.ts';
import { Config as ComputeConfig } from '../../../functions/compute-api/config.ts';
import { create as createRamdisk } from '../../../functions/ramdisk-api/app.ts';
import { Config as RamdiskConfig } from '../../../functions/ramdisk-api/config.ts';
import { apis } from '../../../infra/manifest.ts';
import { resolveSettings, type Settings } from '../../../infra/settings.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { createApiCall } from '../../../layers/platform/api-call.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { servedApis } from '../../../local/gateway/api.ts';
import { createAuthorizer } from '../../../local/gateway/authorizer.ts';
import { type Gateway, openGateway } from '../../../local/gateway/server.ts';
import { makeServiceUser } from '../../../local/service-user.ts';
import { startProvider } from '../../fakes/identity.ts';
import { environmentWith } from '../../fakes/settings.ts';

const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE ann@desk';
const hashed = (password: string) => hashSync(password, 4);
const users = [`ann:${hashed('a')}:red:member`, `bob:${hashed('b')}:blue:admin`, `audit:${hashed('c')}:*:reader`].join(
  '\n',
);

let gateway: Gateway;
afterEach(async () => gateway.close(0));

/** The APIs behind a gateway, each function with its own platform in memory. */
const open = async (given: Record<string, string>) => {
  const env = environmentWith({ INGOT_AGENT_NETWORKS: '127.0.0.0/8', ...given });
  const platform = createMemoryPlatform();
  const functions = {
    'baremetal-api': createBaremetal(platform, BaremetalConfig.parse(env)),
    'compute-api': createCompute(createMemoryPlatform(), ComputeConfig.parse(env)),
    'ramdisk-api': createRamdisk(platform, RamdiskConfig.parse(env)),
  };
  const authorize = createAuthorizing(platform, AuthorizerConfig.parse(env));
  const settings = resolveSettings((name) => env[`INGOT_${name.toUpperCase()}`]);
  gateway = await openGateway({
    apis: servedApis(apis, settings),
    invoke: async (name, event) =>
      functions[name as keyof typeof functions](JSON.parse(event) as never, {
        request_id: '1',
        remaining_ms: () => 29_000,
      }),
    authorize: createAuthorizer({ invoke: async (event) => authorize(event), now: platform.clock.now }),
    trusted: noNetworks,
    port: 0,
    ids: platform.ids,
    log: platform.log,
    now: platform.clock.now,
  });
  return async (line: string, authorization?: string, body?: object) => {
    const [method, path] = line.split(' ') as [string, string];
    const answer = await fetch(gateway.url + path, {
      method,
      headers: {
        'OpenStack-API-Version': path.startsWith('/compute') ? 'compute 2.90' : 'baremetal 1.90',
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
};

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const [ann, bob, audit, root] = ['ann:a', 'bob:b', 'audit:c', 'root:r'].map(basic) as [string, string, string, string];
const httpBasic = { INGOT_HTPASSWD: `root:${hashed('r')}`, INGOT_USERS: users };
const keypairs = '/compute/v2.1/os-keypairs';

describe('a user of a project', () => {
  it('is a tenant: what he makes is his', async () => {
    const ask = await open(httpBasic);
    const body = { keypair: { name: 'desk', public_key: ed25519 } };
    expect(await ask(`POST ${keypairs}`, ann, body)).toMatchObject({ status: 201 });
    expect((await ask(`GET ${keypairs}/desk`, ann)).text).toContain('"user_id":"ann"');
    expect((await ask(`GET ${keypairs}/desk`, bob)).status).toBe(404);
    expect((await ask(`GET ${keypairs}`, basic('ann:b'))).status).toBe(401);
  });

  it('is refused by the Bare Metal API, whether what he names is there or not', async () => {
    const ask = await open({ ...httpBasic, INGOT_BAREMETAL_FOR_PROJECTS: 'true' });
    const node = { driver: 'fake-hardware', name: 'n1', owner: 'red', lessee: 'blue' };
    expect((await ask('POST /v1/nodes', root, node)).status).toBe(201);
    for (const line of ['GET /v1/nodes', 'GET /v1/nodes/n1', 'GET /v1/nodes/none', 'POST /v1/nodes', 'GET /nodes/n1']) {
      for (const who of [ann, bob]) {
        const { status, text } = await ask(line, who);
        expect([line, status, text]).toEqual([line, 403, expect.stringContaining('not for callers of projects')]);
        expect(text).not.toContain('n1');
      }
    }
  });

  it('finds its documents all the same, as everybody does', async () => {
    const ask = await open(httpBasic);
    for (const path of ['/', '/v1', '/compute/v2.1']) expect((await ask(`GET ${path}`, ann)).status).toBe(200);
  });
});

describe('a user of the whole system', () => {
  it('may what his roles may', async () => {
    const ask = await open(httpBasic);
    expect((await ask('GET /v1/nodes', audit)).status).toBe(200);
    expect((await ask('POST /v1/nodes', audit, { driver: 'fake-hardware' })).status).toBe(403);
    expect((await ask('GET /v1/nodes', root)).status).toBe(200);
  });
});

describe('a function of the installation', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ingot-service-')), 'service');
  afterAll(() => rmSync(dirname(file), { recursive: true }));

  it.each(['http_basic', 'keystone'])('is a service of the whole system, with %s', async (auth_strategy) => {
    const { line } = makeServiceUser(file, { auth_strategy } as Settings);
    await open({
      ...httpBasic,
      INGOT_AUTH_STRATEGY: auth_strategy,
      INGOT_KEYSTONE_AUTH_URL: 'http://127.0.0.1:1',
      INGOT_KEYSTONE_CREDENTIALS: 'none',
      INGOT_SERVICE_USER: line,
    });
    const log = createLogRecorder();
    const credentials = async () => readFileSync(file, 'utf8');
    const call = createApiCall({ api: 'baremetal', endpoint: gateway.url, credentials, log });
    const version = { 'OpenStack-API-Version': 'baremetal 1.90' };
    const path = '/v1/nodes';
    const made = await call({ method: 'POST', path, headers: version, body: { driver: 'fake-hardware', name: 'n1' } });
    expect(made.status).toBe(201);
    expect(JSON.parse((await call({ method: 'GET', path, headers: version })).text)).toMatchObject({
      nodes: [{ name: 'n1' }],
    });
    // What only an administrator may.
    await expect(call({ method: 'DELETE', path: `${path}/n1`, headers: version })).rejects.toMatchObject({ code: 503 });
    expect(log.lines).toMatchObject([{ fields: { status: 403 } }]);
  });
});

it('agents are asked for nothing, whatever they send', async () => {
  const ask = await open(httpBasic);
  for (const who of [undefined, ann]) {
    expect((await ask('GET /v1/lookup?addresses=52:54:00:00:00:01', who)).status).toBe(404);
  }
});

describe('a token of a project', () => {
  it.each([
    ['true', 200],
    ['false', 403],
  ])('of a provider is answered by the Bare Metal API as baremetal_for_projects (%s) says', async (setting, status) => {
    const provider = await startProvider();
    try {
      const ask = await open({
        INGOT_AUTH_STRATEGY: 'oidc',
        INGOT_OIDC_ISSUER: provider.url,
        INGOT_OIDC_AUDIENCE: 'ingot',
        INGOT_BAREMETAL_FOR_PROJECTS: setting,
      });
      const bearer = async (claims: object) => `Bearer ${await provider.token(claims as never)}`;
      const member = await bearer({ project_id: 'red', roles: ['member'] });
      const operator = await bearer({ system_scope: true, roles: ['admin'] });
      expect((await ask('GET /v1/nodes', member)).status).toBe(status);
      expect((await ask('GET /v1/nodes', operator)).status).toBe(200);
      expect((await ask(`GET ${keypairs}`, member)).status).toBe(200);
    } finally {
      await provider.stop();
    }
  });
});
