import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';

import { placeOf, readStored, storedText } from '../../../layers/domain/stored-users.ts';

const hash = hashSync('secret', 4);

it.each([
  ['ann', '/ingot/users/ann'],
  ['Ann.B-1', '/ingot/users/Ann.B-1'],
  ['ann@blue', '/ingot/users/ann_40blue'],
  ['ann_40blue', '/ingot/users/ann_5f40blue'],
  ['a/../b', '/ingot/users/a_2f.._2fb'],
  ['jörg', '/ingot/users/j_c3_b6rg'],
])('%s is kept where nobody else is: %s', (name, place) => {
  expect(placeOf('/ingot/users', name)).toBe(place);
});

it.each(['', 'x'.repeat(256), 'ü'.repeat(128)])('a name that nobody can have is kept nowhere', (name) => {
  expect(placeOf('/ingot/users', name)).toBeUndefined();
});

it.each([
  ['ann', null, ['admin']],
  ['jörg', 'blue', ['member', 'reader']],
  ['a b', '0123@x', ['reader']],
])('%s is read back as written', (name, project, roles) => {
  const user = { hash, project, roles };
  expect(readStored('there', storedText(name, user))).toEqual([name, user]);
});

it.each([
  ['a:b', null, ['admin']],
  [' ann', null, ['admin']],
  ['#ann', null, ['admin']],
  ['ann\nbob', null, ['admin']],
  ['', null, ['admin']],
  ['ann', 'no project', ['member']],
  ['ann', 'blue', ['king']],
])('%j of %j as %j is not written', (name, project, roles) => {
  expect(() => storedText(name, { hash, project, roles })).toThrow();
});

it('a text that is no user is named by its place, and not shown', () => {
  expect(() => readStored('/ingot/users/ann', 'ann:hunter2:*:admin')).toThrow('Line 1 of /ingot/users/ann is not user');
  expect(() => readStored('/ingot/users/ann', 'ann:hunter2:*:admin')).not.toThrow('hunter2');
});
