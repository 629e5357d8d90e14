/** Simulated machines without servers: virtual time, and a network made of one function. */
import { answerAgent } from '../../simulator/agent/command-api.ts';
import { bootUp } from '../../simulator/boot.ts';
import { createClock, type Source } from '../../simulator/clock.ts';
import { createFaults } from '../../simulator/faults.ts';
import type { Answer } from '../../simulator/http.ts';
import type { Fetch } from '../../simulator/fetch.ts';
import { createRequestLog } from '../../simulator/log.ts';
import { createMachine, type Machine } from '../../simulator/machine.ts';
import { systemNonces } from '../../simulator/nonces.ts';
import type { ProfileName } from '../../simulator/profiles.ts';
import { answerRedfish } from '../../simulator/redfish/app.ts';
import { createGate, type World } from '../../simulator/world.ts';
import { buildIso } from '../../layers/configdrive/iso.ts';

const settle = async () => {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
};

/** A clock that goes when told to. */
export const createVirtualClock = () => {
  let now = Date.UTC(2026, 0, 1);
  let due: { at: number; run: () => void } | undefined;
  const source: Source = {
    now: () => now,
    wake: (ms, run) => (due = { at: now + ms, run }),
    cancel: () => (due = undefined),
  };
  const advance = async (seconds: number): Promise<void> => {
    const end = now + seconds * 1000;
    await settle();
    while (due && due.at <= end) {
      const { at, run } = due;
      due = undefined;
      now = Math.max(now, at);
      run();
      await settle();
    }
    now = end;
  };
  return { clock: createClock(source), advance };
};

export const iso = (text: string) => buildIso({ label: 'TEST', files: [{ path: 'a', data: Buffer.from(text) }] });
export const deployIso = iso('INGOT-AGENT {"api_url": "http://api.test"}');
export const liveIso = iso('nothing special');

export type Network = (...asked: Parameters<Fetch>) => Response | Promise<Response>;

const basic = ({ username, password }: Machine) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export type Reply = {
  status: number;
  headers: Record<string, string>;
  // A test looks into whatever was answered.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
};

const plain = (answer: Answer): Reply => {
  if (typeof answer === 'string') return { status: 0, headers: {}, body: answer };
  return { status: answer.status, headers: answer.headers ?? {}, body: answer.body };
};

/** One machine. `network` answers what it fetches; the default is a network without anything in it. */
export const createLab = (
  network: Network = () => new Response('', { status: 404 }),
  profile: ProfileName = 'plain',
) => {
  const { clock, advance } = createVirtualClock();
  const machine = createMachine(7, 1, profile);
  const world: World = {
    nonces: systemNonces,
    clock,
    scale: 1,
    fetch: async (url, init) => network(url, init),
    faults: createFaults([], () => {}),
    log: createRequestLog(),
    base: 'https://bmc.test',
    certificate: 'PEM',
    lives: new Map(),
    boot: (booted, life) => void bootUp(world, booted, life),
    changed: () => {},
    download: createGate(8),
    call: createGate(8),
  };

  const asked = (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) => {
    const url = new URL(target, 'https://bmc.test');
    const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    return {
      method,
      path: url.pathname.replace(/\/+$/, '') || '/',
      query: url.searchParams,
      headers,
      body: Buffer.from(bytes),
    };
  };
  /** A request to the BMC, with Basic credentials unless other headers are given. */
  const redfish = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    plain(
      await answerRedfish(
        world,
        machine,
        asked(method, `/redfish/v1${path}`, body, headers ?? { authorization: basic(machine) }),
      ),
    );
  /** A request to the agent, with its token unless the path has one. */
  const agent = async (method: string, path: string, body?: unknown) => {
    const token = path.includes('agent_token')
      ? ''
      : `${path.includes('?') ? '&' : '?'}agent_token=${machine.agent?.token}`;
    return plain(await answerAgent(world, machine, asked(method, path + token, body)));
  };
  const reset = async (type: string) => redfish('POST', '/Systems/1/Actions/ComputerSystem.Reset', { ResetType: type });
  const insert = async (image: string, slot = 'Cd') =>
    redfish('POST', `/Managers/1/VirtualMedia/${slot}/Actions/VirtualMedia.InsertMedia`, { Image: image });
  return { world, machine, advance, redfish, agent, reset, insert, authorization: basic(machine) };
};

/** An API of the kind the agent calls, and two images. Answers can be replaced by path. */
export const createApi = (token = 'T'.repeat(43)) => {
  const calls: { method: string; path: string; version: string | null; body: Record<string, unknown> }[] = [];
  const answers: Record<string, (count: number) => Response> = {
    '/deploy.iso': () => new Response(deployIso),
    '/live.iso': () => new Response(liveIso),
    '/': () => Response.json({ default_version: { version: '1.115' } }),
    '/v1/lookup': () =>
      Response.json({ node: { uuid: 'node-1' }, config: { agent_token: token, heartbeat_timeout: 300 } }),
    '/v1/heartbeat/node-1': () => new Response('', { status: 202 }),
  };
  const network: Network = (url, { method = 'GET', headers, body }) => {
    const { pathname } = new URL(url);
    const version = new Headers(headers).get('x-openstack-ironic-api-version');
    calls.push({ method, path: pathname, version, body: body ? (JSON.parse(body) as never) : {} });
    const count = calls.filter(({ path }) => path === pathname).length;
    return answers[pathname]?.(count) ?? new Response('', { status: 404 });
  };
  return { network, answers, calls, to: (path: string) => calls.filter((call) => call.path === path) };
};

/** A lab whose machine has booted the deploy ramdisk and been accepted by `api`. */
export const createServingLab = async (api = createApi()) => {
  const lab = createLab(api.network);
  await lab.insert('http://images.test/deploy.iso');
  await lab.reset('On');
  await lab.advance(200);
  return { ...lab, api };
};
