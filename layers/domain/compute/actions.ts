/**
 * What is done with a server, a row each (compute-api.md 3): when it may be, what it makes of the server, what it asks of
 * the machine. Rows with a `body` are what POST /servers/{id}/action takes.
 */
import * as z from 'zod';

import type { Verb } from '../baremetal/verbs.ts';
import { Conflict, Fault, Invalid } from '../fault.ts';
import { isKnown, type Fields } from '../fields.ts';
import { check, createSchema } from '../schema.ts';
import { text, word } from '../values.ts';
import type { ComputeRule } from './policy.ts';
import { rebuilt } from './new-server.ts';
import type { Server } from './server.ts';
import { vmStates, type TaskState, type VmState } from './server-states.ts';

/** What runs of servers do, by the names of their workflows. */
export type ServerWorkflow =
  | 'server-create'
  | 'server-delete'
  | 'server-power'
  | 'server-rebuild'
  | 'server-rescue'
  | 'server-unrescue'
  | 'server-interface'
  | 'server-metadata';

/** What a machine is asked to do with its power. */
export type PowerTarget = 'power on' | 'power off' | 'soft power off' | 'rebooting' | 'soft rebooting';

/** What is asked of the node: a power target (the next one if a machine cannot do the first), a verb, or an interrupt. */
type Effect =
  | { readonly power: readonly PowerTarget[] }
  | { readonly provision: Verb }
  | { readonly management: 'inject_nmi' }
  /** Network cards are plugged or unplugged. */
  | { readonly vifs: 'attach' | 'detach' };

export type ActionRow = {
  readonly doc: string;
  /** Who may. */
  readonly rule: ComputeRule;
  /** The key of the body of POST /servers/{id}/action; without it the action has a route of its own. */
  readonly body?: string;
  /** The first and the last microversion N of 2.N. */
  readonly since?: number;
  readonly until?: number;
  /** What follows the key; absent: null, or nothing in particular. */
  readonly takes?: z.ZodType | Fields;
  /** The states in which it may be done; absent: any. */
  readonly vm_states?: readonly VmState[];
  /** Whether nothing else may be under way. */
  readonly idle?: true;
  /** A run of it begins; absent: it is done at once. */
  readonly workflow?: ServerWorkflow;
  /** The runs whose place that takes; while there is another it is refused. */
  readonly over?: 'any' | readonly ServerWorkflow[];
  /** A run of it that is there already does this, too. */
  readonly joins?: true;
  /** Also while it is locked. */
  readonly unlocked?: true;
  /** What is being done from then on. */
  readonly task_state?: TaskState;
  /** What is asked of its node. */
  readonly effect?: Effect;
  /** Of the answer; default 202. */
  readonly status?: number;
};

/** `type` in any case, as Nova takes it. */
const reboot = (type: 'SOFT' | 'HARD') => z.strictObject({ type: z.string().toUpperCase().pipe(z.literal(type)) });

const settled = ['active', 'stopped', 'error'] as const satisfies VmState[];

