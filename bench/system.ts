/** The whole of Ingot as a process of its own, so that the load and what is measured do not share one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isFailed } from '../layers/domain/baremetal/states.ts';
import type { ProvisionState } from '../layers/domain/baremetal/transitions.ts';

const root = new URL('..', import.meta.url).pathname;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
};

export type System = { base: string; control: string; pids: Record<string, number>; stop(): Promise<void> };

/** Resident memory of a process in MB (Linux). */
export const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** What a process had of the processors since its start, in seconds (Linux, which counts in hundredths). */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

const stop = async (child: ChildProcess): Promise<void> => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
};

const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts Ingot with so many simulated machines and waits until it answers. Its log goes to stderr if it dies. */
export const startSystem = async (machines: number, scale = 0.01): Promise<System> => {
  const [port, bmc, control] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
  const options = { port, 'simulator-port': bmc, 'control-port': control, machines, scale, 'state-dir': folder };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(process.execPath, [join(root, 'local/main.js'), '--no-demo', ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, INGOT_AUTH_STRATEGY: 'noauth', INGOT_POLL_INTERVAL_MS: '100' },
  });
  const base = `http://127.0.0.1:${port}`;
  const ready = async () =>
    (await answers(base)) && (!machines || (await answers(`http://127.0.0.1:${control}/machines`)));
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error('Ingot did not start.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [simulator] = childrenOf(child.pid!);
  return {
    base,
    control: `http://127.0.0.1:${control}`,
    pids: { ingot: child.pid!, ...(simulator && { simulator }) },
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A JSON request; throws on anything but 2xx. */
export const call = async <T = Record<string, unknown>>(
  base: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const answer = await fetch(base + path, {
    method,
    headers: { 'X-OpenStack-Ironic-API-Version': '1.115', 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
  return (text ? JSON.parse(text) : {}) as T;
};

type Listed = { readonly provision_state: ProvisionState; readonly last_error: string };
type Page = { readonly nodes: readonly Listed[]; readonly next?: string };

const listAll = async (base: string): Promise<Listed[]> => {
  const found: Listed[] = [];
  let path: string | undefined = '/v1/nodes?fields=provision_state,last_error&limit=1000';
  while (path) {
    const page: Page = await call<Page>(base, 'GET', path);
    found.push(...page.nodes);
    path = page.next?.slice(base.length);
  }
  return found;
};

/**
 * Polls the list until all nodes are in `state`, which is not to take more than a tenth of the time; throws when one
 * fails. Returns how long it took, in seconds.
 */
export const allReach = async (base: string, count: number, state: string, since: number): Promise<number> => {
  for (;;) {
    const asked = performance.now();
    const nodes = await listAll(base);
    const failed = nodes.find(isFailed);
    if (failed) throw new Error(`A node became ${failed.provision_state}: ${failed.last_error}`);
    if (nodes.filter(({ provision_state: at }) => at === state).length === count) {
      return Number(((performance.now() - since) / 1000).toFixed(2));
    }
    const pause = Math.max(100, 9 * (performance.now() - asked));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};
