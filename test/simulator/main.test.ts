import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterEach, beforeEach, expect, it } from 'vitest';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'ingot-simulator-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const main = new URL('../../simulator/main.ts', import.meta.url).pathname;

const begin = (...more: string[]) => {
  const args = [main, '--machines', '1', '--port', '0', '--control-port', '0', '--state-dir', stateDir, ...more];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const ready = once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(String(line)) as object);
  const exit = once(child, 'exit').then(([code]) => code as number);
  return { child, ready, exit, complaint: () => complaint };
};

it('says in one line of JSON when it listens, and ends cleanly when told to', async () => {
  const { child, ready, exit } = begin();
  expect(await ready).toEqual({ ready: true, port: expect.any(Number), control_port: expect.any(Number) });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(existsSync(join(stateDir, 'certificate.json'))).toBe(true);
});

it('ends when its parent goes, if it was told that it has one', async () => {
  const { child, ready, exit } = begin('--with-parent');
  await ready;
  child.stdin.end();
  expect(await exit).toBe(0);
});

it('says in one sentence what is wrong with its options', async () => {
  const { exit, complaint } = begin('--scale', 'fast');
  expect(await exit).toBe(1);
  expect(complaint()).toMatch(/^simulator: --scale must be [^\n]+\n$/);
});
