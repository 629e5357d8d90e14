import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openStateDir, type StateDir } from '../../local/state-dir.ts';

let folder: string;
const opened: StateDir[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingot-state-'));
});
afterEach(() => {
  for (const dir of opened.splice(0)) dir.release();
  rmSync(folder, { recursive: true });
});

const open = (path = folder): StateDir => {
  const dir = openStateDir(path);
  opened.push(dir);
  return dir;
};

it('makes the folder for its owner only, and finds it again', () => {
  const path = join(folder, 'new');
  open(path).release();
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(open(path).files.tables.machines).toBe(join(path, 'table.db'));
});

it('refuses a second Ingot and names the first', () => {
  open();
  expect(() => open()).toThrow(`is in use by process ${process.pid}`);
});

const module = new URL('../../local/state-dir.ts', import.meta.url).href;

/** Another process that opens the folder and does no more than `then`. */
const openElsewhere = (then: string, options: { args?: string[]; uid?: number } = {}) => {
  const script = `
    const { openStateDir } = await import(${JSON.stringify(module)});
    try {
      openStateDir(${JSON.stringify(folder)});
    } catch (error) {
      console.log(error.message);
      process.exit(1);
    }
    ${then}
    console.log('open');
    setInterval(() => undefined, 1000);`;
  const { args = [], uid } = options;
  return spawn(process.execPath, [...args, '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid }),
  });
};

it('takes over from a process that was killed', async () => {
  const child = openElsewhere('');
  await once(child.stdout, 'data');
  expect(() => open()).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(open().path).toBe(folder);
});

it('is held for as long as the process lives, although nobody there refers to it any more', async () => {
  const collect = 'for (let round = 0; round < 5; round += 1) { gc(); await new Promise(setImmediate); }';
  const child = openElsewhere(collect, { args: ['--expose-gc'] });
  await once(child.stdout, 'data');
  expect(() => open()).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

/** Names with what others may do; empty when it is nothing. */
const openOnes = (path: string): string[] =>
  ['.', ...readdirSync(path)].filter((name) => (statSync(join(path, name)).mode & 0o077) !== 0);

it.skipIf(process.platform === 'win32')('closes a folder and files that were open to others, and tells which', () => {
  const before = open();
  writeFileSync(before.files.tables.machines, '');
  before.release();
  chmodSync(folder, 0o755);
  for (const name of ['table.db', 'ingot.json', 'keys']) chmodSync(join(folder, name), 0o755);
  const dir = open();
  expect(dir.closed).toEqual(expect.arrayContaining(['.', 'table.db', 'ingot.json', 'keys']));
  expect(openOnes(folder)).toEqual([]);
  dir.release();
  expect(open().closed).toEqual([]);
});

it.skipIf(process.getuid?.() !== 0)('refuses a folder that is open to others and not its own to close', async () => {
  open().release();
  chmodSync(folder, 0o777);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o777);
  const child = openElsewhere('', { uid: 65_534 });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  expect(said.toString()).toMatch(
    /can be read by others, and this process may not change that .*: make this user its owner/,
  );
  expect(statSync(folder).mode & 0o777).toBe(0o777);
});

it('leaves a folder with other files alone', () => {
  writeFileSync(join(folder, 'letter.txt'), 'dear');
  expect(() => open()).toThrow('holds files that are not of Ingot');
  expect(readdirSync(folder)).toEqual(['letter.txt']);
});

it.each([
  ['ingot.json', '{"format', 'is damaged'],
  ['ingot.json', '{"format": 99}', 'has format 99'],
  ['lock', 'x'.repeat(4096), 'is not a lock file'],
])('says what is wrong with a folder whose %s is not as Ingot wrote it (%#)', (file, content, sentence) => {
  open().release();
  writeFileSync(join(folder, file), content);
  expect(() => open()).toThrow(sentence);
});

it('says when the path is no folder', () => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  expect(() => open(path)).toThrow('cannot be used');
});
