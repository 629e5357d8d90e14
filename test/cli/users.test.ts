/** `npx ingot users` as an operator starts it, before a Parameter Store. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { compareSync } from 'bcryptjs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { ingot } from './served.ts';

type Parameter = { readonly Name: string; readonly Value: string; readonly Type: string };
type Asked = { readonly Name: string; readonly Path: string; readonly Overwrite: boolean; readonly NextToken?: string };
type Answer = { readonly status?: number; readonly body: unknown };

let kept: Map<string, Parameter>;

/** Parameters of a page. */
const page = 2;

const refused = (name: string): Answer => ({ status: 400, body: { __type: name, message: `${name}.` } });

/** What SSM says of each request. */
const answers: Record<string, (asked: Asked & Parameter) => Answer> = {
  PutParameter: ({ Name, Value, Type, Overwrite }) => {
    if (kept.has(Name) && !Overwrite) return refused('ParameterAlreadyExists');
    kept.set(Name, { Name, Value, Type });
    return { body: { Version: 1 } };
  },
  DeleteParameter: ({ Name }) => (kept.delete(Name) ? { body: {} } : refused('ParameterNotFound')),
  GetParametersByPath: ({ Path, NextToken = '0' }) => {
    const found = [...kept.values()].filter(({ Name }) => Name.startsWith(`${Path}/`));
    const [from, to] = [Number(NextToken), Number(NextToken) + page];
    const next = to < found.length && { NextToken: String(to) };
    return { body: { Parameters: found.slice(from, to), ...next } };
  },
};

let server: ReturnType<typeof createServer>;
let env: Record<string, string>;
beforeEach(async () => {
  kept = new Map();
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(pieces).toString()) as Asked & Parameter;
      const action = String(request.headers['x-amz-target']).split('.')[1]!;
      const { status = 200, body } = answers[action]!(asked);
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    INGOT_PASSWORD: 'a good password',
  };
});
afterEach(() => void server.close());

const users = async (...args: string[]) => ingot(['users', ...args], env);

it('adds an administrator and a user of a project, lists them and removes one', async () => {
  expect(await users('add', 'ann')).toMatchObject({ code: 0, err: '' });
  expect(await users('add', 'tom', '--project', 'blue')).toMatchObject({ code: 0 });
  expect(await users('add', 'jö@rg', '--project', 'red', '--roles', 'manager,reader')).toMatchObject({ code: 0 });
  expect([...kept.values()].map(({ Name, Type }) => [Name, Type])).toEqual([
    ['/ingot/users/ann', 'SecureString'],
    ['/ingot/users/tom', 'SecureString'],
    ['/ingot/users/j_c3_b6_40rg', 'SecureString'],
  ]);
  const [name, hash, project, roles] = kept.get('/ingot/users/ann')!.Value.split(':');
  expect([name, project, roles, compareSync('a good password', hash!)]).toEqual(['ann', '*', 'admin', true]);
  expect(await users('list')).toEqual({
    code: 0,
    out: 'ann  *  admin\ntom  blue  member\njö@rg  red  manager,reader\n',
    err: '',
  });
  expect(await users('remove', 'tom')).toMatchObject({ code: 0 });
  expect((await users('list')).out).not.toContain('tom');
});

it('keeps the users of another deployment apart', async () => {
  await users('add', 'ann', '--path', '/metal/users/');
  expect([...kept.keys()]).toEqual(['/metal/users/ann']);
  expect((await users('list')).out).toBe('');
  expect((await users('list', '--path', '/metal/users')).out).toContain('ann');
});

it('changes nobody who is there already, unless it is told to', async () => {
  await users('add', 'ann');
  const before = kept.get('/ingot/users/ann');
  expect(await users('add', 'ann')).toMatchObject({ code: 2, err: expect.stringContaining('--replace') });
  expect(kept.get('/ingot/users/ann')).toBe(before);
  env['INGOT_PASSWORD'] = 'another one';
  expect(await users('add', 'ann', '--replace', '--roles', 'reader')).toMatchObject({ code: 0 });
  const [, hash, , roles] = kept.get('/ingot/users/ann')!.Value.split(':');
  expect([roles, compareSync('another one', hash!)]).toEqual(['reader', true]);
});

it.each([
  ['no name', ['add'], {}, 'One name'],
  ['a name with a colon', ['add', 'a:b'], {}, 'cannot be the name'],
  ['a role that there is not', ['add', 'ann', '--roles', 'king'], {}, 'names a role that there is not'],
  ['no password', ['add', 'ann'], { INGOT_PASSWORD: '' }, 'There is no password'],
  ['a password that bcrypt would cut', ['add', 'ann'], { INGOT_PASSWORD: 'x'.repeat(73) }, 'more than 72 bytes'],
  ['nobody', ['remove', 'ann'], {}, 'There is no user ann'],
])('says what is wrong with %s, and does nothing', async (_what, args, more, words) => {
  Object.assign(env, more);
  expect(await users(...args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  expect(kept.size).toBe(0);
});

it('says what SSM says if it does not do it', async () => {
  const put = answers['PutParameter']!;
  answers['PutParameter'] = () => refused('AccessDeniedException');
  try {
    const ended = await users('add', 'ann');
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining('AccessDeniedException') });
    expect(ended.err + ended.out).not.toContain('a good password');
  } finally {
    answers['PutParameter'] = put;
  }
});
