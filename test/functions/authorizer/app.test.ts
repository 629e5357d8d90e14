import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hash } from 'bcryptjs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { create } from '../../../functions/authorizer/app.ts';
import { Config } from '../../../functions/authorizer/config.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { environmentWith } from '../../fakes/settings.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:111122223333:abc/api/GET/v1/nodes';
const encode = (text: string) => Buffer.from(text).toString('base64');
const basic = (text: string) => ({ methodArn, headers: { Authorization: `Basic ${encode(text)}` } });

describe('http_basic', () => {
  let authorize: ReturnType<typeof create>;
  let line = '';

  beforeAll(async () => {
    line = `anna:${await hash('pass:word', 4)}`;
    const other = `otto:${(await hash('secret', 4)).replace(/^\$2b/, '$2y')}`;
    authorize = create(
      createMemoryPlatform(),
      Config.parse(environmentWith({ INGOT_HTPASSWD: `# users\n${line}\r\n\n${other}\n` })),
    );
  });

  it('lets a user with the right password in, for the whole stage', async () => {
    expect(await authorize(basic('anna:pass:word'))).toEqual({
      principalId: 'anna',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: 'arn:aws:execute-api:eu-central-1:111122223333:abc/api/*',
          },
        ],
      },
      context: { user: 'anna', user_name: 'anna', project: '', project_name: '', roles: 'admin', scope: 'system' },
    });
  });

  it('takes hashes made by Apache ($2y$), and the header and scheme in any case', async () => {
    const event = { methodArn, headers: { authorization: `bAsIc ${encode('otto:secret')}` } };
    expect((await authorize(event)).principalId).toBe('otto');
  });

  it.each([
    ['a wrong password', basic('anna:password')],
    ['an unknown user, also with the password of another', basic('emil:pass:word')],
    ['an empty password', basic('anna:')],
    ['text without a colon', basic('anna')],
    ['another scheme', { methodArn, headers: { Authorization: 'Bearer abc' } }],
    ['what is not base64', { methodArn, headers: { Authorization: 'Basic ?%&' } }],
    ['no header', { methodArn, headers: {} }],
    ['no headers at all', { methodArn, headers: null }],
  ])('refuses %s with the one message that API Gateway turns into 401', async (_what, event) => {
    await expect(authorize(event)).rejects.toMatchObject({ name: 'Unauthorized', code: 401, message: 'Unauthorized' });
  });

  it('refuses a password that bcrypt would cut, and takes the longest that it reads', async () => {
    const longest = 'ü'.repeat(36);
    const users = `lena:${await hash(longest, 4)}`;
    const open = create(createMemoryPlatform(), Config.parse(environmentWith({ INGOT_HTPASSWD: users })));
    expect((await open(basic(`lena:${longest}`))).principalId).toBe('lena');
    await expect(open(basic(`lena:${longest}x`))).rejects.toMatchObject({ code: 401, message: 'Unauthorized' });
  });

  it('sees a changed file of users', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ingot-'));
    onTestFinished(async () => rm(folder, { recursive: true }));
    const file = join(folder, 'htpasswd');
    await writeFile(file, line);
    const fromFile = create(createMemoryPlatform(), Config.parse(environmentWith({ INGOT_HTPASSWD_FILE: file })));
    expect((await fromFile(basic('anna:pass:word'))).principalId).toBe('anna');
    await writeFile(file, `anna:${await hash('changed', 4)}`);
    await expect(fromFile(basic('anna:pass:word'))).rejects.toThrow('Unauthorized');
    expect((await fromFile(basic('anna:changed'))).principalId).toBe('anna');
  });

  it('refuses to start with anything but bcrypt, without telling the line', () => {
    const start = () =>
      create(createMemoryPlatform(), Config.parse(environmentWith({ INGOT_HTPASSWD: `${line}\nhugo:plain` })));
    expect(start).toThrow('Line 2 of INGOT_HTPASSWD is not user:bcrypt-hash.');
    expect(() => create(createMemoryPlatform(), Config.parse(environmentWith({ INGOT_HTPASSWD: '# nobody' })))).toThrow(
      'There are no users in INGOT_HTPASSWD',
    );
  });

  it('tells project and roles of a user of projects, beside whom there are administrators', async () => {
    const tenants = [`tom:${await hash('blue', 4)}:blue:member,reader`, `aud:${await hash('all', 4)}:*:Reader`];
    const both = create(
      createMemoryPlatform(),
      Config.parse(environmentWith({ INGOT_HTPASSWD: line, INGOT_USERS: tenants.join('\n') })),
    );
    const contextOf = async (text: string) => (await both(basic(text))).context;
    expect(await contextOf('tom:blue')).toEqual({
      user: 'tom',
      user_name: 'tom',
      project: 'blue',
      project_name: 'blue',
      roles: 'member,reader',
      scope: 'project',
    });
    expect(await contextOf('aud:all')).toMatchObject({ project: '', roles: 'reader', scope: 'system' });
    expect(await contextOf('anna:pass:word')).toMatchObject({ project: '', roles: 'admin', scope: 'system' });
    await expect(both(basic('tom:all'))).rejects.toThrow('Unauthorized');
  });

  it('sees a changed file of users of projects, also beside others that stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ingot-'));
    onTestFinished(async () => rm(folder, { recursive: true }));
    const file = join(folder, 'users');
    const settings = environmentWith({ INGOT_HTPASSWD: line, INGOT_USERS_FILE: file });
    await writeFile(file, `tom:${await hash('blue', 4)}:blue:member`);
    const authorize = create(createMemoryPlatform(), Config.parse(settings));
    expect((await authorize(basic('tom:blue'))).context).toMatchObject({ project: 'blue' });
    await writeFile(file, `tom:${await hash('blue', 4)}:red:member`);
    expect((await authorize(basic('tom:blue'))).context).toMatchObject({ project: 'red' });
    await writeFile(file, 'tom');
    await expect(authorize(basic('anna:pass:word'))).rejects.toMatchObject({ name: 'Configuration' });
  });

  it('refuses to start without users', () => {
    expect(() => Config.parse(environmentWith())).toThrow('http_basic needs users');
  });
});

