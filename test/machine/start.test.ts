/** `npm start` as a newcomer meets it: the real process, its output, its exit code. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { hashSync } from 'bcryptjs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { freePort, type Process, request, start, temporaryFolder } from './system.ts';

let folder: { path: string; remove(): void };
/** For files of the operator: the state directory holds nothing else. */
let own: { path: string; remove(): void };
let running: Process[];

beforeEach(() => {
  folder = temporaryFolder();
  own = temporaryFolder();
  running = [];
});
afterEach(async () => {
  for (const process of running) await process.kill('SIGKILL');
  folder.remove();
  own.remove();
});

/** On free ports, which the simulator chooses by itself, and quick machines. */
const ingot = (args: string[], env: Record<string, string> = {}): Process => {
  const process = start('local/main.js', ['--port', '0', '--state-dir', folder.path, '--scale', '0.01', ...args], env);
  running.push(process);
  return process;
};

const exit = async ({ child, output }: Process): Promise<{ code: number | null; output: string }> => {
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, output: output() };
};

/** Real machines ask for a password unless it is said that they shall not. */
const open = { INGOT_AUTH_STRATEGY: 'noauth' };

const urlOf = async ({ output, ready }: Process): Promise<string> =>
  ready('the URL', async () => /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0]);

it('does the main job from enrolment to undeploy, proves each claim, and exits 0', async () => {
  const { code, output } = await exit(ingot(['--once', '--machines', '2']));
  expect(output).toMatch(/Simulated BMCs are at https:\/\/127\.0\.0\.1:\d+, and what controls them at http:\/\/127/);
  expect(output).toContain('m0001  deploy: WriteImage');
  expect(output).toContain('ok   openstack/latest/user_data on the configdrive is what was sent');
  expect(output).toContain('ok   its disk is wiped');
  expect(output).toContain('demo-server  server-create: Claim');
  expect(output).toContain('ok   its node has its id as instance_uuid');
  expect(output).toContain('ok   the tenant sees nothing of the node');
  expect(output).toContain('demo-server  deleted');
  expect(output).not.toContain('FAIL');
  expect(output).not.toContain('\u001B');
  expect({ code, output }).toMatchObject({ code: 0 });
});

it('stops on Ctrl-C in the middle of its work, and continues at the next start', async () => {
  // The agent that is booted meanwhile knows where the API is from its medium: a restart has to be at the same place.
  const port = ['--port', String(await freePort())];
  const first = ingot(['--machines', '1', ...port]);
  await first.ready('cleaning', async () => first.output().includes('clean: WaitForAgent'));
  await first.kill('SIGINT');
  expect(await exit(first)).toMatchObject({ code: 0 });
  const { code, output } = await exit(ingot(['--machines', '1', '--once', ...port]));
  expect(output).not.toContain('verify: ProbeBmc');
  expect({ code, output }).toMatchObject({ code: 0 });
});

it('stays up after the demo with commands to try next, and knows the deployed machine again', async () => {
  const first = ingot(['--machines', '1']);
  await first.ready('the end of the demo', async () => first.output().includes('Try next'), 400);
  const reply = await request(await urlOf(first), 'GET', '/v1/nodes/m0001');
  expect(reply.body).toMatchObject({ provision_state: 'active' });
  await first.kill('SIGTERM');
  const second = ingot(['--machines', '1']);
  await second.ready('the end of the demo', async () => second.output().includes('Try next'), 400);
  expect(second.output()).toContain('m0001 is deployed already');
});

it('starts without machines and without the demo', async () => {
  const process = ingot([], { INGOT_MACHINES: '0', INGOT_DEMO: '0', ...open });
  const reply = await request(await urlOf(process), 'GET', '/v1/nodes');
  expect(reply).toEqual({ status: 200, body: { nodes: [] } });
  await process.kill('SIGINT');
  expect(process.output()).toContain('openstack baremetal node create');
  expect(process.output()).toContain('INGOT_PUBLIC_ENDPOINT');
});

