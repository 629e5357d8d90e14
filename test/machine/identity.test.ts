/** Who may call the whole system on this machine, under the strategies that know projects. */
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it } from 'vitest';

import { type Cloud, startCloud } from '../../local/cloud.ts';
import { startKeystone, startProvider } from '../fakes/identity.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const start = async (variables: Record<string, string>): Promise<{ cloud: Cloud; folder: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-identity-'));
  ends.push(async () => rm(folder, { recursive: true, force: true }));
  const credentials = join(folder, 'credentials.json');
  await writeFile(credentials, '{"username": "ingot", "password": "service-password", "project_name": "service"}');
  const cloud = await startCloud({
    stateDir: join(folder, 'state'),
    port: 0,
    variables: { INGOT_KEYSTONE_CREDENTIALS: credentials, ...variables },
  });
  ends.push(async () => cloud.stop());
  return { cloud, folder };
};

const version = { 'X-OpenStack-Ironic-API-Version': '1.115' };

const ask = async (cloud: Cloud, headers: Record<string, string>, init: RequestInit = {}, path = '/v1/nodes') => {
  const answer = await fetch(`${cloud.url}${path}`, { ...init, headers: { ...version, ...headers } });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
};

const enrol = (owner: string): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ driver: 'fake-hardware', owner }),
});
const json = { 'Content-Type': 'application/json' };

it('keystone: tokens decide, roles that a client gives itself do not, and a project sees its own nodes', async () => {
  const keystone = await startKeystone();
  ends.push(keystone.stop);
  const user = { id: 'u', name: 'u' };
  const later = '2100-01-01T00:00:00Z';
  const all = { all: true };
  keystone.tokens.set('root', { user, system: all, roles: [{ name: 'admin' }], expires_at: later });
  keystone.tokens.set('blue', {
    user,
    project: { id: 'blue', name: 'b' },
    roles: [{ name: 'reader' }],
    expires_at: later,
  });
  const { cloud } = await start({ INGOT_AUTH_STRATEGY: 'keystone', INGOT_KEYSTONE_AUTH_URL: keystone.url });
  const token = (name: string) => ({ ...json, 'X-Auth-Token': name });

  const stranger = await ask(cloud, { 'X-Roles': 'admin', 'OpenStack-System-Scope': 'all' });
  expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, `Keystone uri="${keystone.url}"`]);
  expect(stranger.body.error).toMatchObject({ code: 401, title: 'Unauthorized' });
  expect((await ask(cloud, {}, {}, '/v1')).status).toBe(200);

  expect((await ask(cloud, token('root'), enrol('blue'))).status).toBe(201);
  expect((await ask(cloud, token('root'), enrol('red'))).status).toBe(201);
  expect((await ask(cloud, token('root'))).body.nodes).toHaveLength(2);
  expect((await ask(cloud, { ...token('blue'), 'X-Roles': 'admin', 'X-Project-Id': 'red' })).body.nodes).toHaveLength(
    1,
  );
  expect((await ask(cloud, token('blue'), enrol('blue'))).status).toBe(403);

  await keystone.stop();
  expect((await ask(cloud, token('blue'))).status).toBe(200);
  expect((await ask(cloud, token('not-asked-about-yet'))).status).toBe(503);
});

it.each([
  ['unset', {}, 404, 0],
  ['empty', { INGOT_KEYSTONE_SERVICE_PROJECT: '' }, 404, 0],
  ['named', { INGOT_KEYSTONE_SERVICE_PROJECT: 'service' }, 200, 1],
] as [string, Record<string, string>, number, number][])(
  'keystone: a service acts on the whole system only if its project is named; here it is %s',
  async (_what, variables, status, nodes) => {
    const keystone = await startKeystone();
    ends.push(keystone.stop);
    const user = { id: 'u', name: 'u' };
    const later = '2100-01-01T00:00:00Z';
    const project = { id: 'p-s', name: 'service', domain: { id: 'default', name: 'Default' } };
    keystone.tokens.set('root', { user, system: { all: true }, roles: [{ name: 'admin' }], expires_at: later });
    keystone.tokens.set('nova', { user, project, roles: [{ name: 'service' }], expires_at: later });
    const identity = { INGOT_AUTH_STRATEGY: 'keystone', INGOT_KEYSTONE_AUTH_URL: keystone.url };
    const { cloud } = await start({ ...identity, ...variables });
    const { body: node } = await ask(cloud, { ...json, 'X-Auth-Token': 'root' }, enrol('red'));
    const nova = { 'X-Auth-Token': 'nova' };
    expect((await ask(cloud, nova)).body.nodes).toHaveLength(nodes);
    expect((await ask(cloud, nova, {}, `/v1/nodes/${node.uuid}/portgroups`)).status).toBe(status);
  },
);

/** `fetch` sets Host by itself. */
const askAs = async ({ url }: Cloud, headers: Record<string, string>): Promise<number | undefined> => {
  const sent = httpRequest(`${url}/v1/nodes`, { headers: { ...version, ...headers } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
};

it('noauth: programs of this machine do everything, web pages and proxies nothing', async () => {
  const { cloud } = await start({ INGOT_AUTH_STRATEGY: 'noauth', INGOT_PUBLIC_ENDPOINT: 'http://metal.example:8080' });
  expect((await ask(cloud, json, enrol('blue'))).status).toBe(201);
  expect(await askAs(cloud, {})).toBe(200);
  expect(await askAs(cloud, { Host: 'metal.example:8080' })).toBe(200);

  expect(await askAs(cloud, { Host: 'evil.example', Origin: 'http://evil.example' })).toBe(403);
  expect(await askAs(cloud, { 'X-Forwarded-For': '10.0.0.9' })).toBe(403);
  const form = { 'Content-Type': 'text/plain', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  expect((await ask(cloud, form, enrol('evil'))).status).toBe(403);
  expect((await ask(cloud, { 'Content-Type': 'text/plain' }, enrol('evil'))).status).toBe(415);
  expect((await ask(cloud, {})).body.nodes).toHaveLength(1);
});

it('oidc: a bearer token of the provider, and nothing else', async () => {
  const provider = await startProvider();
  ends.push(provider.stop);
  const { cloud } = await start({
    INGOT_AUTH_STRATEGY: 'oidc',
    INGOT_OIDC_ISSUER: provider.url,
    INGOT_OIDC_AUDIENCE: 'ingot',
  });
  const bearer = async (claims: object) => ({
    ...json,
    Authorization: `Bearer ${await provider.token(claims as never)}`,
  });
  expect((await ask(cloud, {})).headers.get('www-authenticate')).toBe('Bearer realm="Baremetal API"');
  const root = await bearer({ roles: ['admin'], system_scope: true });
  expect((await ask(cloud, root, enrol('blue'))).status).toBe(201);
  expect((await ask(cloud, await bearer({ roles: ['reader'], project_id: 'blue' }))).body.nodes).toHaveLength(1);
  expect((await ask(cloud, await bearer({ roles: ['reader'], project_id: 'red' }))).body.nodes).toHaveLength(0);
  expect((await ask(cloud, await bearer({ roles: ['reader'] }))).status).toBe(403);
  expect((await ask(cloud, await bearer({ aud: 'other', roles: ['admin'], system_scope: true }))).status).toBe(401);
});
