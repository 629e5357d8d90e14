/** The command line of backfill-instance-metadata. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { readOptions } from '../../../scripts/backfill/options.ts';
import { openService } from '../../../migrate/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const servers = file('servers', '{"servers": []}');
const basic = ['--endpoint', 'https://a', '--servers', servers, '--auth', 'basic'];

describe('the command line', () => {
  it('takes secrets from the environment, or from files, which win', () => {
    const args = [...basic, '--user', 'ann'];
    const env = { BACKFILL_PASSWORD: 'one' };
    expect(readOptions(args, env)?.credentials).toEqual({ auth: 'basic', user: 'ann', password: 'one' });
    const two = ['--password-file', file('password', 'two\n')];
    expect(readOptions([...args, ...two], env)?.credentials).toMatchObject({ password: 'two' });
  });

  it.each([
    [[], '--endpoint says where'],
    [['--endpoint', 'https://a'], 'Either --compute or --servers'],
    [['--endpoint', 'https://a', '--servers', servers, '--compute', 'https://b'], 'Either --compute or --servers'],
    [basic, '--auth basic needs --user'],
    [[...basic, '--user', 'ann'], 'There is no password for --auth: put it into BACKFILL_PASSWORD or a file.'],
    [['--endpoint', 'https://a', '--servers', servers, '--auth', 'token'], 'There is no token for --auth'],
    [
      ['--endpoint', 'https://a', '--compute', 'https://b', '--compute-auth', 'token'],
      'put it into BACKFILL_COMPUTE_TOKEN',
    ],
    [['--endpoint', 'https://a', '--servers', servers, '--auth', 'digest'], '--auth is none, basic, token or keystone'],
    [['--endpoint', 'https://a', '--servers', '/nowhere'], 'The file /nowhere can not be read'],
    [['--endpoint', 'https://a', '--servers', file('broken', '{"password": ')], 'is no JSON'],
    [['--endpoint', 'https://a', '--password', 'x'], "Unknown option '--password'"],
  ])('%j is told what is wrong: %s', (args, words) => {
    expect(() => readOptions(args, {})).toThrow(words);
  });
});

describe('a service', () => {
  const token = { auth: 'token', take: async () => 'a-token' } as const;

  it.each(['ftp://a', 'a', '/v1', 'http://'])('is at a URL, which %j is not', (endpoint) => {
    expect(() => openService('It', endpoint, { auth: 'none' })).toThrow('is no http or https URL');
  });

  it('is told no secret where others could read it', () => {
    expect(() => openService('It', 'http://a.test', token)).toThrow(/^It has to be asked at an https URL/);
    expect(openService('It', 'https://a.test', token)).toBeTypeOf('function');
    expect(openService('It', 'http://127.0.0.1:1', token)).toBeTypeOf('function');
  });
});
