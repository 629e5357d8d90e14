import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { create } from '../../../functions/authorizer/app.ts';
import { Config } from '../../../functions/authorizer/config.ts';
import { functions } from '../../../infra/manifest.ts';
import { startKeystone } from '../../fakes/identity.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { environmentWith } from '../../fakes/settings.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:111122223333:abc/api/GET/v1/nodes';
const account = JSON.stringify({ username: 'ingot', password: 'service-password', project_name: 'service' });
const withToken = (token: string) => ({ methodArn, headers: { 'X-Auth-Token': token } });

let keystone: Awaited<ReturnType<typeof startKeystone>>;
let authorize: ReturnType<typeof create>;

const open = (env: Record<string, string> = {}, credentials = account) =>
  create(
    createMemoryPlatform({ parameters: { '/ingot/keystone': credentials } }),
    Config.parse(
      environmentWith({
        INGOT_AUTH_STRATEGY: 'keystone',
        INGOT_KEYSTONE_AUTH_URL: keystone.url,
        INGOT_KEYSTONE_CREDENTIALS: '/ingot/keystone',
        ...env,
      }),
    ),
  );

/** A token as Keystone shows it, that is valid for another hour. */
const body = (values: Record<string, unknown> = {}) => ({
  user: { id: 'u-1', name: 'anna', domain: { id: 'default', name: 'Default' } },
  project: { id: 'p-1', name: 'blue', domain: { id: 'default', name: 'Default' } },
  roles: [{ id: 'r', name: 'member' }, { name: 'Reader' }, { name: 'heat_stack_owner' }],
  expires_at: '2100-01-01T00:00:00.000000Z',
  ...values,
});
const system = { project: undefined, system: { all: true } };

beforeEach(async () => {
  keystone = await startKeystone();
  authorize = open();
  keystone.tokens.set('good', body());
});
afterEach(async () => keystone.stop());

const contextOf = async (token: string) => (await authorize(withToken(token))).context;

describe('a valid token', () => {
  it('gives user and project, each by id and name, and the roles that policy knows', async () => {
    expect(await contextOf('good')).toEqual({
      user: 'u-1',
      user_name: 'anna',
      project: 'p-1',
      project_name: 'blue',
      roles: 'member,reader',
      scope: 'project',
      expires_at: String(Date.parse('2100-01-01T00:00:00Z')),
    });
  });

  it('of system scope is one of the system', async () => {
    keystone.tokens.set('root', body({ ...system, roles: [{ name: 'admin' }] }));
    expect(await contextOf('root')).toMatchObject({ project: '', roles: 'admin', scope: 'system' });
  });

  it('without project and system has neither', async () => {
    keystone.tokens.set('unscoped', body({ project: undefined, roles: [] }));
    expect(await contextOf('unscoped')).toMatchObject({ project: '', roles: '', scope: 'project' });
  });

  it('of a service in the project of services counts as a member of the system, and not as more', async () => {
    const roles = [{ name: 'admin' }, { name: 'service' }];
    const project = { id: 'p-s', name: 'service', domain: { id: 'default', name: 'Default' } };
    keystone.tokens.set('nova', body({ project, roles }));
    keystone.tokens.set('other', body({ roles }));
    authorize = open({ INGOT_KEYSTONE_SERVICE_PROJECT: 'service' });
    expect(await contextOf('nova')).toMatchObject({ roles: 'member', scope: 'system' });
    expect(await contextOf('other')).toMatchObject({ roles: 'admin,service', scope: 'project' });
  });

  it('of a service in a project of that name in another domain counts as any other', async () => {
    const roles = [{ name: 'admin' }, { name: 'service' }];
    const ofDomain = (domain?: object) =>
      body({ project: { id: 'p-x', name: 'service', ...(domain && { domain }) }, roles });
    keystone.tokens.set('stranger', ofDomain({ id: 'Default', name: 'tenants' }));
    keystone.tokens.set('nowhere', ofDomain());
    keystone.tokens.set('ours', ofDomain({ id: 'd-2', name: 'infra' }));
    authorize = open({ INGOT_KEYSTONE_SERVICE_PROJECT: 'service' });
    for (const token of ['stranger', 'nowhere', 'ours']) {
      expect(await contextOf(token)).toMatchObject({ roles: 'admin,service', scope: 'project', project: 'p-x' });
    }
    authorize = open({ INGOT_KEYSTONE_SERVICE_PROJECT: 'service', INGOT_KEYSTONE_SERVICE_PROJECT_DOMAIN: 'infra' });
    expect(await contextOf('ours')).toMatchObject({ roles: 'member', scope: 'system' });
    expect(await contextOf('stranger')).toMatchObject({ roles: 'admin,service', scope: 'project' });
  });

  it.each([
    ['nothing is set', {}],
    ['it is empty', { INGOT_KEYSTONE_SERVICE_PROJECT: '' }],
  ])('of a service is one of its own project when no project of services is named: %s', async (_what, env) => {
    const roles = [{ name: 'admin' }, { name: 'service' }];
    keystone.tokens.set('nova', body({ project: { id: 'p-s', name: 'service' }, roles }));
    keystone.tokens.set('nameless', body({ project: { id: 'p-n', name: '' }, roles }));
    authorize = open(env);
    expect(await contextOf('nova')).toMatchObject({ roles: 'admin,service', scope: 'project' });
    expect(await contextOf('nameless')).toMatchObject({ roles: 'admin,service', scope: 'project' });
  });

  it('is asked about with one token of the service account, which is made anew when it is refused', async () => {
    await contextOf('good');
    await contextOf('good');
    keystone.state.own = 'revoked meanwhile';
    expect(await contextOf('good')).toMatchObject({ user: 'u-1' });
    const logins = keystone.seen.filter(({ line }) => line.startsWith('POST'));
    expect(logins).toHaveLength(2);
  });

  it('takes less time at worst, four requests that nobody answers in time, than the authorizer has', async () => {
    await contextOf('good');
    const asked = vi.spyOn(AbortSignal, 'timeout');
    authorize = open();
    let refusals = 0;
    keystone.state.answer = ({ line }) =>
      line.startsWith('GET') && refusals++ === 0 ? { status: 401 } : (undefined as never);
    expect(await contextOf('good')).toMatchObject({ user: 'u-1' });
    const times = asked.mock.calls.map(([ms]) => ms);
    asked.mockRestore();
    expect(times).toHaveLength(4);
    expect(times.reduce((sum, ms) => sum + ms, 0)).toBeLessThan((functions.authorizer.timeout - 1) * 1000);
  });

  it('may be asked about with an application credential', async () => {
    keystone.state.answer = ({ line, body: sent }) => {
      if (!line.startsWith('POST')) return undefined as never;
      expect(JSON.parse(sent)).toEqual({
        auth: {
          identity: { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } },
        },
      });
      keystone.state.own = 'app';
      return { status: 201, headers: { 'X-Subject-Token': 'app' } };
    };
    authorize = open({}, '{"application_credential_id": "a", "application_credential_secret": "s"}');
    expect(await contextOf('good')).toMatchObject({ user: 'u-1' });
  });

  it('is found below an URL that ends in /v3 too', async () => {
    authorize = open({ INGOT_KEYSTONE_AUTH_URL: `${keystone.url}/v3/` });
    expect(await contextOf('good')).toMatchObject({ user: 'u-1' });
  });
});