describe('the service user of one machine', () => {
  const asks = async (more: object) => {
    const service = `ingot-service:${await hash('made at the start', 4)}:*:service`;
    return create(createMemoryPlatform(), Config.parse(environmentWith({ INGOT_SERVICE_USER: service, ...more })));
  };
  const oidc = {
    INGOT_AUTH_STRATEGY: 'oidc',
    INGOT_OIDC_ISSUER: 'http://127.0.0.1:1',
    INGOT_OIDC_AUDIENCE: 'ingot',
  };
  const keystone = {
    INGOT_AUTH_STRATEGY: 'keystone',
    INGOT_KEYSTONE_AUTH_URL: 'http://127.0.0.1:1',
    INGOT_KEYSTONE_CREDENTIALS: 'account',
  };

  it.each([
    ['http_basic', { INGOT_USERS: `ann:$2b$04$${'a'.repeat(53)}:blue:member` }],
    ['oidc', oidc],
    ['keystone', keystone],
  ])('is known however people prove who they are: %s', async (_strategy, more) => {
    const authorize = await asks(more);
    expect((await authorize(basic('ingot-service:made at the start'))).context).toMatchObject({
      user: 'ingot-service',
      project: '',
      roles: 'service',
      scope: 'system',
    });
    await expect(authorize(basic('ingot-service:guess'))).rejects.toThrow('Unauthorized');
    await expect(authorize(basic('ann:made at the start'))).rejects.toThrow('Unauthorized');
  });

  it('alone is nobody who could call', async () => {
    await expect(asks({})).rejects.toThrow('http_basic needs users');
  });
});

describe('noauth', () => {
  it('makes everybody the administrator on a loopback address', async () => {
    const authorize = create(
      createMemoryPlatform(),
      Config.parse(environmentWith({ INGOT_AUTH_STRATEGY: 'noauth', INGOT_LOOPBACK: 'true' })),
    );
    expect((await authorize({ methodArn, headers: {} })).context).toMatchObject({ roles: 'admin', scope: 'system' });
  });

  it('knows users of projects beside them, whom it takes for nobody else', async () => {
    const INGOT_USERS = `tom:${await hash('blue', 4)}:blue:member`;
    const given = { INGOT_AUTH_STRATEGY: 'noauth', INGOT_LOOPBACK: 'true', INGOT_USERS };
    const authorize = create(createMemoryPlatform(), Config.parse(environmentWith(given)));
    expect((await authorize({ methodArn, headers: {} })).context).toMatchObject({ roles: 'admin', scope: 'system' });
    expect((await authorize(basic('tom:blue'))).context).toMatchObject({ project: 'blue', roles: 'member' });
    await expect(authorize(basic('tom:red'))).rejects.toThrow('Unauthorized');
    await expect(authorize(basic('tim:blue'))).rejects.toThrow('Unauthorized');
  });

  it('asks for no password where there are no users', async () => {
    const given = { INGOT_AUTH_STRATEGY: 'noauth', INGOT_LOOPBACK: 'true' };
    const authorize = create(createMemoryPlatform(), Config.parse(environmentWith(given)));
    expect((await authorize(basic('tim:blue'))).context).toMatchObject({ roles: 'admin', scope: 'system' });
  });

  it('refuses to start anywhere else', () => {
    expect(() => Config.parse(environmentWith({ INGOT_AUTH_STRATEGY: 'noauth' }))).toThrow('loopback address only');
  });
});