/** One sentence on stderr, an exit code, and no stack. */
const expectSentence = ({ code, output }: { code: number | null; output: string }, words: string) => {
  expect(code).toBe(1);
  expect(output).toContain(words);
  expect(output.trim().split('\n')).toHaveLength(1);
};

it('wants users before it starts with real machines, and says how they are made', async () => {
  const { code, output } = await exit(ingot(['--machines', '0']));
  expectSentence({ code, output }, 'htpasswd -nbB operator');
  expect(output).toContain('INGOT_HTPASSWD_FILE=htpasswd');
  expect(existsSync(join(folder.path, 'table.db'))).toBe(false);
});

it.each([
  ['is not there', undefined, 'cannot be read (ENOENT)'],
  ['is empty', '', 'There are no users in'],
  ['has a password in it', 'ann:hunter2\n', 'Line 1 of'],
])('says at the start that the file of users %s', async (_what, text, words) => {
  const file = join(own.path, 'htpasswd');
  if (text !== undefined) writeFileSync(file, text);
  const answer = await exit(ingot(['--machines', '0'], { INGOT_HTPASSWD_FILE: file }));
  expectSentence(answer, words);
  expect(answer.output).toContain(file);
  expect(answer.output).not.toContain('hunter2');
});

it('answers the users of the file and nobody else with real machines', async () => {
  const file = join(own.path, 'htpasswd');
  writeFileSync(file, `ann:${hashSync('pass:word', 4)}\n`);
  const process = ingot(['--machines', '0'], { INGOT_HTPASSWD_FILE: file });
  const nodes = `${await urlOf(process)}/v1/nodes`;
  expect((await fetch(nodes)).status).toBe(401);
  const headers = { Authorization: `Basic ${Buffer.from('ann:pass:word').toString('base64')}` };
  expect((await fetch(nodes, { headers })).status).toBe(200);
  await process.kill('SIGINT');
  expect(process.output()).toContain('OS_CLOUD=ingot OS_USERNAME=operator');
});

it('keeps everything to its owner in a folder that was open to all, and says so in the log', async () => {
  chmodSync(folder.path, 0o755);
  const process = ingot(['--machines', '1', '--once']);
  expect(await exit(process)).toMatchObject({ code: 0 });
  const names = readdirSync(folder.path, { recursive: true }) as string[];
  const modes = ['.', ...names].map((name) => [name, statSync(join(folder.path, name)).mode & 0o077] as const);
  expect(modes.filter(([, mode]) => mode !== 0)).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['table.db', 'states.db', 'keys', 'simulator', 'ingot.json']));
  expect(readFileSync(join(folder.path, 'ingot.log'), 'utf8')).toContain('The state directory was open to others');
});

it('says that its port is taken', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expectSentence(await exit(ingot(['--port', `${port}`])), `Port ${port} on 127.0.0.1 is taken`);
  server.close();
});

it.each([
  ['table.db', 'table.db is damaged'],
  ['states.db', 'states.db cannot be used'],
  ['keys/secrets', 'secrets is damaged'],
  ['ingot.json', 'is damaged'],
])('says that %s in the state directory is damaged', async (file, words) => {
  const first = ingot(['--machines', '0'], open);
  await urlOf(first);
  await first.kill('SIGINT');
  writeFileSync(join(folder.path, file), 'not what it was'.repeat(1000));
  expectSentence(await exit(ingot(['--machines', '0'], open)), words);
});

it('says that another Ingot uses the state directory', async () => {
  const first = ingot(['--machines', '0'], open);
  await urlOf(first);
  expectSentence(await exit(ingot(['--machines', '0'], open)), `is in use by process ${first.child.pid}`);
});

it.each([
  [['--prot', '1'], "Unknown option '--prot'"],
  [['--machines', 'many'], '--machines has to be a whole number'],
  [['--once', '--machines', '0'], '--once'],
])('says what is wrong with %j', async (args, words) => {
  expectSentence(await exit(ingot(args)), words);
});

it('lists its options', async () => {
  const { code, output } = await exit(ingot(['--help']));
  expect([code, output]).toEqual([0, expect.stringContaining('--state-dir DIR')]);
});
