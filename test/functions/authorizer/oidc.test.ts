import { createHmac } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { create } from '../../../functions/authorizer/app.ts';
import { Config } from '../../../functions/authorizer/config.ts';
import { startProvider } from '../../fakes/identity.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { systemClock } from '../../../layers/platform/clock.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:111122223333:abc/api/GET/v1/nodes';
const bearer = (token: string) => ({ methodArn, headers: { Authorization: `Bearer ${token}` } });
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

let provider: Awaited<ReturnType<typeof startProvider>>;
let authorize: ReturnType<typeof create>;

// Tokens tell their times in the time of the machine.
const open = (env: Record<string, string> = {}) =>
  create(
    { ...createMemoryPlatform(), clock: systemClock },
    Config.parse(
      environmentWith({
        INGOT_AUTH_STRATEGY: 'oidc',
        INGOT_OIDC_ISSUER: provider.url,
        INGOT_OIDC_AUDIENCE: 'ingot',
        ...env,
      }),
    ),
  );

beforeEach(async () => {
  provider = await startProvider();
  authorize = open();
});
afterEach(async () => provider.stop());

const contextOf = async (claims: object) => (await authorize(bearer(await provider.token(claims as never)))).context;

describe('a valid token', () => {
  it('gives user and project, each by id and name, and the roles that policy knows', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const names = { preferred_username: 'anna', project_name: 'blue' };
    expect(await contextOf({ ...names, project_id: 'p-1', roles: ['member', 'Admin', 'offline_access'], exp })).toEqual(
      {
        user: 'u-1',
        user_name: 'anna',
        project: 'p-1',
        project_name: 'blue',
        roles: 'member,admin',
        scope: 'project',
        expires_at: String(exp * 1000),
      },
    );
  });

  it('is of system scope only if the claim says so', async () => {
    expect(await contextOf({ system_scope: true, roles: ['admin'] })).toMatchObject({ scope: 'system' });
    expect(await contextOf({ system_scope: 'all' })).toMatchObject({ scope: 'system' });
    expect(await contextOf({ system_scope: 'no', roles: ['admin'] })).toMatchObject({ scope: 'project', project: '' });
    expect(await contextOf({ roles: ['admin'] })).toMatchObject({ scope: 'project', project: '' });
  });

  it('that names nobody has ids only', async () => {
    expect(await contextOf({ project_id: 'p-1' })).toMatchObject({ user_name: '', project: 'p-1', project_name: '' });
  });

  it('may have its claims elsewhere: under other names, in objects, as words', async () => {
    authorize = open({
      INGOT_OIDC_USER_CLAIM: 'preferred_username',
      INGOT_OIDC_USER_NAME_CLAIM: 'name',
      INGOT_OIDC_PROJECT_NAME_CLAIM: 'https://example.org/project/name',
      INGOT_OIDC_PROJECT_CLAIM: 'https://example.org/project',
      INGOT_OIDC_ROLES_CLAIM: 'realm_access.roles',
    });
    const claims = {
      preferred_username: 'anna',
      name: 'Anna A.',
      'https://example.org/project': 'p-2',
      'https://example.org/project/name': 'red',
      realm_access: { roles: 'reader member' },
    };
    expect(await contextOf(claims)).toMatchObject({
      user: 'anna',
      user_name: 'Anna A.',
      project: 'p-2',
      project_name: 'red',
      roles: 'reader,member',
    });
  });

  it.each([
    ['by its header', { nonce: 'n' }, { typ: 'at+jwt' }],
    ['by the claim of Keycloak, whose older versions write a nonce too', { typ: 'Bearer', nonce: 'n' }, {}],
    ['by the claim of Cognito', { token_use: 'access' }, {}],
  ])('is an access token %s', async (_how, claims, by) => {
    expect((await authorize(bearer(await provider.token(claims, by)))).context).toMatchObject({ user: 'u-1' });
  });

  it('with claims of strange kinds has no project and no roles', async () => {
    expect(await contextOf({ project_id: { id: 1 }, roles: { admin: true } })).toMatchObject({
      project: '',
      roles: '',
    });
  });

  it('is checked with keys that are fetched once', async () => {
    await contextOf({});
    await contextOf({});
    expect(provider.seen.map(({ line }) => line)).toEqual(['GET /.well-known/openid-configuration', 'GET /keys']);
  });

  it('needs no discovery if the operator says where the keys are', async () => {
    authorize = open({ INGOT_OIDC_JWKS_URI: `${provider.url}/keys` });
    await contextOf({});
    expect(provider.seen.map(({ line }) => line)).toEqual(['GET /keys']);
  });
});

