import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  expect(open(path).files.table).toBe(join(path, 'table.db'));
});

it('refuses a second Ingot and names the first', () => {
  open();
  expect(() => open()).toThrow(`is in use by process ${process.pid}`);
});

it('takes over from a process that was killed', async () => {
  const script = `
    const { openStateDir } = await import(${JSON.stringify(new URL('../../local/state-dir.ts', import.meta.url).href)});
    openStateDir(${JSON.stringify(folder)});
    console.log('open');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(() => open()).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(open().path).toBe(folder);
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
