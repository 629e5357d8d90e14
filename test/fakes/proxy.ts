/**
 * `functions/bmc-proxy` for workflow tests: machines that obey at once, in memory. Hand `handler` to the Functions
 * fake as `bmc-proxy`; tests script what should go otherwise with `answer`.
 */
import { bmcFault } from '../../layers/bmc/faults.ts';
import {
  operations,
  type AgentCommand,
  type AgentStep,
  type Observed,
  type Operation,
  type Params,
  type Reply,
  type Request,
} from '../../layers/bmc/operations.ts';
import { newParts, partHandlers, startBios, type FakeParts } from './parts.ts';

export type FakeMachine = FakeParts & {
  power: 'power on' | 'power off';
  boot: { target: string | null; enabled: string | null; mode: 'uefi' | 'bios' | null };
  media: { cd: string | null; usb: string | null };
  /** `commands` is the agent's memory: empty after each boot. Without power there is no agent. */
  agent: { steps: Record<'deploy' | 'clean' | 'service', AgentStep[]>; commands: AgentCommand[] };
  /** Number of changes of power, each way. */
  switched: number;
  /** Number of restarts without one. */
  restarted: number;
};

/** What a test can make of the next request: an error to throw, or a reply instead of the machine's own. */
export type Scripted = Error | Reply | ((request: Request) => Reply | undefined | Promise<Reply | undefined>);

const step = (name: string, priority: number, more: Partial<AgentStep> = {}): AgentStep => ({
  step: name,
  interface: 'deploy',
  priority,
  reboot_requested: false,
  abortable: true,
  ...more,
});

const newMachine = (): FakeMachine => ({
  power: 'power off',
  boot: { target: 'None', enabled: 'Disabled', mode: 'uefi' },
  media: { cd: null, usb: null },
  agent: {
    steps: {
      deploy: [step('write_image', 0), step('inject_files', 0)],
      clean: [step('erase_devices', 10), step('erase_devices_metadata', 99)],
      service: [],
    },
    commands: [],
  },
  switched: 0,
  restarted: 0,
  ...newParts(),
});

const targets = { pxe: 'Pxe', disk: 'Hdd', cdrom: 'Cd', uefihttp: 'UefiHttp', bios: 'BiosSetup' } as const;

const setPower = (machine: FakeMachine, power: FakeMachine['power']): boolean => {
  if (machine.power === power) return false;
  machine.power = power;
  machine.switched += 1;
  machine.agent.commands = [];
  if (power === 'power on') startBios(machine);
  return true;
};

const stepOf = (command: AgentCommand | undefined) =>
  (command?.['step'] as { interface?: string; step?: string } | undefined) ?? {};

const requireAgent = (machine: FakeMachine) => {
  if (machine.power === 'power off') throw bmcFault('AgentUnreachable', 'The agent does not answer.');
};

type Handlers = {
  [O in Operation]: (machine: FakeMachine, params: never, op_id: string) => Observed<O>;
};

