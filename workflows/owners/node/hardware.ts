/**
 * Phases reach hardware only through this: calls of `functions/bmc-proxy` with the identity and generation of the run.
 * An interface of the node that is `fake` never leaves the process (hardware type fake-hardware).
 */
import { Fault, Invalid } from '../../../layers/domain/fault.ts';
import { maxWords, plainText, sentence } from '../../../layers/domain/foreign-text.ts';
import { agentWords } from '../../../layers/domain/machine-words.ts';
import {
  operations,
  type AgentCommand,
  type Observed,
  type Operation,
  type Params,
  type Reply,
  type Request,
} from '../../../layers/bmc/operations.ts';
import { refuseFenced } from '../../../layers/domain/baremetal/takeover.ts';
import { refuseForeign } from '../../../layers/domain/foreign-types.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Platform } from '../../../layers/platform/platform.ts';

/** Asked for and not yet so; the ASL asks again (`Retry` with intervals that grow to 20 s). */
export const Pending = (reason: string) => new Fault('Pending', 503, reason);

/**
 * What the agent reports as failed, in its own words: the one place where those become what people read. `what` did not
 * go well; `look`: a sentence that says where to look.
 */
export const AgentFailed = (what: string, { command_error: error, command_status }: AgentCommand, look = '') => {
  const words = agentWords(error) ?? `it ended as ${command_status} without a reason`;
  return new Fault('StepFailed', 400, `${what}: ${sentence(plainText(words, maxWords))}${look && ` ${look}`}`);
};

/** The first part of an operation's name. */
type Family = Operation extends `${infer F}.${string}` ? F : never;

/** Which interface of a node each is of. */
const interfaces = {
  bmc: 'power_interface',
  system: 'power_interface',
  power: 'power_interface',
  boot: 'management_interface',
  mode: 'management_interface',
  secure_boot: 'management_interface',
  nmi: 'management_interface',
  indicator: 'management_interface',
  bios: 'bios_interface',
  firmware: 'firmware_interface',
  inventory: 'inspect_interface',
  vmedia: 'boot_interface',
  agent: 'deploy_interface',
  subscription: 'vendor_interface',
} as const satisfies { readonly [F in Family]: keyof StoredNode };

const familyOf = (op: Operation): Family => op.split('.')[0] as Family;

/** Whether this node's part of the hardware is made up. */
export const isFake = (node: StoredNode, family: Family): boolean => node[interfaces[family]] === 'fake';

/** What leaves the machine without power, be it for a moment. */
const switchesOff = (op: Operation, params: object): boolean =>
  (op === 'power.ensure' && (params as Params<'power.ensure'>).target === 'power off') ||
  (op === 'agent.call' && (params as Params<'agent.call'>).command === 'standby.power_off');

/** Every way to hardware leads past here, so no workflow can forget it. */
const checkStaysOn = ({ uuid, disable_power_off: staysOn }: StoredNode, op: Operation, params: object): void => {
  if (staysOn && switchesOff(op, params)) {
    throw Invalid(`Node ${uuid} must not be switched off (disable_power_off), and this needs it. Nothing was sent.`);
  }
};

/** A machine that was moved here is only looked at until it is taken over, whatever a run was begun for (ADR 22). */
const checkFence = (node: StoredNode, op: Operation): void => {
  if ('writes' in operations[op]) refuseFenced(node);
};

export type AgentStepCall = { readonly interface: string; readonly step: string; readonly [more: string]: unknown };

export type Hardware = {
  /**
   * Asks the proxy and answers what it observed; undefined for a fake interface. `effect` tells two wishes of one phase
   * for the same operation apart. Throws Pending, the faults of layers/bmc/faults.ts, Invalid for what would switch off a
   * machine that has to stay on, and TakeoverPending for what writes to one that was not taken over.
   */
  ask<O extends Operation>(op: O, params: Params<O>, effect?: string): Promise<Observed<O> | undefined>;
  /**
   * How the agent stands with a step, which is started if it was not. True: ended well, false: still running. `args`: what
   * it is told when it is started, if that has to be found out first, and is not needed any more after that. Throws
   * StepFailed with the agent's words.
   */
  step(
    kind: 'deploy' | 'clean' | 'service',
    step: AgentStepCall,
    args?: () => Promise<Readonly<Record<string, unknown>>>,
  ): Promise<boolean>;
};

export type HardwareCall = {
  readonly node: StoredNode;
  /** Names the wanted effect: run and phase, and the round where a phase comes again in one run. */
  readonly op_id: string;
  readonly deadline_ms: number;
};

/** What a phase reaches the machine by. Nothing is sent for interfaces that are fake. */
export const createHardware = ({ functions }: Pick<Platform, 'functions'>, call: HardwareCall): Hardware => {
  const { node, op_id, deadline_ms } = call;
  const ask: Hardware['ask'] = async (op, params, effect) => {
    if (isFake(node, familyOf(op))) return undefined;
    if (!('foreign' in operations[op])) refuseForeign(node);
    checkFence(node, op);
    checkStaysOn(node, op, params);
    const request: Request = {
      op,
      node: node.uuid,
      generation: node.generation,
      op_id: [op_id, op, ...(effect ? [effect] : [])].join('/'),
      params,
      deadline_ms,
    };
    const reply = (await functions.invoke('bmc-proxy', request)) as Reply<typeof op>;
    if (reply.status === 'pending') throw Pending(reply.reason);
    return reply.observed;
  };
  return {
    ask,
    step: async (kind, step, args) => {
      if (isFake(node, 'agent')) return true;
      const adopted = args && (await ask('agent.execute', { kind, step, only_adopt: true }));
      const started = async () => ask('agent.execute', { kind, step: args ? { ...step, args: await args() } : step });
      const command = adopted?.command ?? (await started())?.command;
      if (!command || command.command_status === 'SUCCEEDED') return true;
      if (command.command_status === 'RUNNING') return false;
      throw AgentFailed(`The agent's step ${step.interface}.${step.step} failed`, command);
    },
  };
};
