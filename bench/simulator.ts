/**
 * What the simulator costs, as one JSON object: `node bench/simulator.ts [machines=1000] [seconds=5]`. The load runs
 * in this process, on the same machine; the figures of the simulator are those of its own process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

type Access = { name: string; address: string; username: string; password: string; certificate: string };

const [machines = 1000, seconds = 5] = process.argv.slice(2).map(Number);
const main = new URL('../simulator/main.ts', import.meta.url).pathname;

/** Resident memory and CPU time of a process, from Linux's /proc. */
const usage = (pid: number) => {
  const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return { rss_mb: Math.round(Number(rss) / 1024), cpu_ms: (Number(fields[11]) + Number(fields[12])) * 10 };
};

const send = async (access: Access, method: string, path: string, body?: object, agent: Agent | false = false) =>
  new Promise<number>((resolve, reject) => {
    const { address, username, password, certificate } = access;
    const options = { method, agent, ca: certificate, auth: `${username}:${password}` };
    const sent = request(`${address}/redfish/v1${path}`, options, (answer) => {
      answer.on('end', () => resolve(answer.statusCode!)).resume();
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });

const quantile = (sorted: readonly number[], at: number): number =>
  Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0).toFixed(1));

/** GETs of systems at a concurrency, for a while. */
const load = async (all: readonly Access[], concurrency: number, agent: Agent | false) => {
  const times: number[] = [];
  const start = performance.now();
  const worker = async (number: number): Promise<void> => {
    for (let at = number; performance.now() - start < seconds * 1000; at += concurrency) {
      const before = performance.now();
      const status = await send(all[at % all.length]!, 'GET', '/Systems/1', undefined, agent);
      if (status !== 200) throw new Error(`GET of a system was answered ${status}`);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, number) => worker(number)));
  const sorted = times.sort((a, b) => a - b);
  const per_second = Math.round((times.length / (performance.now() - start)) * 1000);
  return { per_second, p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99) };
};

/** An API that knows every agent; counts the machines that called. */
const startApi = async () => {
  const called = new Set<string>();
  let beats = 0;
  const server = createServer((asked, answer) => {
    asked.resume();
    const url = asked.url ?? '/';
    if (url === '/') return answer.end('{"default_version":{"version":"1.115"}}');
    if (url.startsWith('/v1/lookup')) {
      const config = { agent_token: 'k'.repeat(43), heartbeat_timeout: 300 };
      return answer.end(JSON.stringify({ node: { uuid: url.split('=')[1] }, config }));
    }
    called.add(url);
    beats += 1;
    answer.writeHead(202).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, called, beats: () => beats, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** Boots every machine into the deploy ramdisk; seconds until the last agent called. */
const bootAll = async (all: readonly Access[], image: string, called: Set<string>): Promise<number> => {
  const start = performance.now();
  const queue = [...all];
  const worker = async (): Promise<void> => {
    for (let access = queue.shift(); access; access = queue.shift()) {
      const slot = '/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia';
      await send(access, 'POST', slot, { Image: image });
      await send(access, 'POST', '/Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'On' });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  while (called.size < all.length) await new Promise((resolve) => setTimeout(resolve, 20));
  return Number(((performance.now() - start) / 1000).toFixed(1));
};

const sleep = async (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const stateDir = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const api = await startApi();
const started = performance.now();
const flags = { machines, port: 0, 'control-port': 0, 'state-dir': stateDir, scale: 0.01, 'api-url': api.url };
const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const start_s = Number(((performance.now() - started) / 1000).toFixed(2));
  const pid = child.pid!;
  const { control_port } = JSON.parse(line) as { control_port: number };
  const listed = await (await fetch(`http://127.0.0.1:${control_port}/machines`)).json();
  const { machines: all, images } = listed as { machines: Access[]; images: { deploy_iso: string } };
  const { rss_mb: rss_start_mb } = usage(pid);
  const gets_keep_alive = await load(all, 16, new Agent({ keepAlive: true, maxSockets: 16 }));
  const gets_new_connection = await load(all, 16, false);
  const { rss_mb: rss_after_gets_mb } = usage(pid);
  const boot_all_s = await bootAll(all, images.deploy_iso, api.called);
  const [before, beats] = [usage(pid), api.beats()];
  await sleep(seconds * 1000);
  const after = usage(pid);
  console.log(
    JSON.stringify({
      machines,
      start_s,
      rss_start_mb,
      rss_after_gets_mb,
      gets_keep_alive,
      gets_new_connection,
      boot_all_s,
      all_in_ramdisk: {
        rss_mb: after.rss_mb,
        heartbeats_per_second: Math.round((api.beats() - beats) / seconds),
        cpu_percent_of_a_core: Math.round((after.cpu_ms - before.cpu_ms) / seconds / 10),
      },
    }),
  );
} finally {
  child.kill('SIGTERM');
  await once(child, 'exit');
  api.server.closeAllConnections();
  api.server.close();
  rmSync(stateDir, { recursive: true, force: true });
}