/** By the names that instance actions are recorded under; two kinds of reboot have one. */
const rows = {
  delete: {
    rule: 'os_compute_api:servers:delete',
    workflow: 'server-delete',
    over: 'any',
    doc: 'Its machine is given back.',
    task_state: 'deleting',
    effect: { provision: 'deleted' },
    status: 204,
  },
  force_delete: {
    rule: 'os_compute_api:os-deferred-delete:force',
    workflow: 'server-delete',
    over: 'any',
    doc: 'The same as DELETE.',
    body: 'forceDelete',
    task_state: 'deleting',
    effect: { provision: 'deleted' },
  },
  start: {
    rule: 'os_compute_api:servers:start',
    workflow: 'server-power',
    doc: 'Switches the machine on.',
    body: 'os-start',
    vm_states: ['stopped'],
    idle: true,
    task_state: 'powering-on',
    effect: { power: ['power on'] },
  },
  stop: {
    rule: 'os_compute_api:servers:stop',
    workflow: 'server-power',
    doc: 'Asks the guest to shut down, then switches the machine off.',
    body: 'os-stop',
    vm_states: ['active', 'error'],
    idle: true,
    task_state: 'powering-off',
    effect: { power: ['soft power off', 'power off'] },
  },
  reboot_soft: {
    rule: 'os_compute_api:servers:reboot',
    workflow: 'server-power',
    doc: 'Asks the guest to restart; a machine that cannot be asked is switched off and on.',
    body: 'reboot',
    takes: reboot('SOFT'),
    vm_states: ['active'],
    idle: true,
    task_state: 'rebooting',
    effect: { power: ['soft rebooting', 'rebooting'] },
  },
  reboot_hard: {
    rule: 'os_compute_api:servers:reboot',
    workflow: 'server-power',
    over: ['server-power'],
    doc: 'Switches the machine off and on.',
    body: 'reboot',
    takes: reboot('HARD'),
    vm_states: settled,
    task_state: 'rebooting_hard',
    effect: { power: ['rebooting'] },
  },
  rebuild: {
    rule: 'os_compute_api:servers:rebuild',
    workflow: 'server-rebuild',
    doc: 'Writes the image anew, or another one; `preserve_ephemeral` keeps the ephemeral partition.',
    body: 'rebuild',
    takes: rebuilt,
    vm_states: settled,
    idle: true,
    task_state: 'rebuilding',
    effect: { provision: 'rebuild' },
  },
  rescue: {
    rule: 'os_compute_api:os-rescue',
    workflow: 'server-rescue',
    doc: 'Boots a rescue system; `rescue_image_ref` has no effect, it is the ramdisk of the node.',
    body: 'rescue',
    takes: z.strictObject({ adminPass: text(255).optional(), rescue_image_ref: z.string().optional() }).nullable(),
    vm_states: settled,
    idle: true,
    task_state: 'rescuing',
    effect: { provision: 'rescue' },
    status: 200,
  },
  unrescue: {
    rule: 'os_compute_api:os-unrescue',
    workflow: 'server-unrescue',
    doc: 'Boots the machine from its disk again.',
    body: 'unrescue',
    vm_states: ['rescued'],
    idle: true,
    task_state: 'unrescuing',
    effect: { provision: 'unrescue' },
  },
  trigger_crash_dump: {
    rule: 'os_compute_api:servers:trigger_crash_dump',
    workflow: 'server-power',
    doc: 'Interrupts the machine (NMI), so that its kernel writes a dump.',
    body: 'trigger_crash_dump',
    since: 17,
    vm_states: ['active', 'rescued', 'error'],
    idle: true,
    effect: { management: 'inject_nmi' },
  },
  lock: {
    rule: 'os_compute_api:os-lock-server:lock',
    doc: 'Refuses what else its tenant does with it, until it is unlocked.',
    body: 'lock',
    takes: z.strictObject({ locked_reason: z.string().max(255).optional() }).nullable(),
    unlocked: true,
  },
  unlock: {
    rule: 'os_compute_api:os-lock-server:unlock',
    doc: 'Takes the lock away; that of an administrator only by one.',
    body: 'unlock',
    unlocked: true,
  },
  reset_state: {
    rule: 'os_compute_api:os-admin-actions:reset_state',
    over: 'any',
    doc: 'Says that it is active, or in error, whatever it is.',
    body: 'os-resetState',
    takes: z.strictObject({ state: word(['active', 'error']) }),
    unlocked: true,
  },
  attach_interface: {
    rule: 'os_compute_api:os-attach-interfaces:create',
    workflow: 'server-interface',
    joins: true,
    doc: 'Plugs another network card.',
    vm_states: ['active', 'stopped'],
    idle: true,
    effect: { vifs: 'attach' },
    status: 200,
  },
  detach_interface: {
    rule: 'os_compute_api:os-attach-interfaces:delete',
    workflow: 'server-interface',
    joins: true,
    doc: 'Unplugs a network card.',
    vm_states: ['active', 'stopped'],
    idle: true,
    effect: { vifs: 'detach' },
  },
} as const satisfies { readonly [name: string]: ActionRow };

export type ActionName = keyof typeof rows;

export const actions: { readonly [N in ActionName]: ActionRow } = rows;

/** The keys of actions that a machine cannot do, and why: 501 whatever follows them. */
export const impossible: { readonly [body: string]: string } = {
  changePassword: 'nothing runs in the guest that could change a password; rebuild it with another adminPass',
  createImage: 'the disk of a machine is not read',
  createBackup: 'the disk of a machine is not read',
  resize: 'a machine does not become another one',
  confirmResize: 'a machine does not become another one',
  revertResize: 'a machine does not become another one',
  migrate: 'what runs on a machine cannot move to another',
  'os-migrateLive': 'what runs on a machine cannot move to another',
  evacuate: 'what runs on a machine cannot move to another',
  pause: 'a machine runs or is off',
  unpause: 'a machine runs or is off',
  suspend: 'a machine runs or is off',
  resume: 'a machine runs or is off',
  shelve: 'the disk of a machine is not read',
  shelveOffload: 'the disk of a machine is not read',
  unshelve: 'the disk of a machine is not read',
  restore: 'a server that was deleted has given its machine back',
  'os-getConsoleOutput': 'machines keep no text of their console',
  'os-getVNCConsole': 'machines offer no console here',
  'os-getSPICEConsole': 'machines offer no console here',
  'os-getRDPConsole': 'machines offer no console here',
  'os-getSerialConsole': 'machines offer no console here',
  addSecurityGroup: 'no machine is filtered by security groups',
  removeSecurityGroup: 'no machine is filtered by security groups',
  addFixedIp: 'addresses come with ports: attach an interface',
  removeFixedIp: 'addresses come with ports: detach an interface',
  addFloatingIp: 'floating addresses are given to ports by the network API',
  removeFloatingIp: 'floating addresses are given to ports by the network API',
  resetNetwork: 'nothing runs in the guest that could change its network',
  injectNetworkInfo: 'nothing runs in the guest that could change its network',
};

