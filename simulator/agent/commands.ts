/** The agent's commands: what each does to the machine, and how its result is kept (ironic-deploy.md 4). */
import { createHash } from 'node:crypto';

import { Fault, Invalid, isFault, NotFound } from '../../layers/domain/fault.ts';
import type { Agent, Command, Machine } from '../machine.ts';
import { powerOff } from '../power.ts';
import { ringAgent, type World } from '../world.ts';
import { collectLogs } from './logs.ts';
import { executeStep, listSteps, wait, type Kind, type Params, type Work } from './steps.ts';

type Row = { readonly async?: true; readonly run: Work };

const stepRows = (kind: Kind): Record<string, Row> => ({
  [`${kind}.get_${kind}_steps`]: { run: listSteps(kind) },
  [`${kind}.execute_${kind}_step`]: { async: true, run: executeStep(kind) },
});

/** The ramdisk keeps the hash for whoever logs in, and listens to nobody from then on. */
const finalizeRescue: Work = (_world, machine, { rescue_password: hash, hashed }) => {
  if (typeof hash !== 'string' || hash === '' || hashed !== true)
    throw Invalid('A hashed rescue_password is required.');
  machine.agent!.rescue = createHash('sha256').update(hash).digest('hex');
  machine.agent!.state = 'locked';
};

const rows: Record<string, Row> = {
  ...stepRows('deploy'),
  ...stepRows('clean'),
  ...stepRows('service'),
  'standby.sync': { run: async (world, machine, _params, signal) => wait(world, machine, [0.5, 2], signal) },
  'standby.get_partition_uuids': {
    run: (_world, { disk }) => {
      if (!disk.image) throw NotFound('There is no image on the disk.');
      const root = `0x${disk.image.sha256.slice(0, 8)}`;
      return { partitions: {}, 'root uuid': root, 'efi system partition uuid': null };
    },
  },
  'image.install_bootloader': {
    async: true,
    run: async (world, machine, _params, signal) => {
      if (!machine.disk.image) throw NotFound('There is no image on the disk to install a boot loader for.');
      await wait(world, machine, [4, 12], signal);
      return null;
    },
  },
  'standby.power_off': { async: true, run: (world, machine) => powerOff(world, machine) },
  'system.lockdown': {
    run: (_world, machine) => {
      machine.agent!.state = 'locked';
    },
  },
  'rescue.finalize_rescue': { run: finalizeRescue },
  'log.collect_system_logs': { run: (world, machine) => collectLogs(world, machine) },
};

const extensions = new Set(Object.keys(rows).map((name) => name.split('.')[0]));

/** Text is wrapped, nothing else is. */
const shape = (name: string, result: unknown): unknown =>
  typeof result === 'string' ? { result: `${name}: ${result}` } : (result ?? null);

const settle = async (world: World, machine: Machine, command: Command, run: () => unknown): Promise<void> => {
  try {
    command.command_result = shape(command.command_name, await run());
    command.command_status = 'SUCCEEDED';
  } catch (error) {
    const { name, code, message } = isFault(error) ? error : new Fault('CommandExecutionError', 500, String(error));
    command.command_status = name === 'CleaningVersionMismatch' ? 'CLEAN_VERSION_MISMATCH' : 'FAILED';
    command.command_error = { type: name, code, message, details: message };
  }
  world.changed(machine);
};

const runAsync = async (world: World, machine: Machine, agent: Agent, command: Command): Promise<void> => {
  const { name, params } = agent.running!;
  const signal = world.lives.get(machine)!.controller.signal;
  await settle(world, machine, command, async () => {
    const slow = world.faults.strikes('agent_slow', machine, name);
    if (slow) await wait(world, machine, [slow.seconds, slow.seconds], signal);
    const fails = world.faults.strikes('agent_command_fails', machine, name);
    if (fails) throw new Fault('CommandExecutionError', 500, 'The command failed (fault agent_command_fails).');
    return rows[name]!.run(world, machine, params, signal);
  });
  if (signal.aborted || agent.state === 'dead') return;
  agent.running = null;
  ringAgent(world, machine);
};

/** Commands under way, for `wait=true`. */
const underWay = new WeakMap<Command, Promise<void>>();

/** Waits until a command is no longer running. */
export const finished = async (command: Command): Promise<void> => underWay.get(command);

/** Goes on with the command that was running when the simulator stopped: it starts over. */
export const resumeCommand = (world: World, machine: Machine): void => {
  const agent = machine.agent!;
  const command = agent.commands.find(({ id }) => id === agent.running!.id)!;
  underWay.set(command, runAsync(world, machine, agent, command));
};

/**
 * Takes a command. A synchronous one is done when this returns, an asynchronous one RUNNING. Throws Invalid (no such
 * command), NotFound (no such extension), AgentIsBusy.
 */
export const execute = async (world: World, machine: Machine, name: string, params: Params): Promise<Command> => {
  const agent = machine.agent!;
  const [extension, short] = name.split('.') as [string, string | undefined];
  if (!extensions.has(extension)) throw NotFound(`Extension with id ${extension} not found.`);
  const row = rows[name];
  if (!row || !short) throw Invalid(`Unknown command: ${short ?? ''}.`);
  if (agent.running || world.faults.strikes('agent_busy', machine, name)) {
    throw new Fault('AgentIsBusy', 409, 'Agent is busy: a command is running.');
  }
  const command: Command = {
    id: world.nonces.uuid(),
    command_name: short,
    command_status: 'RUNNING',
    command_result: null,
    command_error: null,
  };
  agent.commands.push(command);
  if (!row.async) {
    const signal = world.lives.get(machine)!.controller.signal;
    await settle(world, machine, command, () => row.run(world, machine, params, signal));
    return command;
  }
  agent.running = { id: command.id, name, params };
  world.changed(machine);
  underWay.set(command, runAsync(world, machine, agent, command));
  return command;
};
