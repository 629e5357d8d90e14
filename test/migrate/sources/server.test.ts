/** How an operator names a server, and what of it is shown. */
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { pathIn, readServer, serverKindOf, serverName, sourceFailed } from '../../../migrate/sources/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['mysql://a@b/c', 'mysql'],
  ['MySQL+pymysql://x', 'mysql'],
  ['mariadb+pymysql://x', 'mysql'],
  ['postgresql://a@b/c', 'postgresql'],
  ['postgres://x', 'postgresql'],
  ['sqlite:///x', undefined],
  ['/tmp/mysql', undefined],
  ['dump.sql', undefined],
  ['http://x', undefined],
  ['constructor://x', undefined],
])('is told from a file: %s is %s', (text, kind) => expect(serverKindOf(text)).toBe(kind));

it('is no file, and not repeated, if nobody here can read it', () => {
  const path = () => pathIn('oracle+cx://nova:c4nary@db/nova_bm');
  expect(path).toThrow('or the path of a file, not oracle://.');
  expect(path).not.toThrow('c4nary');
  expect([pathIn('sqlite:///tmp/a.db'), pathIn('sqlite:////tmp/a.db'), pathIn('a:b.sql')]).toEqual([
    'tmp/a.db',
    '/tmp/a.db',
    'a:b.sql',
  ]);
});

it('has the usual port, a socket or another port, and is named without who asks', () => {
  const mysql = readServer('mysql+pymysql://no%40va@localhost/nova_bm', { password: 'x' });
  expect(mysql).toMatchObject({ kind: 'mysql', port: 3306, user: 'no@va', database: 'nova_bm', password: 'x' });
  expect(readServer('postgres://nova@[::1]:99/nova_bm', {})).toMatchObject({
    kind: 'postgresql',
    host: '::1',
    port: 99,
  });
  expect(serverName(mysql)).toBe('the MySQL database nova_bm at localhost:3306');
  expect(serverName(readServer('postgresql://nova@db/nova_bm?socket=/run/postgresql', {}))).toBe(
    'the PostgreSQL database nova_bm at /run/postgresql',
  );
});

it('is refused with a password that everybody could read, and does not repeat it', () => {
  const url = 'mysql://nova:c4nary@localhost/nova_bm';
  expect(() => readServer(url, {})).toThrow('A password in --source can be read by everybody');
  expect(() => readServer(url, {})).not.toThrow('c4nary');
});

it('is refused without a user or a database', () => {
  for (const url of ['mysql://localhost/nova_bm', 'mysql://nova@localhost', 'mysql://nova@localhost/']) {
    expect(() => readServer(url, {})).toThrow('--source has to name the user and the database.');
  }
});

it('is refused on another machine without a certificate, unless it is said that its network is safe', () => {
  const url = 'mysql://nova@db.example/nova_bm';
  expect(() => readServer(url, {})).toThrow('would come from db.example in clear');
  expect(readServer(url, { plaintext: true }).ca).toBeUndefined();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, 'PEM');
  expect(readServer(url, { ca }).ca).toBe('PEM');
  expect(() => readServer(url, { ca: `${ca}x` })).toThrow('can not be read');
});

it('has no password in what its driver says', () => {
  const server = readServer('mysql://nova@localhost/nova_bm', { password: 'c4nary' });
  expect(sourceFailed(server, new Error('wrong: c4nary, c4nary')).message).toBe(
    'the MySQL database nova_bm at localhost:3306 can not be read: wrong: ******, ******',
  );
  expect(sourceFailed(server, Object.assign(new Error(''), { code: 'ECONNREFUSED' })).message).toContain(
    'ECONNREFUSED',
  );
});
