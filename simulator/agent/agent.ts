/**
 * The deploy agent as the API sees it: finds out who it is, then calls at intervals (ironic-deploy.md 3). It works
 * from the machine's record only, so that it goes on with its token after a restart of the simulator.
 */
import type { Agent, Machine } from '../machine.ts';
import { retrySpan, spanOf, type Life, type Span, type World } from '../world.ts';
import { ask } from './call.ts';
import { resumeCommand } from './commands.ts';
import { sendInventory } from './inspection.ts';

const agentVersion = '11.2.0';
/** The newest versions of the API the agent makes use of: 1.62 for lookup, 1.68 for heartbeat. */
const lookupVersion = 62;
const heartbeatVersion = 68;
const minTokenLength = 32;
const masked = '******';

/** A path of the API that the ramdisk was built for. */
const at = (machine: Machine, path: string): string => `${machine.agent!.api_url}${path}`;

/** N of the newest version 1.N the API speaks; undefined if it does not say. */
const probeVersion = async (world: World, machine: Machine, signal: AbortSignal): Promise<number | undefined> => {
  const { body } = await ask(world, machine, { method: 'GET', url: at(machine, '/'), signal });
  const version = (body as { default_version?: { version?: unknown } } | undefined)?.default_version?.version;
  const found = typeof version === 'string' ? /^1\.(\d+)$/.exec(version)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
};

type Looked = { node?: { uuid?: string }; config?: { agent_token?: string; heartbeat_timeout?: number } };

/** Takes over what lookup told. Without a token of its own the agent shuts itself off rather than be anybody's. */
const accept = (agent: Agent, { node, config }: Looked): void => {
  const token = config?.agent_token;
  if (token && token !== masked && token.length >= minTokenLength) agent.token = token;
  agent.node_uuid = node!.uuid!;
  agent.heartbeat_timeout = config?.heartbeat_timeout ?? agent.heartbeat_timeout;
  agent.state = agent.token ? 'serving' : 'locked';
};

const conflictWaits: readonly Span[] = [
  [5, 5],
  [10, 10],
  [30, 30],
];

/**
 * Looks itself up until somebody knows it. A real agent gives up after ten minutes and is started again by its unit;
 * trying for ever comes to the same.
 */
const introduce = async (world: World, machine: Machine, agent: Agent, signal: AbortSignal): Promise<void> => {
  for (let tries = 0; agent.state === 'calling'; tries += 1) {
    const version = await probeVersion(world, machine, signal);
    let wait: Span = [2 ** Math.min(tries, 6) / 2, Math.min(60, 2 ** Math.min(tries, 6))];
    if (version !== undefined) {
      agent.version = version;
      const { status, body } = await ask(world, machine, {
        method: 'GET',
        url: at(machine, `/v1/lookup?addresses=${machine.mac}`),
        signal,
        version: Math.min(version, lookupVersion),
      });
      const looked = body as Looked | undefined;
      if (status === 200 && looked?.node?.uuid && looked.config) {
        accept(agent, looked);
        world.changed(machine);
        return;
      }
      if (status === 409) wait = conflictWaits[Math.min(tries, 2)]!;
    }
    await world.clock.sleep(retrySpan(world, machine, wait), signal);
  }
};

const beat = async (world: World, machine: Machine, agent: Agent, signal: AbortSignal): Promise<boolean> => {
  const version = Math.min(agent.version, heartbeatVersion);
  const wrong = world.faults.strikes('agent_wrong_token', machine);
  const body = {
    callback_url: `${world.base}/${machine.name}/agent`,
    ...(version >= 36 && { agent_version: agentVersion }),
    ...(version >= 62 && { agent_token: wrong ? 'x'.repeat(43) : agent.token }),
    ...(version >= 68 && { agent_verify_ca: world.certificate }),
  };
  const url = at(machine, `/v1/heartbeat/${agent.node_uuid}`);
  const send = async () => ask(world, machine, { method: 'POST', url, signal, body, version });
  const twice = world.faults.strikes('duplicate_heartbeat', machine);
  const replies = await Promise.all(twice ? [send(), send()] : [send()]);
  return replies.every(({ status }) => status === 202);
};

/** Ends when the agent no longer serves. */
const heartbeats = async (world: World, machine: Machine, life: Life, signal: AbortSignal): Promise<void> => {
  const agent = machine.agent!;
  while (agent.state === 'serving') {
    const { rings } = life;
    const accepted = await beat(world, machine, agent, signal);
    const timeout = agent.heartbeat_timeout;
    // A second at least: a small scale must not make a thousand agents a storm. What is urgent rings.
    const wait = accepted
      ? Math.max(1000, spanOf(world, machine, [0.3 * timeout, 0.6 * timeout]))
      : retrySpan(world, machine, [5, 10]);
    const earliest = world.clock.now() + 5000 * world.scale;
    if (!accepted || life.rings === rings) {
      life.nap = world.clock.alarm(wait);
      await life.nap.rung;
    }
    await world.clock.sleep(earliest - world.clock.now(), signal);
  }
};

/** The agent from its start (or where the record left it) until it is gone; the machine stays in its ramdisk then. */
export const runAgent = async (world: World, machine: Machine, life: Life): Promise<void> => {
  const agent = machine.agent!;
  const { signal } = life.controller;
  signal.addEventListener('abort', () => life.nap?.ring(), { once: true });
  if (agent.state === 'calling') {
    await world.clock.sleep(spanOf(world, machine, [3, 8]), signal);
    if (world.faults.strikes('agent_never_calls', machine)) agent.state = 'dead';
    else await sendInventory(world, machine, signal);
    await introduce(world, machine, agent, signal);
  }
  if (agent.running) resumeCommand(world, machine);
  await heartbeats(world, machine, life, signal);
};