const handlers: Handlers = {
  'bmc.probe': () => ({
    vendor: 'Ingot',
    product: 'Fake',
    redfish_version: '1.17.0',
    systems: ['/redfish/v1/Systems/1'],
    fingerprint256: null,
  }),
  'bmc.prove': ({ power }, { sealed }: { sealed: string | null }) => ({
    power,
    vendor: 'Ingot',
    model: 'Fake',
    serial: '1',
    fingerprint256: null,
    moved: sealed === null ? [...Buffer.from('moved')] : null,
  }),
  'system.get': ({ power, boot }) => ({
    power,
    boot: { ...boot },
    health: 'OK',
    vendor: 'Ingot',
    model: 'Fake',
    serial: '1',
  }),
  'power.ensure': (machine, { target }: { target: FakeMachine['power'] }) => {
    const changed = setPower(machine, target);
    return { changed, power: machine.power };
  },
  'power.restart': (machine) => {
    if (machine.power === 'power off') return { changed: false };
    machine.restarted += 1;
    machine.agent.commands = [];
    startBios(machine);
    return { changed: true };
  },
  'boot.ensure': (machine, params: { device: keyof typeof targets; persistence: string; mode: string }) => {
    const before = JSON.stringify(machine.boot);
    machine.boot.target = targets[params.device];
    machine.boot.enabled = params.persistence === 'once' ? 'Once' : 'Continuous';
    if (params.mode !== 'keep') machine.boot.mode = params.mode as 'uefi' | 'bios';
    return { changed: JSON.stringify(machine.boot) !== before };
  },
  'boot.clear': (machine) => {
    const { target, enabled } = machine.boot;
    const changed = target === 'Cd' && enabled !== 'Disabled';
    if (changed) Object.assign(machine.boot, { target: 'None', enabled: 'Disabled' });
    return { changed };
  },
  'vmedia.insert': (machine, { slot, image }: { slot: 'cd' | 'usb'; image: string }) => {
    const plain = (url: string | null) => url?.split('?')[0];
    const changed = plain(machine.media[slot]) !== plain(image);
    if (changed) machine.media[slot] = image;
    return { changed };
  },
  'vmedia.eject': (machine, { slot }: { slot: 'cd' | 'usb' | 'all' }) => {
    const slots = slot === 'all' ? (['cd', 'usb'] as const) : [slot];
    const changed = slots.some((name) => machine.media[name] !== null);
    for (const name of slots) machine.media[name] = null;
    return { changed };
  },
  'vmedia.get': ({ media }) => ({
    media: (['cd', 'usb'] as const).map((slot) => ({
      media_types: slot === 'cd' ? ['CD', 'DVD'] : ['USBStick'],
      inserted: media[slot] !== null,
      image: media[slot]?.split('?')[0] ?? null,
    })),
    removable: true,
  }),
  'mode.ensure': (machine, { mode }: { mode: 'uefi' | 'bios' }) => {
    const changed = machine.boot.mode !== mode;
    machine.boot.mode = mode;
    return { changed, reboot_needed: false };
  },
  ...partHandlers,
  'agent.steps': (machine, { kind }: { kind: 'deploy' | 'clean' | 'service' }) => {
    requireAgent(machine);
    return { steps: structuredClone(machine.agent.steps[kind]), hardware_manager_version: { fake: '1' } };
  },
  'agent.execute': (machine, params: Params<'agent.execute'>, op_id) => {
    requireAgent(machine);
    const { commands } = machine.agent;
    const last = commands.at(-1);
    const name = `execute_${params.kind}_step`;
    const same =
      last?.command_name === name &&
      stepOf(last).interface === params.step.interface &&
      stepOf(last).step === params.step.step;
    if (same && (last['op_id'] === op_id || last.command_status === 'RUNNING'))
      return { started: false, command: structuredClone(last) };
    if (params.only_adopt) return { started: false, command: null };
    if (last?.command_status === 'RUNNING') throw bmcFault('AgentBusy', 'The agent is executing another command.');
    const command: AgentCommand = {
      id: `command-${commands.length + 1}`,
      command_name: name,
      command_status: 'RUNNING',
      op_id,
      step: { interface: params.step.interface, step: params.step.step },
    };
    commands.push(command);
    return { started: true, command: structuredClone(command) };
  },
  'agent.progress': (machine) => {
    requireAgent(machine);
    return { running: machine.agent.commands.some(({ command_status }) => command_status === 'RUNNING') };
  },
  'agent.call': (machine, { command: full }: { command: string }) => {
    requireAgent(machine);
    const command: AgentCommand = {
      id: `command-${machine.agent.commands.length + 1}`,
      command_name: full.split('.')[1] ?? full,
      command_status: 'SUCCEEDED',
      command_result: {},
      command_error: null,
    };
    machine.agent.commands.push(command);
    if (full === 'standby.power_off') setPower(machine, 'power off');
    return { command };
  },
};

export type FakeProxy = {
  /** For the Functions fake: validates and fences like the real one, then obeys. */
  handler(payload: object): Promise<Reply>;
  /** Every request in order, as it came. */
  readonly requests: Request[];
  /** The machine of this node; made (off, no media) when first asked for. Change it freely. */
  machine(node: string): FakeMachine;
  /** Queues answers for the next requests of `op`, one each; undefined from a function: the machine's own answer. */
  answer(op: Operation, ...answers: Scripted[]): void;
  /** Ends the command that the agent of this node is executing. */
  finish(node: string, status?: 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH', more?: Partial<AgentCommand>): void;
};

/** A scripted `pending` reply. */
export const pending = (reason = 'not yet', pollAfter = 1): Reply => ({
  status: 'pending',
  poll_after_s: pollAfter,
  reason,
});

export const createFakeProxy = (): FakeProxy => {
  const machines = new Map<string, FakeMachine>();
  const generations = new Map<string, number>();
  const scripts = new Map<Operation, Scripted[]>();
  const requests: Request[] = [];

  const machine = (node: string): FakeMachine => {
    const found = machines.get(node) ?? newMachine();
    machines.set(node, found);
    return found;
  };

  const fence = ({ op, node, generation }: Request) => {
    if (!('writes' in operations[op])) return;
    const newest = generations.get(node) ?? 0;
    if (generation < newest) throw bmcFault('StaleGeneration', `Generation ${generation} is older than ${newest}.`);
    generations.set(node, generation);
  };

  return {
    requests,
    machine,
    answer: (op, ...answers) => scripts.set(op, [...(scripts.get(op) ?? []), ...answers]),
    finish: (node, status = 'SUCCEEDED', more = {}) => {
      const last = machine(node).agent.commands.at(-1);
      if (last?.command_status !== 'RUNNING') throw new Error(`The agent of ${node} executes nothing.`);
      Object.assign(last, { command_status: status, command_result: {}, command_error: null, ...more });
    },
    handler: async (payload) => {
      const request = payload as Request;
      requests.push(structuredClone(request));
      const row = operations[request.op];
      if (!row) throw bmcFault('InvalidCommand', `There is no operation ${request.op}.`);
      const params = row.in.safeParse(request.params);
      if (!params.success) throw bmcFault('InvalidCommand', `${request.op}: ${params.error.message}`);
      fence(request);
      const scripted = scripts.get(request.op)?.shift();
      if (scripted instanceof Error) throw scripted;
      const reply = typeof scripted === 'function' ? await scripted(request) : scripted;
      if (reply) return reply;
      const observed = handlers[request.op](machine(request.node), params.data as never, request.op_id);
      return { status: 'done', observed, quirks: [] };
    },
  };
};
