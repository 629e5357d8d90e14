/**
 * What state a server is in: what it is (vm_state), what is being done with it (task_state), the word for both that clients
 * see (status), and how they follow from its node (compute-api.md 8).
 */
import { states, type ServerFate } from '../baremetal/states.ts';
import type { ProvisionState } from '../baremetal/transitions.ts';

export const vmStates = ['building', 'active', 'stopped', 'rescued', 'error', 'deleted'] as const;
export type VmState = (typeof vmStates)[number];

export const taskStates = [
  'scheduling',
  'networking',
  'block_device_mapping',
  'spawning',
  'powering-on',
  'powering-off',
  'rebooting',
  'rebooting_hard',
  'rebuilding',
  'rebuild_spawning',
  'rescuing',
  'unrescuing',
  'deleting',
] as const;
export type TaskState = (typeof taskStates)[number];

/** A server as far as its state goes. `power_state`: 0 unknown, 1 running, 4 shut down. */
export type ServerState = {
  readonly vm_state: VmState;
  readonly task_state: TaskState | null;
  readonly power_state: 0 | 1 | 4;
};

const rebuilt = { rebuilding: 'REBUILD', rebuild_spawning: 'REBUILD' } as const;

/** The status of each vm_state, and the tasks during which it is another. */
const statuses = {
  building: { is: 'BUILD' },
  active: { is: 'ACTIVE', during: { ...rebuilt, rebooting: 'REBOOT', rebooting_hard: 'HARD_REBOOT' } },
  stopped: { is: 'SHUTOFF', during: rebuilt },
  rescued: { is: 'RESCUE' },
  error: { is: 'ERROR', during: rebuilt },
  deleted: { is: 'DELETED' },
} as const satisfies {
  readonly [V in VmState]: { readonly is: string; readonly during?: { readonly [T in TaskState]?: string } };
};

/** What clients see. */
export const statusOf = ({ vm_state: state, task_state: task }: Omit<ServerState, 'power_state'>): string => {
  const row: { readonly is: string; readonly during?: { readonly [T in TaskState]?: string } } = statuses[state];
  return (task && row.during?.[task]) ?? row.is;
};

/** A node as far as its server can know. */
export type NodeState = {
  readonly provision_state: ProvisionState;
  readonly power_state: string | null;
  readonly target_power_state: string | null;
};

type Following = {
  /** `kept`: as it is; `by power`: as the machine's power says. */
  readonly vm_state: VmState | 'kept' | 'by power';
  readonly task_state: TaskState | null;
};

/** What a server is by what its node says of it. */
export const fates: { readonly [F in ServerFate]: Following } = {
  // One that was built before stays what it is, and is being rebuilt.
  built: { vm_state: 'building', task_state: 'spawning' },
  failed: { vm_state: 'error', task_state: null },
  up: { vm_state: 'by power', task_state: null },
  leaving: { vm_state: 'kept', task_state: 'deleting' },
  gone: { vm_state: 'deleted', task_state: null },
  rescuing: { vm_state: 'active', task_state: 'rescuing' },
  rescued: { vm_state: 'rescued', task_state: null },
  unrescuing: { vm_state: 'rescued', task_state: 'unrescuing' },
  serviced: { vm_state: 'active', task_state: null },
};

/** What the power of an active machine makes of its server, and what it is on its way to (target_power_state). */
const byPower = {
  now: { 'power on': 'active', 'power off': 'stopped' },
  towards: {
    'power on': { vm_state: 'stopped', task_state: 'powering-on' },
    'power off': { vm_state: 'active', task_state: 'powering-off' },
    'soft power off': { vm_state: 'active', task_state: 'powering-off' },
    rebooting: { vm_state: 'active', task_state: 'rebooting_hard' },
    'soft rebooting': { vm_state: 'active', task_state: 'rebooting' },
  },
} as const satisfies {
  readonly now: Readonly<Record<string, VmState>>;
  readonly towards: Readonly<Record<string, { readonly vm_state: VmState; readonly task_state: TaskState }>>;
};

const powers: Readonly<Record<string, ServerState['power_state']>> = { 'power on': 1, 'power off': 4 };

type Row = Omit<ServerState, 'power_state'>;

/** While the power of a machine changes because of its server, the server knows best what for: a reboot turns it on, too. */
const underWay = ['powering-on', 'powering-off', 'rebooting', 'rebooting_hard'] as const satisfies TaskState[];

const ofActive = ({ power_state: power, target_power_state: target }: NodeState, before: Row): Row => {
  if (target !== null && underWay.some((task) => task === before.task_state)) return before;
  if (target !== null && Object.hasOwn(byPower.towards, target)) {
    return byPower.towards[target as keyof typeof byPower.towards];
  }
  const now = power !== null && Object.hasOwn(byPower.now, power) ? (power as keyof typeof byPower.now) : 'power on';
  return { vm_state: byPower.now[now], task_state: null };
};

const followed = (node: NodeState, before: Row): Row => {
  const { server: fate } = states[node.provision_state];
  if (!fate) return before;
  const { vm_state: state, task_state } = fates[fate];
  if (state === 'by power') return ofActive(node, before);
  if (state === 'building' && before.vm_state !== 'building') return { ...before, task_state: 'rebuild_spawning' };
  return { vm_state: state === 'kept' ? before.vm_state : state, task_state };
};

/** The state of a server that follows from its node; undefined: the node does not have its instance_uuid any more. */
export const serverState = (node: NodeState | undefined, before: Row): ServerState => {
  if (!node) return { vm_state: 'deleted', task_state: null, power_state: 0 };
  const { vm_state, task_state } = followed(node, before);
  return { vm_state, task_state, power_state: powers[node.power_state ?? ''] ?? 0 };
};
