/** Operations on a deploy agent: steps are started once and adopted afterwards, whoever asks again. */
import { bmcFault } from '../../layers/bmc/faults.ts';
import { agentStep, type AgentCommand, type AgentStep } from '../../layers/bmc/operations.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import { openParts } from '../../layers/bmc/sealed-parts.ts';
import { isFault } from '../../layers/domain/fault.ts';
import type { SealedKind } from '../../layers/domain/fields.ts';
import { agentWords } from '../../layers/domain/machine-words.ts';
import { withAgent, type Agent } from './agent-client.ts';
import { done, pending, type Call, type Parsed } from './call.ts';

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/**
 * A command as it may leave the proxy. The agent repeats the step with its arguments, which hold presigned links and
 * the configdrive; only the step's name is kept.
 */
const toReport = ({ id, command_name, command_status, command_result, command_error }: AgentCommand): AgentCommand => {
  const short = ([name, value]: [string, unknown]) =>
    name.endsWith('_step')
      ? [name, { interface: asObject(value)['interface'], step: asObject(value)['step'] }]
      : [name, value];
  const result =
    typeof command_result === 'object' && command_result !== null
      ? Object.fromEntries(Object.entries(command_result).map(short))
      : command_result;
  return { id, command_name, command_status, command_result: result ?? null, command_error: command_error ?? null };
};

const steps = (result: unknown, kind: string): AgentStep[] =>
  Object.values(asObject(asObject(result)[`${kind}_steps`]))
    .flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    .flatMap((step) => agentStep.safeParse(step).data ?? []);

/** Asks the agent which steps its hardware managers offer. Throws AgentRejected if it fails to say. */
export const listSteps = async (call: Call<'agent.steps'>) => {
  const { kind } = call.params;
  const { node, ports } = call.record;
  const command = await withAgent(call, async (agent) => agent.run(`${kind}.get_${kind}_steps`, { node, ports }, true));
  if (command.command_status !== 'SUCCEEDED') {
    throw bmcFault(
      'AgentRejected',
      `The agent could not list its ${kind} steps: ${agentWords(command.command_error) ?? 'no reason given'}.`,
    );
  }
  const versions = asObject(asObject(command.command_result)['hardware_manager_version']);
  return done<'agent.steps'>({ steps: steps(command.command_result, kind), hardware_manager_version: versions });
};

/** A command that was sent and perhaps started. `isOurs` decides for the agent's last command. */
type Start = { readonly name: string; readonly params: object; isOurs(last: AgentCommand, sent: boolean): boolean };

const findOurs = (commands: readonly AgentCommand[], entry: LedgerEntry | undefined, { name, isOurs }: Start) => {
  const known = entry?.monitor ? commands.find(({ id }) => id === entry.monitor) : undefined;
  if (known) return known;
  const last = commands.at(-1);
  if (!last || last.command_name !== name.split('.')[1]) return undefined;
  return isOurs(last, entry?.state === 'sent' && !entry.monitor) ? last : undefined;
};

/** The command that the agent has already been given, as far as there is one. */
const adopt = async ({ records, record, operation }: Call, agent: Agent, start: Start) => {
  const entry = await records.entry(record.uuid, operation.op_id);
  const commands = await agent.commands();
  return { started: false, commands, command: findOurs(commands, entry, start), entry };
};

/** Gives an asynchronous command unless the agent has it already. Throws AgentBusy while it does another one. */
const startOnce = async (call: Call, agent: Agent, start: Start) => {
  const { records, record, operation, generation } = call;
  const { commands, command: ours, entry } = await adopt(call, agent, start);
  if (ours) return { started: false, command: ours, entry };
  const other = commands.find(({ command_status }) => command_status === 'RUNNING');
  if (other) throw bmcFault('AgentBusy', `The agent is still executing ${other.command_name}.`);
  const sent = await records.record(record.uuid, operation, { state: 'sent', what: start.name, generation }, entry);
  const command = await agent.run(start.name, start.params, false).catch(async (error: unknown) => {
    const refused = isFault(error) && error.name !== 'AgentUnreachable';
    if (refused) await records.record(record.uuid, operation, { state: 'refused', outcome: error.name }, sent);
    throw error;
  });
  const accepted = await records.record(record.uuid, operation, { state: 'accepted', monitor: command.id }, sent);
  return { started: true, command, entry: accepted };
};

const close = async ({ records, record, operation }: Call, entry: LedgerEntry | undefined, command: AgentCommand) => {
  if (entry?.state !== 'sent' || command.command_status === 'RUNNING') return;
  await records.record(record.uuid, operation, { state: 'done' }, entry);
};

/** Which step an ended command was; a running one does not say. */
const stepOf = (command: AgentCommand, kind: string) => asObject(asObject(command.command_result)[`${kind}_step`]);

/** The step with the secrets of its arguments in plain, for the agent alone. */
const opened = async ({ params: { step }, opener, conceal }: Call<'agent.execute'>) =>
  (await openParts(opener, 'step_argument' satisfies SealedKind, step, conceal)) as typeof step;

