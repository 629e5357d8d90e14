/** Users who are kept in parameters: found by name, and changed while the authorizer runs. */
import { hash } from 'bcryptjs';
import { beforeAll, beforeEach, expect, it } from 'vitest';

import { create } from '../../../functions/authorizer/app.ts';
import { Config } from '../../../functions/authorizer/config.ts';
import { Unavailable } from '../../../layers/domain/fault.ts';
import { environmentWith } from '../../fakes/settings.ts';

const methodArn = 'arn:aws:execute-api:eu-central-1:111122223333:abc/api/GET/v1/nodes';
const path = '/ingot/users';
const minute = 60_000;

let secret: string;
beforeAll(async () => void (secret = await hash('secret', 4)));

/** What the parameters are, which were asked for, and what time it is. */
let texts: Record<string, string>;
let asked: string[];
let now: number;
let fails: Error | undefined;
beforeEach(() => {
  [texts, asked, now, fails] = [{ [`${path}/ann`]: `ann:${secret}:blue:member` }, [], 0, undefined];
});

const open = (more: Record<string, string> = {}) => {
  const find = async (name: string) => {
    asked.push(name);
    if (fails) throw fails;
    return texts[name];
  };
  const parameters = { find, read: async () => expect.fail('nothing else is read') };
  const clock = { now: () => now, sleep: async () => undefined };
  const authorize = create({ parameters, clock }, Config.parse(environmentWith({ INGOT_USERS_PATH: path, ...more })));
  return async (user: string, password = 'secret') => {
    const Authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return (await authorize({ methodArn, headers: { Authorization } })).context;
  };
};

it('a user is who his parameter says, and is asked for once a minute', async () => {
  const enter = open();
  for (let count = 0; count < 3; count += 1) {
    expect(await enter('ann')).toMatchObject({ user: 'ann', project: 'blue', roles: 'member', scope: 'project' });
  }
  expect(asked).toEqual([`${path}/ann`]);
  now = minute;
  await enter('ann');
  expect(asked).toHaveLength(2);
});

it('who is changed or removed is that a minute later', async () => {
  const enter = open();
  await enter('ann');
  texts[`${path}/ann`] = `ann:${await hash('changed', 4)}:*:reader`;
  now = minute;
  await expect(enter('ann')).rejects.toMatchObject({ code: 401 });
  expect(await enter('ann', 'changed')).toMatchObject({ project: '', roles: 'reader', scope: 'system' });
  texts = {};
  now = 2 * minute;
  await expect(enter('ann', 'changed')).rejects.toMatchObject({ code: 401 });
});

it('who is added gets in at once, also if he was refused before', async () => {
  const enter = open();
  await expect(enter('bob')).rejects.toMatchObject({ code: 401 });
  texts[`${path}/bob`] = `bob:${secret}:*:admin`;
  expect(await enter('bob')).toMatchObject({ user: 'bob', roles: 'admin' });
});

it.each(['wrong', ''])('a password that is not his opens nothing: %j', async (password) => {
  await expect(open()('ann', password)).rejects.toMatchObject({ code: 401, message: 'Unauthorized' });
});

it('who is in a file is who he is there', async () => {
  const enter = open({ INGOT_HTPASSWD: `ann:${secret}\neve:${secret}` });
  expect(await enter('ann')).toMatchObject({ roles: 'admin', scope: 'system' });
  expect(await enter('eve')).toMatchObject({ roles: 'admin' });
  expect(asked).toEqual([]);
});

it('a parameter of somebody else, and a name that nobody can have, let nobody in', async () => {
  texts[`${path}/bob`] = `ann:${secret}:*:admin`;
  const enter = open();
  await expect(enter('bob')).rejects.toMatchObject({ code: 401 });
  await expect(enter('x'.repeat(300))).rejects.toMatchObject({ code: 401 });
  expect(asked).toEqual([`${path}/bob`]);
});

it('who was there within an hour gets in while SSM answers nobody, and nobody else', async () => {
  const enter = open();
  await enter('ann');
  fails = Unavailable('Too many requests.');
  now = 59 * minute;
  expect(await enter('ann')).toMatchObject({ user: 'ann' });
  await expect(enter('bob')).rejects.toMatchObject({ code: 503 });
  now = 60 * minute;
  await expect(enter('ann')).rejects.toMatchObject({ code: 503 });
});

it('a text that is no user lets nobody in, and is named without being shown', async () => {
  texts[`${path}/ann`] = 'ann:hunter2:*:admin';
  const refused = await open()('ann').then(
    () => undefined,
    (error: Error) => error,
  );
  expect(refused).toMatchObject({ name: 'Configuration', code: 500 });
  expect(refused!.message).toContain(`${path}/ann`);
  expect(refused!.message).not.toContain('hunter2');
});
