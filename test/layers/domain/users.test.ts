/** The files of users, read line by line. */
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';

import { namesFile, readUsers, sourcesOf, userLines, type UserSource } from '../../../layers/domain/users.ts';

const hash = hashSync('secret', 4);
const admins = (...lines: string[]): UserSource => ({ format: 'htpasswd', where: 'a', text: lines.join('\n') });
const users = (...lines: string[]): UserSource => ({ format: 'users', where: 'u', text: lines.join('\n') });
const read = (...sources: UserSource[]) => Object.fromEntries(readUsers(sources));

describe('a file of users', () => {
  it('has a project and roles for each, in any case, with comments between them', () => {
    const project = '0b5a7e6c2f8d4c1e9a3b5d7f9e1c3a5b';
    const text = ['# blue', `ann:${hash}:blue:member`, '', `bob:${hash}:${project}:Reader, service\r`];
    expect(read(users(...text))).toEqual({
      ann: { hash, project: 'blue', roles: ['member'] },
      bob: { hash, project, roles: ['reader', 'service'] },
    });
  });

  it('has a star in the place of the project for the whole system', () => {
    expect(read(users(`audit:${hash}:*:reader`))).toEqual({ audit: { hash, project: null, roles: ['reader'] } });
  });

  it.each([
    ['a line of htpasswd, whose user would be the administrator', `ann:${hash}`, 'is not user:bcrypt-hash:project'],
    ['a password', 'ann:hunter2:blue:member', 'is not user:bcrypt-hash:project'],
    ['no roles', `ann:${hash}:blue`, 'is not user:bcrypt-hash:project'],
    ['empty roles', `ann:${hash}:blue:`, 'names a role that there is not; roles are admin, manager'],
    ['a role that there is not', `ann:${hash}:blue:member,hunter2`, 'names a role that there is not'],
    ['no project', `ann:${hash}::member`, 'names no project'],
    ['a project with a space in it', `ann:${hash}:blue hunter2:member`, 'names no project'],
    ['no name', `:${hash}:blue:member`, 'is not user:bcrypt-hash:project'],
    ['one more part', `ann:${hash}:blue:member:hunter2`, 'is not user:bcrypt-hash:project'],
    ['project and hash in the wrong order', `ann:blue:${hash}:member`, 'is not user:bcrypt-hash:project'],
    ['a name that stood before', `zoe:${hash}:red:admin`, 'has a name that a line before it has'],
  ])('is refused with %s, by the number of the line and without what stands there', (_what, line, words) => {
    let message = '';
    try {
      read(users(`zoe:${hash}:blue:member`, '# two', line));
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^Line 3 of u /);
    expect(message).toContain(words);
    expect(message).not.toMatch(/hunter2|\$2b\$/);
  });

  it('says how a line is made when there is none', () => {
    expect(() => read(users('# nobody'))).toThrow(
      'There are no users in u. A line for one is made with: echo "$(htpasswd -nbB <user> <password>):<project>:member"',
    );
  });
});

describe('a file of htpasswd', () => {
  it('has administrators of the system, of whom the first line counts', () => {
    const other = hashSync('other', 4);
    expect(read(admins(`ann:${hash}`, `ann:${other}`))).toEqual({ ann: { hash, project: null, roles: ['admin'] } });
  });

  it('has no line with a project: whoever changes a password there would cut it off', () => {
    expect(() => read(admins(`ann:${hash}:blue:member`))).toThrow('Line 1 of a is not user:bcrypt-hash. Make it');
  });
});

it('nobody stands in both files', () => {
  const both = () => read(admins(`ann:${hash}`), users(`bob:${hash}:blue:member`, `ann:${hash}:blue:member`));
  expect(both).toThrow('User ann stands both in a and in u.');
});

it('lines are what was read, so they can travel', () => {
  for (const source of [admins('# x', `ann:${hash}`), users(`ann:${hash}:*:admin`, '', `bob:${hash}:blue:member`)]) {
    const lines = userLines(source);
    expect(lines.join('\n')).not.toMatch(/#|\n\n/);
    expect(read({ ...source, text: lines.join('\n') })).toEqual(read(source));
  }
});

it('sources are the variables that are given, empty ones are not', () => {
  const places = { INGOT_HTPASSWD: '', INGOT_HTPASSWD_FILE: 'f', INGOT_USERS: 'line', INGOT_USERS_FILE: undefined };
  expect(sourcesOf(places, (file, variable) => `${variable} ${file}`)).toEqual([
    { format: 'htpasswd', where: 'f', text: 'INGOT_HTPASSWD_FILE f' },
    { format: 'users', where: 'INGOT_USERS', text: 'line' },
  ]);
  expect([namesFile(places), namesFile({ INGOT_USERS: 'line' })]).toEqual([true, false]);
});
