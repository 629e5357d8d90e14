/** Whole systems as child processes, for tests that start, kill and restart them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Images, Machine } from './site.ts';

const root = new URL('../..', import.meta.url).pathname;

export type Process = {
  child: ChildProcess;
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Waits until it answers as it should; what it said if it ends instead. */
  ready<T>(what: string, ask: () => Promise<T | undefined | false>, seconds?: number): Promise<T>;
};

/** Starts a program in a process of its own. */
export const startProgram = (program: string, args: string[], env: Record<string, string> = {}): Process => {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  const ready: Process['ready'] = async (what, ask, seconds) =>
    Promise.race([
      until(what, ask, seconds),
      once(child, 'exit').then(([code]) => {
        throw new Error(`${what} ended with ${String(code)} before it answered:\n${output}`);
      }),
    ]);
  return { child, output: () => output, kill, ready };
};

/** Starts a Node program of this repository in a process of its own. */
export const start = (file: string, args: string[], env: Record<string, string> = {}): Process =>
  startProgram(process.execPath, [join(root, file), ...args], env);

const listens = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
};

/**
 * A port that nobody listens on at the moment, to be kept through restarts. Not one that the system would choose (32768
 * and above on Linux): every connection to a BMC takes one, and one of them would take this sooner or later.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (await listens(port)) return port;
  }
};

export const temporaryFolder = (): { path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'ingot-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

export const sleep = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is there. Throws with `what` and the last error when it does not come in time. */
export const until = async <T>(what: string, ask: () => Promise<T | undefined | false>, seconds = 240): Promise<T> => {
  const end = Date.now() + seconds * 1000;
  let last: unknown = 'no error, only no answer';
  // Dozens of stories ask at the same time: what they ask for long, they ask for seldom.
  for (let pause = 20; Date.now() < end; pause = Math.min(pause * 1.3, 400)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await sleep(pause);
  }
  throw new Error(`Waited ${seconds} s in vain for ${what}. ${String(last)}`);
};

/** Seconds of a machine take `scale` seconds of the test. */
const scale = 0.02;

type Simulated = {
  readonly machines: number;
  readonly profiles: string;
  /** Of the simulator's chance. */
  readonly seed?: number;
  readonly api_url: string;
  readonly folder: string;
};

/** Starts machines whose agents call `api_url`; what it keeps of them is in `folder`. */
export const startSimulator = async ({ machines: count, profiles, seed = 7, api_url, folder }: Simulated) => {
  const controlPort = await freePort();
  const control = `http://127.0.0.1:${controlPort}`;
  const options = { machines: count, profiles, port: 0, 'control-port': controlPort, seed, scale, 'api-url': api_url };
  const simulator = start('simulator/main.ts', [
    `--state-dir=${folder}/simulator`,
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]);
  const { machines, images } = await simulator.ready(
    'the simulator',
    async () => (await fetch(`${control}/machines`)).json() as Promise<{ machines: Machine[]; images: Images }>,
  );
  return { simulator, control, machines, images };
};

export type Reply = { status: number; body: Record<string, unknown> };

/** One request to the API, at a microversion that knows everything unless one is named. Rejects when the server is away. */
export const request = async (
  base: string,
  method: string,
  path: string,
  body?: unknown,
  microversion = '1.115',
): Promise<Reply> => {
  const answer = await fetch(base + path, {
    method,
    headers: { 'X-OpenStack-Ironic-API-Version': microversion, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? (JSON.parse(text) as Record<string, unknown>) : {} };
};

/** The same, again and again while the server is away (refused, cut off) or asks to retry (409, 503). */
export const persist = async (base: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  until(`${method} ${path}`, async () => {
    const reply = await request(base, method, path, body);
    return reply.status !== 409 && reply.status !== 503 && reply;
  });