const startOf = (
  { params: { kind }, record: { node, ports } }: Call<'agent.execute'>,
  step: Parsed<'agent.execute'>['step'],
): Start => ({
  name: `${kind}.execute_${kind}_step`,
  params: { step, node, ports },
  isOurs: (last, sent) => {
    const named = stepOf(last, kind);
    // An equal step that has ended may be an earlier one of the plan: only what was sent is adopted.
    if (named['step'] !== undefined) {
      return sent && named['step'] === step.step && named['interface'] === step.interface;
    }
    return sent || last.command_status === 'RUNNING';
  },
});

/** Starts the step, unless it is only to be adopted, or tells how it stands if the agent has been given it. */
export const executeStep = async (call: Call<'agent.execute'>) => {
  const run = call.params.only_adopt ? adopt : startOnce;
  // What cannot be opened asks nothing of the agent.
  const step = startOf(call, await opened(call));
  const { started, command, entry } = await withAgent(call, async (agent) => run(call, agent, step));
  if (!command) return done<'agent.execute'>({ started, command: null });
  await close(call, entry, command);
  return done<'agent.execute'>({ started, command: toReport(command) });
};

/** Only asks what the agent does. */
export const lookAtProgress = async (call: Call<'agent.progress'>) => {
  const commands = await withAgent(call, async (agent) => agent.commands());
  return done<'agent.progress'>({ running: commands.some(({ command_status: status }) => status === 'RUNNING') });
};

type Command = Parsed<'agent.call'>['command'];

/** The agent works on these in the background; all others it answers when they have ended. */
const background: readonly Command[] = ['image.install_bootloader', 'standby.power_off'];

/** Looks until the command has ended or the time of the call is over. */
const follow = async ({ clock, config, end }: Call, agent: Agent, started: AgentCommand): Promise<AgentCommand> => {
  let command = started;
  while (command.command_status === 'RUNNING' && clock.now() + config.pollIntervalMs < end) {
    await clock.sleep(config.pollIntervalMs);
    command = (await agent.commands()).find(({ id }) => id === started.id) ?? command;
  }
  return command;
};

const runBackground = async (call: Call<'agent.call'>, agent: Agent): Promise<AgentCommand> => {
  const { command: name, params } = call.params;
  const { command: started, entry } = await startOnce(call, agent, {
    name,
    params,
    isOurs: (last, sent) => sent || last.command_status === 'RUNNING',
  });
  // Nobody will be there to tell how the power-off went; the BMC will.
  const command = name === 'standby.power_off' ? started : await follow(call, agent, started);
  await close(call, entry, command);
  return command;
};

/** What the agent gets with the command. The hash of the rescue password is the proxy's to give, nobody sends it. */
const paramsOf = async ({ params: { command, params }, record, open }: Call<'agent.call'>): Promise<object> => {
  if (command !== 'rescue.finalize_rescue') return params;
  if (Object.keys(params).length > 0) throw bmcFault('InvalidCommand', `The command ${command} takes no params.`);
  const hash = await open('rescue_password');
  if (!hash) throw bmcFault('AgentRejected', `Node ${record.uuid} has no rescue password to give to its agent.`);
  return { rescue_password: hash, hashed: true };
};

const runForeground = async (call: Call<'agent.call'>, agent: Agent): Promise<AgentCommand> => {
  const { records, record, operation, generation } = call;
  const { command: what } = call.params;
  const params = await paramsOf(call);
  const entry = await records.entry(record.uuid, operation.op_id);
  // An agent that has the password serves no commands any more: to ask again would find nobody.
  const once = what === 'rescue.finalize_rescue';
  if (once && entry?.state === 'done') {
    return { id: operation.op_id, command_name: 'finalize_rescue', command_status: 'SUCCEEDED' };
  }
  const sent = await records.record(record.uuid, operation, { state: 'sent', what, generation }, entry);
  const command = await agent.run(what, params, true);
  const failed = once && command.command_status === 'FAILED';
  if (failed) await records.record(record.uuid, operation, { state: 'refused', outcome: 'AgentRejected' }, sent);
  else await close(call, sent, command);
  return command;
};

/** An agent that was told to power off and is gone has very likely done so; how it really is, the BMC says. */
const afterPowerOff = async (call: Call<'agent.call'>, error: unknown): Promise<AgentCommand> => {
  const { records, record, operation, params } = call;
  const gone = isFault(error) && error.name === 'AgentUnreachable' && params.command === 'standby.power_off';
  const entry = gone ? await records.entry(record.uuid, operation.op_id) : undefined;
  if (entry?.state !== 'sent') throw error;
  return { id: entry.monitor ?? operation.op_id, command_name: 'power_off', command_status: 'RUNNING' };
};

/** Runs a command to its end, `pending` if that takes longer than the call may. */
export const callAgent = async (call: Call<'agent.call'>) => {
  const { command: name } = call.params;
  const run = background.includes(name) ? runBackground : runForeground;
  const command = await withAgent(call, async (agent) => run(call, agent)).catch(async (error: unknown) =>
    afterPowerOff(call, error),
  );
  if (command.command_status === 'RUNNING' && name !== 'standby.power_off') {
    return pending(`The agent is still executing ${command.command_name}.`);
  }
  return done<'agent.call'>({ command: toReport(command) });
};