const NotImplemented = (message: string) => new Fault('NotImplemented', 501, message);

const isSchema = (takes: z.ZodType | Fields): takes is z.ZodType => takes instanceof z.ZodType;

const argumentsOf = (
  { takes, body }: ActionRow,
  given: unknown,
  version: number,
): Readonly<Record<string, unknown>> => {
  if (!takes) return {};
  const schema = isSchema(takes) ? takes : createSchema(takes, version);
  const checked = check(z.object({ [body!]: schema }), { [body!]: given })[body!];
  return (checked ?? {}) as Readonly<Record<string, unknown>>;
};

/** What a client wants to be done, with the values that were given for it. */
export type Asked = { readonly action: ActionName; readonly values: Readonly<Record<string, unknown>> };

const isSoft = (given: unknown): boolean => {
  const type = (given as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' && type.toUpperCase() === 'SOFT';
};

/** Several actions may have one key: what follows says which is meant. */
const nameOf = (key: string, given: unknown, version: number): ActionName | undefined => {
  const names = (Object.keys(actions) as ActionName[]).filter(
    (name) => actions[name].body === key && isKnown(actions[name], version),
  );
  return names.length < 2 ? names[0] : isSoft(given) ? 'reboot_soft' : 'reboot_hard';
};

/**
 * The action that the body of POST /servers/{id}/action asks for at 2.`version`; `permit` is asked of it before its values
 * are looked at, and refuses by throwing. Throws Invalid (400) for none or for wrong values, NotImplemented (501) for what
 * no machine can do.
 */
export const readAction = (
  body: unknown,
  version: number,
  permit: (action: ActionName) => void = () => undefined,
): Asked => {
  const [[key, given] = ['', null], ...more] = Object.entries(check(z.record(z.string(), z.unknown()), body));
  if (key === '' || more.length > 0) throw Invalid('The body must have exactly one key: the name of the action.');
  if (Object.hasOwn(impossible, key)) throw NotImplemented(`${key} is not possible on bare metal: ${impossible[key]}.`);
  const action = nameOf(key, given, version);
  if (!action) throw Invalid(`There is no such action: ${key.slice(0, 80)}`);
  permit(action);
  return { action, values: argumentsOf(actions[action], given, version) };
};

type Subject = Pick<Server, 'vm_state' | 'task_state' | 'locked_by' | 'run' | 'run_workflow'> & {
  readonly uuid: string;
};

/** What messages call it. */
export const wordOf = (action: ActionName): string => action.replace(/_(?:soft|hard)$/, '');

/** Whether the run that a server has is in the way. */
const isInTheWay = ({ over = [], joins, workflow }: ActionRow, { run, run_workflow: current }: Subject): boolean => {
  // What the node is told of a server is told again after whatever comes.
  if (run === null || over === 'any' || current === 'server-metadata') return false;
  return !over.some((one) => one === current) && !(joins && workflow === current);
};

/**
 * Throws Conflict (409) in Nova's words if this cannot be done with a server as it is. `admin`: who asks may do it with
 * what is locked.
 */
export const checkAction = (action: ActionName, server: Subject, admin: boolean): void => {
  const row = actions[action];
  const { vm_states: states = vmStates, idle, unlocked } = row;
  const refuse = (attribute: 'vm_state' | 'task_state') =>
    Conflict(`Cannot '${wordOf(action)}' instance ${server.uuid} while it is in ${attribute} ${server[attribute]}`);
  if (server.locked_by !== null && !unlocked && !admin) throw Conflict(`Instance ${server.uuid} is locked`);
  if (!states.includes(server.vm_state)) throw refuse('vm_state');
  if (idle && server.task_state !== null) throw refuse('task_state');
  if (row.workflow && isInTheWay(row, server)) {
    if (server.task_state !== null) throw refuse('task_state');
    throw Conflict(`Instance ${server.uuid} is being worked on (${server.run_workflow}), try again when that is done.`);
  }
};
