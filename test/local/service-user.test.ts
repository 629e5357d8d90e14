import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { compareSync } from 'bcryptjs';
import { afterAll, expect, it } from 'vitest';

import type { Settings } from '../../infra/settings.ts';
import { readUsers } from '../../layers/domain/users.ts';
import { readSettings } from '../../local/environment.ts';
import { makeServiceUser } from '../../local/service-user.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-service-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'service');
const withStrategy = (auth_strategy: string): Settings => ({ ...readSettings({}, false), auth_strategy });

it.each(['http_basic', 'oidc', 'keystone'])('with %s it is a service of the system, another at each start', (name) => {
  writeFileSync(file, 'left by another version', { mode: 0o644 });
  const { line } = makeServiceUser(file, withStrategy(name));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { username, password } = JSON.parse(readFileSync(file, 'utf8')) as { username: string; password: string };
  const user = readUsers([{ format: 'users', where: 'line', text: line }]).get(username)!;
  expect(user).toMatchObject({ project: null, roles: ['service'] });
  expect(compareSync(password, user.hash)).toBe(true);
  expect(password.length).toBeGreaterThanOrEqual(43);
  expect(line).not.toContain(password);
  makeServiceUser(file, withStrategy(name));
  expect(readFileSync(file, 'utf8')).not.toContain(password);
});

it('with noauth there is none, and none is left', () => {
  makeServiceUser(file, withStrategy('http_basic'));
  expect(makeServiceUser(file, withStrategy('noauth'))).toEqual({ file: '', line: '' });
  expect(existsSync(file)).toBe(false);
});
