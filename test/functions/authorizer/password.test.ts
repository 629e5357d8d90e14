/** Passwords and their memory. What the authorizer makes of them: app.test.ts. */
import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';

import { createVerify } from '../../../functions/authorizer/password.ts';
import type { User, Users } from '../../../layers/domain/users.ts';

const user = (password: string): User => ({ hash: bcrypt.hashSync(password, 4), project: null, roles: ['admin'] });
const users: Users = new Map([
  ['ann', user('right')],
  ['ben', user('other')],
]);

/** With how often bcrypt was asked. */
const counted = () => {
  const asked = { times: 0 };
  const verify = createVerify(async (password, hash) => {
    asked.times += 1;
    return bcrypt.compare(password, hash);
  });
  return { asked, verify };
};

describe('a password', () => {
  it('is right for its user alone', async () => {
    const verify = createVerify();
    expect(await verify(users, 'ann', 'right')).toBe(users.get('ann'));
    for (const [name, password] of [
      ['ann', 'other'],
      ['ben', 'right'],
      ['eve', 'right'],
      ['ann', ''],
    ] as const) {
      expect([name, await verify(users, name, password)]).toEqual([name, undefined]);
    }
  });

  it.each([
    ['ann', 'right'],
    ['ann', 'wrong'],
    ['eve', 'wrong'],
  ])('of %s is compared once, and from then on answered alike', async (name, password) => {
    const { asked, verify } = counted();
    const answers = await Promise.all([1, 2, 3].map(async () => verify(users, name, password)));
    expect([asked.times, new Set(answers).size]).toEqual([1, 1]);
  });

  it('is compared for each name anew: how long an answer takes tells nothing of other names', async () => {
    const { asked, verify } = counted();
    for (const name of ['eve', 'mallory', 'ann']) await verify(users, name, 'wrong');
    expect(asked.times).toBe(3);
  });

  it('counts no more once the hash is another, or the user is gone', async () => {
    const verify = createVerify();
    await verify(users, 'ann', 'right');
    expect(await verify(new Map([['ann', user('new')]]), 'ann', 'right')).toBeUndefined();
    expect(await verify(new Map([['ben', user('other')]]), 'ann', 'right')).toBeUndefined();
  });

  it('is forgotten when a thousand others were asked for since', async () => {
    const { asked, verify } = counted();
    await verify(users, 'ann', 'right');
    for (let at = 0; at < 999; at += 1) await verify(users, 'ann', `wrong ${at}`);
    await verify(users, 'ann', 'right');
    expect(asked.times).toBe(1000);
    for (let at = 0; at < 1000; at += 1) await verify(users, 'ann', `other ${at}`);
    await verify(users, 'ann', 'right');
    expect(asked.times).toBe(2001);
  });
});