describe('nobody gets in', () => {
  const refused = { name: 'Unauthorized', code: 401, message: 'Unauthorized' };
  const hour = 3600;
  const now = Math.floor(Date.now() / 1000);

  it.each([
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another audience', { aud: 'other' }],
    ['for no audience', { aud: null }],
    ['that has ended', { exp: now - hour }],
    ['that never ends', { exp: null }],
    ['that is not valid yet', { nbf: now + hour }],
    ['of nobody', { sub: null }],
  ])('with a token %s', async (_what, claims) => {
    await expect(contextOf(claims)).rejects.toMatchObject(refused);
  });

  it('with a token that another key has signed, under the known name or an unknown one', async () => {
    for (const kid of ['one', 'two']) {
      const token = await provider.token({}, { kid, stranger: true });
      await expect(authorize(bearer(token))).rejects.toMatchObject(refused);
    }
  });

  it('with a token that nobody signed (alg none), or with the public key as a shared secret (HS256)', async () => {
    const claims = base64url({ iss: provider.url, aud: 'ingot', sub: 'u', exp: now + hour, system_scope: true });
    const none = `${base64url({ alg: 'none' })}.${claims}.`;
    const head = `${base64url({ alg: 'HS256', kid: 'one' })}.${claims}`;
    const hmac = createHmac('sha256', JSON.stringify(provider.jwk)).update(head).digest('base64url');
    for (const token of [none, `${head}.${hmac}`])
      await expect(authorize(bearer(token))).rejects.toMatchObject(refused);
  });

  it.each([
    ['what is no token', bearer('abc')],
    ['three pieces of nothing', bearer('a.b.c')],
    ['basic credentials', { methodArn, headers: { Authorization: 'Basic YTpi' } }],
    ['no header', { methodArn, headers: {} }],
  ])('with %s', async (_what, event) => {
    await expect(authorize(event)).rejects.toMatchObject(refused);
  });

  it.each([
    ['a nonce', { nonce: 'n' }],
    ['the hash of an access token', { at_hash: 'h' }],
    ['the hash of a code', { c_hash: 'h' }],
    ['the type of Keycloak', { typ: 'ID' }],
    ['the type of a refresh token', { typ: 'Refresh' }],
    ['the use of Cognito', { token_use: 'id' }],
  ])('with an ID token, known by %s', async (_what, claims) => {
    await expect(contextOf({ ...claims, system_scope: true, roles: ['admin'] })).rejects.toMatchObject(refused);
  });

  it('with a token whose payload was changed', async () => {
    const [head, , signature] = (await provider.token()).split('.');
    const claims = base64url({ iss: provider.url, aud: 'ingot', sub: 'root', exp: now + hour });
    await expect(authorize(bearer(`${head}.${claims}.${signature}`))).rejects.toMatchObject(refused);
  });

  it.each([
    ['answers 500', () => ({ status: 500 })],
    ['answers what is no JSON', () => ({ status: 200, body: '<html>' })],
    [
      'speaks for another issuer',
      () => ({ status: 200, body: { issuer: 'https://x.example', jwks_uri: 'https://x.example' } }),
    ],
  ])('while the provider %s: 503, and then again everybody', async (_what, answer) => {
    provider.state.answer = answer;
    const token = await provider.token();
    await expect(authorize(bearer(token))).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    delete provider.state.answer;
    expect((await authorize(bearer(token))).context).toMatchObject({ user: 'u-1' });
  });

  it('while the discovery page names keys that anybody on the way could change: 503', async () => {
    const named = `http://keys.example/keys`;
    provider.state.answer = () => ({ status: 200, body: { issuer: provider.url, jwks_uri: named } });
    await expect(contextOf({})).rejects.toMatchObject({
      code: 503,
      cause: expect.objectContaining({
        message: expect.stringContaining('keys that are not behind https') as string,
      }) as Error,
    });
    expect(provider.seen).toHaveLength(1);
  });

  it('while the keys can not be fetched: 503', async () => {
    provider.state.answer = ({ line }) => (line === 'GET /keys' ? { status: 500 } : (undefined as never));
    await expect(contextOf({})).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});

it.each([
  ['no issuer', { INGOT_OIDC_ISSUER: '' }, 'https URL of the issuer'],
  ['plain http to another machine', { INGOT_OIDC_ISSUER: 'http://login.example' }, 'https URL of the issuer'],
  ['keys over plain http', { INGOT_OIDC_JWKS_URI: 'http://login.example/keys' }, 'https URL'],
  ['no audience', { INGOT_OIDC_AUDIENCE: '' }, 'audience'],
])('does not start with %s', (_what, env, message) => {
  expect(() => open(env)).toThrow(message);
});
