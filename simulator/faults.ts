/**
 * Things that go wrong on demand (redfish.md 5). A fault is set through the control plane for one machine or all, for
 * some requests, a number of times, or with a probability from the seed.
 */
import { Invalid } from '../layers/domain/fault.ts';
import { draw, type Machine } from './machine.ts';

type FaultRow = { readonly seconds?: number; readonly doc: string };

/** `seconds` is the default of the fault's own `seconds`, in the machines' time. */
const faultKinds = {
  bmc_slow: { seconds: 10, doc: 'The BMC answers only after `seconds`.' },
  bmc_hangs: { doc: 'The BMC takes the request and never answers; nothing is carried out.' },
  bmc_503: { doc: 'The BMC answers 503 with Retry-After 1.' },
  bmc_500: { doc: 'The BMC answers 500 without a body.' },
  bmc_html: { doc: 'The BMC answers 200 with a page of HTML.' },
  bmc_drops: { doc: 'The BMC closes the connection; nothing is carried out.' },
  bmc_drops_answer: { doc: 'The BMC carries the request out and closes the connection instead of answering.' },
  bmc_unauthorized: { doc: 'The BMC refuses good credentials (401).' },
  session_limit: { doc: 'No session slot is free: POST of a session is answered 503.' },
  session_lost: { doc: 'A session token is refused (401) and its session gone.' },
  power_state_stale: { seconds: 20, doc: 'After a power change the BMC reports the old state for `seconds`.' },
  reset_ignored: { doc: 'A reset is accepted and not carried out.' },
  reset_conflict: { doc: 'A reset is answered 409 and not carried out.' },
  task_fails: { doc: 'What becomes a task is not carried out: its monitor ends with 500 and an error body.' },
  task_stuck: { doc: 'What becomes a task is not carried out, and the task stays Running.' },
  boot_once_ignored: { doc: 'The override of the boot device is passed over (and Once consumed) at POST.' },
  boot_patch_refused: { doc: 'A change of the boot device is answered 400, as in POST.' },
  boot_fails: { doc: 'Whatever is booted does not come up: the machine halts.' },
  media_insert_fails: { doc: 'Inserting media is answered 500.' },
  media_insert_silent: { doc: 'Inserting media is accepted, and nothing is inserted.' },
  media_eject_fails: { doc: 'Ejecting media is answered 500 and the media stay.' },
  no_dhcp: {
    doc: 'Nobody gives a ramdisk an address: it has the one that network_data on its medium gives it, or none.',
  },
  agent_never_calls: { doc: 'The ramdisk comes up and its agent never calls.' },
  agent_dies_while_writing: { doc: 'The agent is gone in the middle of writing an image.' },
  agent_wrong_token: { doc: 'A heartbeat carries a wrong token.' },
  agent_slow: { seconds: 60, doc: 'An asynchronous command takes `seconds` longer.' },
  agent_busy: { doc: 'A command is answered 409.' },
  agent_command_fails: { doc: 'An asynchronous command fails.' },
  wrong_checksum: { doc: 'What the agent downloads is not what it should be.' },
  duplicate_heartbeat: { doc: 'A heartbeat is sent twice at once.' },
} as const satisfies Record<string, FaultRow>;

export type FaultKind = keyof typeof faultKinds;

export type ActiveFault = {
  readonly id: string;
  readonly name: FaultKind;
  /** null: every machine. */
  readonly machine: string | null;
  /** Start of `METHOD /path` below the machine, or of an agent command's name; null: any. */
  readonly op: string | null;
  /** How often it still happens; null: until it is removed. */
  count: number | null;
  readonly probability: number;
  readonly seconds: number;
};

export type Faults = {
  /** Adds a fault. Throws Invalid. */
  add(machine: string | null, wanted: Record<string, unknown>): ActiveFault;
  /** The fault of this kind that happens now, if any; counts it. */
  strikes(name: FaultKind, machine: Machine, op?: string): ActiveFault | undefined;
  list(machine?: string): ActiveFault[];
  /** Removes all, those of one machine, or the one with this id; how many there were. */
  remove(filter: { machine?: string; id?: string }): number;
};

const isKind = (name: unknown): name is FaultKind => typeof name === 'string' && Object.hasOwn(faultKinds, name);

const number = (wanted: Record<string, unknown>, name: string, fallback: number, max: number): number => {
  const value = wanted[name] ?? fallback;
  if (typeof value === 'number' && value >= 0 && value <= max) return value;
  throw Invalid(`${name} of a fault must be a number from 0 to ${max}.`);
};

const parse = (id: string, machine: string | null, wanted: Record<string, unknown>): ActiveFault => {
  const { name, op = null, count = null } = wanted;
  if (!isKind(name))
    throw Invalid(`There is no fault ${String(name)}; there are ${Object.keys(faultKinds).join(', ')}.`);
  if (op !== null && typeof op !== 'string') throw Invalid('op of a fault must be text.');
  const kind: FaultRow = faultKinds[name];
  return {
    id,
    name,
    machine,
    op,
    count: count === null ? null : number(wanted, 'count', 1, 1e6),
    probability: number(wanted, 'probability', 1, 1),
    seconds: number(wanted, 'seconds', kind.seconds ?? 0, 1e6),
  };
};

/** The faults that are on; `changed` is called when they are others than before. */
export const createFaults = (saved: readonly ActiveFault[], changed: (active: ActiveFault[]) => void): Faults => {
  let active = [...saved];
  let last = Math.max(0, ...active.map(({ id }) => Number(id)));
  const set = (next: ActiveFault[]) => {
    active = next;
    changed(active);
  };

  return {
    add: (machine, wanted) => {
      const fault = parse(String(last + 1), machine, wanted);
      last += 1;
      set([...active, fault]);
      return fault;
    },
    strikes: (name, machine, op = '') => {
      const fault = active.find(
        (one) =>
          one.name === name &&
          (one.machine ?? machine.name) === machine.name &&
          op.startsWith(one.op ?? '') &&
          one.count !== 0 &&
          (one.probability === 1 || draw(machine) < one.probability),
      );
      if (fault?.count) {
        fault.count -= 1;
        set(active.filter(({ count }) => count !== 0));
      }
      return fault;
    },
    list: (machine) => active.filter((one) => !machine || one.machine === null || one.machine === machine),
    remove: ({ machine, id }) => {
      const kept = active.filter((one) => (machine && one.machine !== machine) || (id && one.id !== id));
      const removed = active.length - kept.length;
      set(kept);
      return removed;
    },
  };
};
