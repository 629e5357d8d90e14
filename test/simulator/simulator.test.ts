import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createSimulator, type Simulator } from '../../simulator/simulator.ts';
import { freePort } from '../machine/system.ts';

const closers: (() => Promise<unknown> | void)[] = [];
let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'ingot-simulator-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(stateDir, { recursive: true, force: true });
});

const options = (more: object = {}) => ({
  machines: 2,
  port: 0,
  controlPort: 0,
  ownPorts: 0,
  stateDir,
  seed: 1,
  scale: 0.001,
  apiUrl: 'http://127.0.0.1:9',
  profiles: ['plain'] as const,
  ...more,
});

const begin = async (more: object = {}): Promise<Simulator> => {
  const simulator = await createSimulator(options(more));
  closers.push(simulator.stop);
  return simulator;
};

const control = async (simulator: Simulator, path: string, init?: RequestInit) => {
  const answer = await fetch(`http://127.0.0.1:${simulator.controlPort}${path}`, init);
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.status, body: (await answer.json()) as any };
};

type Access = { address: string; username: string; password: string; certificate: string; fingerprint256: string };

/** A request over HTTPS that trusts the machine's certificate only. */
const https = async (
  { address, username, password, certificate }: Access,
  method: string,
  path: string,
  body?: object,
) =>
  new Promise<{ status: number; fingerprint: string; text: string }>((resolve, reject) => {
    const sent = request(
      address + path,
      { method, ca: certificate, auth: `${username}:${password}`, agent: false },
      (answer) => {
        const { fingerprint256 } = (
          answer.socket as unknown as { getPeerCertificate(): { fingerprint256: string } }
        ).getPeerCertificate();
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode!, fingerprint: fingerprint256, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });

/** An API that accepts every agent. */
const startApi = async (): Promise<{ url: string; beats(): number; tokens: Set<unknown>; lookups(): number }> => {
  let beats = 0;
  let lookups = 0;
  const tokens = new Set<unknown>();
  const server = createServer((asked, answer) => {
    let text = '';
    asked.on('data', (chunk: Buffer) => (text += chunk.toString()));
    asked.on('end', () => {
      if (asked.url === '/') return answer.end('{"default_version":{"version":"1.115"}}');
      if (asked.method === 'GET') {
        lookups += 1;
        const config = { agent_token: `${lookups}`.padStart(40, 'k'), heartbeat_timeout: 300 };
        return answer.end(JSON.stringify({ node: { uuid: 'n1' }, config }));
      }
      // Nothing is inspected here.
      if (asked.url === '/v1/continue_inspection') return answer.writeHead(404).end();
      beats += 1;
      tokens.add((JSON.parse(text) as { agent_token: string }).agent_token);
      answer.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, beats: () => beats, tokens, lookups: () => lookups };
};

it('serves the BMCs of all machines over HTTPS, each behind its own path and password', async () => {
  const simulator = await begin();
  const { machines } = (await control(simulator, '/machines')).body as { machines: [Access, Access] };
  expect(machines).toHaveLength(2);
  const [one, two] = machines;
  const reply = await https(one, 'GET', '/redfish/v1/Systems/1');
  expect(reply).toMatchObject({ status: 200, fingerprint: one.fingerprint256 });
  expect((await https({ ...one, password: two.password }, 'GET', '/redfish/v1/Systems/1')).status).toBe(401);
  const elsewhere = one.address.replace('m0001', 'm0009');
  expect((await https({ ...one, address: elsewhere }, 'GET', '/redfish/v1')).status).toBe(404);
});

it('closes the connection where no agent runs', async () => {
  const simulator = await begin();
  const { machines } = (await control(simulator, '/machines')).body as { machines: Access[] };
  await expect(https(machines[0]!, 'GET', '/agent/v1/commands')).rejects.toThrow('socket hang up');
});

it('shows a machine, sets and removes faults, and keeps a log', async () => {
  const simulator = await begin();
  const { machines } = (await control(simulator, '/machines')).body as { machines: Access[] };
  const post = (path: string, body: unknown) =>
    control(simulator, path, { method: 'POST', body: JSON.stringify(body) });
  expect((await post('/machines/m0001/faults', { name: 'bmc_503', count: 1 })).status).toBe(201);
  expect((await https(machines[0]!, 'GET', '/redfish/v1')).status).toBe(503);
  expect((await post('/faults', { name: 'nonsense' })).status).toBe(400);
  expect((await post('/machines/m0009/faults', { name: 'bmc_503' })).status).toBe(404);
  await post('/faults', { name: 'bmc_slow' });
  expect((await control(simulator, '/machines/m0002')).body).toMatchObject({
    power: 'off',
    phase: 'off',
    power_timeline: [],
    faults: [{ name: 'bmc_slow', machine: null }],
  });
  expect((await control(simulator, '/faults', { method: 'DELETE' })).body).toEqual({ removed: 1 });
  const { log } = (await control(simulator, '/log?node=m0001')).body as { log: object[] };
  expect(log).toMatchObject([{ machine: 'm0001', side: 'bmc', method: 'GET', path: '/redfish/v1', status: 503 }]);
  expect((await control(simulator, '/counts')).body).toEqual({ requests: { bmc: 1 }, connections: 1 });
});

it('serves images whole and in parts, the same at every start', async () => {
  const simulator = await begin();
  const { images } = (await control(simulator, '/machines')).body;
  const { url, sha256, size } = images.demo_raw as { url: string; sha256: string; size: number };
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(whole.length).toBe(size);
  expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
  const head = await fetch(url, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(size));
  const part = async (range: string) => {
    const answer = await fetch(url, { headers: { range } });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  expect(await part('bytes=100001-100010')).toEqual({ status: 206, bytes: whole.subarray(100_001, 100_011) });
  expect((await part('bytes=-5')).bytes).toEqual(whole.subarray(-5));
  expect((await part(`bytes=${size}-`)).status).toBe(416);
  const iso = Buffer.from(await (await fetch(images.deploy_iso as string)).arrayBuffer());
  expect(iso.toString('latin1')).toContain('INGOT-AGENT {"api_url":"http://127.0.0.1:9",');
});

it('goes on after a restart: same addresses, same certificate, same token, still booted', async () => {
  const api = await startApi();
  const first = await begin({ apiUrl: api.url });
  const { machines, images } = (await control(first, '/machines')).body;
  const access = machines[0] as Access;
  const media = '/redfish/v1/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia';
  expect((await https(access, 'POST', media, { Image: images.deploy_iso as string })).status).toBe(204);
  await https(access, 'POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'On' });
  await vi.waitFor(() => expect(api.beats()).toBeGreaterThan(0), { timeout: 60_000 });
  await closers.pop()!();
  const before = api.beats();

  const second = await begin({ apiUrl: api.url });
  expect(second.port).toBe(first.port);
  expect(((await control(second, '/machines')).body as { machines: unknown[] }).machines[0]).toEqual(access);
  await vi.waitFor(() => expect(api.beats()).toBeGreaterThan(before), { timeout: 60_000 });
  expect(api.tokens.size).toBe(1);
  expect(api.lookups()).toBe(1);
  expect((await control(second, '/machines/m0001')).body).toMatchObject({ phase: 'ramdisk', boot_count: 1 });
});

it('says in a sentence which port is taken, and which file is damaged', async () => {
  const { port } = await begin();
  await expect(createSimulator(options({ port }))).rejects.toThrow(`127.0.0.1:${port}`);
  await expect(createSimulator(options({ port }))).rejects.toThrow('choose another with --port.');
  await expect(createSimulator(options({ controlPort: port }))).rejects.toThrow('choose another with --control-port.');
  await closers.pop()!();
  writeFileSync(join(stateDir, 'machines', 'm0001.json'), '{"name"');
  await expect(createSimulator(options())).rejects.toThrow('m0001.json cannot be read');
});

it('keeps its state for its owner only', async () => {
  await begin();
  const key = readFileSync(join(stateDir, 'certificate.json'), 'utf8');
  expect(key).toContain('PRIVATE KEY');
  expect(statSync(join(stateDir, 'certificate.json')).mode & 0o077).toBe(0);
});

it('tells passwords to programs of this machine, not to web pages', async () => {
  const { controlPort } = await begin();
  const status = async (headers: Record<string, string>): Promise<number | undefined> => {
    const sent = httpRequest(`http://127.0.0.1:${controlPort}/machines`, { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  expect(await status({ Host: `localhost:${controlPort}` })).toBe(200);
  expect(await status({ Host: 'evil.example' })).toBe(403);
  expect(await status({ Origin: 'https://evil.example' })).toBe(403);
  expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
});

it('gives each machine an address of its own as well, whose links know of no path before them', async () => {
  const first = await freePort();
  const simulator = await begin({ ownPorts: first });
  const { machines } = (await control(simulator, '/machines')).body as {
    machines: (Access & { own_address: string })[];
  };
  expect(machines.map(({ own_address: own }) => own)).toEqual([0, 1].map((at) => `https://127.0.0.1:${first + at}`));
  const [one, two] = machines.map((machine): Access => ({ ...machine, address: machine.own_address }));
  const answer = await https(two!, 'GET', '/redfish/v1/Systems/1');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ '@odata.id': '/redfish/v1/Systems/1', SerialNumber: 'SIM0002' });
  expect(answer.text).not.toContain('/m0002');
  // Passwords are each machine's own, and so is what stands elsewhere.
  expect((await https({ ...one!, address: two!.address }, 'GET', '/redfish/v1/Systems/1')).status).toBe(401);
  expect((await https(two!, 'GET', '/m0002/redfish/v1')).status).toBe(404);
  await simulator.stop();
  await expect(https(two!, 'GET', '/redfish/v1')).rejects.toThrow();
});

it('says which option names the first of these ports when one is taken', async () => {
  const taken = await begin();
  const wanted = { ownPorts: taken.port };
  await expect(createSimulator(options({ ...wanted, stateDir: `${stateDir}/other` }))).rejects.toThrow('--own-ports');
});

it('has no address of their own for machines by default', async () => {
  const simulator = await begin();
  expect((await control(simulator, '/machines')).body.machines[0].own_address).toBeNull();
});