describe('nobody gets in', () => {
  const refused = { name: 'Unauthorized', code: 401, message: 'Unauthorized' };

  it.each([
    ['an unknown or revoked token', withToken('bad')],
    ['an empty token', withToken('')],
    ['a token that is no header value', withToken('a b')],
    ['a token of 5,000 characters', withToken('x'.repeat(5000))],
    ['basic credentials', { methodArn, headers: { Authorization: 'Basic YTpi' } }],
    [
      'roles that the client gives itself',
      { methodArn, headers: { 'X-Roles': 'admin', 'X-Identity-Status': 'Confirmed' } },
    ],
  ])('with %s', async (_what, event) => {
    await expect(authorize(event)).rejects.toMatchObject(refused);
  });

  it('with a token that has ended', async () => {
    keystone.tokens.set('old', body({ expires_at: '2020-01-01T00:00:00.000000Z' }));
    await expect(authorize(withToken('old'))).rejects.toMatchObject(refused);
  });

  it.each([
    ['answers 500', () => ({ status: 500 })],
    ['answers 503', () => ({ status: 503 })],
    ['asks for patience', () => ({ status: 429 })],
    ['answers what is no JSON', () => ({ status: 200, body: '<html>' })],
    ['answers JSON that is no token', () => ({ status: 200, body: { token: { user: {} } } })],
    ['sends the client elsewhere', () => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/' } })],
  ])('while Keystone %s: 503', async (_what, answer) => {
    await contextOf('good');
    keystone.state.answer = answer;
    await expect(authorize(withToken('good'))).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });

  it('while Keystone can not be reached: 503, and again afterwards everybody', async () => {
    const { url } = keystone;
    await keystone.stop();
    await expect(authorize(withToken('good'))).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(url).toContain('127.0.0.1');
  });

  it('while the service account is refused, and the message tells the operator without the password', async () => {
    authorize = open({}, account.replace('service-password', 'wrong-password'));
    const failure = await authorize(withToken('good')).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ name: 'Configuration' });
    expect((failure as Error).message).toContain('answered 401 to the service account');
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('wrong-password');
  });

  it('while the parameter is no account, and its text is not told', async () => {
    authorize = open({}, '{"username": "ingot", "secret": "hunter2"}');
    const failure = await authorize(withToken('good')).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ name: 'Configuration' });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('hunter2');
  });

  it('tries again after a failed log-in', async () => {
    keystone.state.answer = () => ({ status: 503 });
    await expect(authorize(withToken('good'))).rejects.toMatchObject({ code: 503 });
    delete keystone.state.answer;
    expect(await contextOf('good')).toMatchObject({ user: 'u-1' });
  });
});

it.each([
  ['no URL', { INGOT_KEYSTONE_AUTH_URL: '' }, 'https URL of the Identity v3 endpoint'],
  ['plain http to another machine', { INGOT_KEYSTONE_AUTH_URL: 'http://keystone.example' }, 'https URL'],
  ['no account', { INGOT_KEYSTONE_CREDENTIALS: '' }, 'service account'],
])('does not start with %s', (_what, env, message) => {
  expect(() => open(env)).toThrow(message);
});
