/** What each provision state is, one row a state (ironic-states.md 1). Which events lead out of it: `transitions.ts`. */
import { Invalid } from '../fault.ts';
import { nextState, type ProvisionEvent, type ProvisionState } from './transitions.ts';
import type { ProvisionWorkflow } from './verbs.ts';

export type StateRow = {
  /**
   * `resting` until somebody asks for something; `working`: a run has the lock; `waiting`: a run waits for the agent and
   * the lock is free; `held` by a step until somebody asks to go on; `failed`: resting, and last_error says why.
   */
  readonly is: 'resting' | 'working' | 'waiting' | 'held' | 'failed';
  /** Whose runs lead through it or end there; after a hold a new run of it goes on. */
  readonly workflow?: ProvisionWorkflow;
  /** target_provision_state on entering it; `kept`: what it was before. Without it there is none (null). */
  readonly target?: ProvisionState | 'kept';
  /** What microversions below 1.`below` see instead. */
  readonly was?: { readonly below: number; readonly as: ProvisionState | null };
  /** The node may be changed though it heads for another state (ironic-api.md 2.5). */
  readonly editable?: true;
  /** What the machine is made of may be changed: its interfaces, its resource class. */
  readonly unassigned?: true;
  /** How the machine's ports are wired may be changed (ironic-api.md 3). */
  readonly unwired?: true;
  /** Nobody has the machine, or gets it at any moment: what it boots from may be taken away while it is on. */
  readonly idle?: true;
  /** The node may be deleted. */
  readonly deletable?: true;
  /** An instance runs on the machine: the node may be protected, and does not lose its allocation. */
  readonly occupied?: true;
  /** A guest has the machine, or is to get it: there is a guest document (layers/store/guest-documents.ts). */
  readonly guest?: true;
  /** A deploy ramdisk may be running, which asks which node it is on. */
  readonly lookup?: true;
  /**
   * What a heartbeat does: it is noted down, and where it is awaited the run goes on; an inspection awaits the
   * inventory, and a heartbeat once that has come. In other states it is accepted and ignored, as Ironic does.
   */
  readonly heartbeat?: 'recorded' | 'awaited' | 'awaited once inspected';
  /** Nobody has made sure yet that the BMC is that of the machine: its power state is not synchronised. */
  readonly unproved?: true;
  /** What becomes of the server whose instance is on the machine; without it nothing. */
  readonly server?: ServerFate;
};

/**
 * `built`, at first or anew; `failed`; `up`, as far as its power is on; `leaving` the machine, or `gone`: what is done with
 * the machine then is no business of its tenant; `rescuing`, `rescued`, `unrescuing`; `serviced`: as if it was up.
 */
export type ServerFate =
  | 'built'
  | 'failed'
  | 'up'
  | 'leaving'
  | 'gone'
  | 'rescuing'
  | 'rescued'
  | 'unrescuing'
  | 'serviced';

/** Refusals name states in this order. */
export const states: { readonly [S in ProvisionState]: StateRow } = {
  enroll: { is: 'resting', unproved: true, unassigned: true, unwired: true, idle: true, deletable: true },
  verifying: { is: 'working', workflow: 'verify', target: 'manageable', editable: true },
  inspecting: {
    is: 'working',
    workflow: 'inspect',
    target: 'manageable',
    editable: true,
    unassigned: true,
    unwired: true,
    lookup: true,
  },
  'inspect wait': {
    is: 'waiting',
    workflow: 'inspect',
    target: 'kept',
    was: { below: 39, as: 'inspecting' },
    editable: true,
    unassigned: true,
    unwired: true,
    lookup: true,
    heartbeat: 'awaited once inspected',
  },
  'inspect failed': { is: 'failed', workflow: 'inspect', target: 'kept', editable: true },
  manageable: { is: 'resting', unassigned: true, unwired: true, idle: true, deletable: true },
  available: { is: 'resting', was: { below: 2, as: null }, unassigned: true, deletable: true },
  deploying: {
    is: 'working',
    workflow: 'deploy',
    target: 'active',
    lookup: true,
    heartbeat: 'recorded',
    server: 'built',
    guest: true,
  },
  'wait call-back': {
    is: 'waiting',
    workflow: 'deploy',
    target: 'kept',
    lookup: true,
    heartbeat: 'awaited',
    server: 'built',
    guest: true,
  },
  'deploy hold': {
    is: 'held',
    workflow: 'deploy',
    target: 'kept',
    heartbeat: 'recorded',
    server: 'built',
    guest: true,
  },
  'deploy failed': { is: 'failed', workflow: 'deploy', target: 'kept', editable: true, server: 'failed', guest: true },
  active: { is: 'resting', occupied: true, server: 'up', guest: true },
  deleting: { is: 'working', workflow: 'undeploy', target: 'available', server: 'leaving' },
  error: { is: 'failed', workflow: 'undeploy', editable: true, server: 'failed' },
  cleaning: {
    is: 'working',
    workflow: 'clean',
    target: 'available',
    lookup: true,
    heartbeat: 'recorded',
    server: 'gone',
  },
  'clean wait': {
    is: 'waiting',
    workflow: 'clean',
    target: 'kept',
    lookup: true,
    heartbeat: 'awaited',
    server: 'gone',
  },
  'clean hold': { is: 'held', workflow: 'clean', target: 'kept', heartbeat: 'recorded', server: 'gone' },
  'clean failed': { is: 'failed', workflow: 'clean', target: 'kept', editable: true, server: 'gone' },
  adopting: { is: 'working', workflow: 'adopt', target: 'active', guest: true },
  'adopt failed': {
    is: 'failed',
    unproved: true,
    workflow: 'adopt',
    target: 'kept',
    editable: true,
    idle: true,
    deletable: true,
  },
  rescuing: {
    is: 'working',
    workflow: 'rescue',
    target: 'rescue',
    lookup: true,
    heartbeat: 'recorded',
    server: 'rescuing',
    guest: true,
  },
  'rescue wait': {
    is: 'waiting',
    workflow: 'rescue',
    target: 'kept',
    lookup: true,
    heartbeat: 'awaited',
    server: 'rescuing',
    guest: true,
  },
  rescue: { is: 'resting', occupied: true, server: 'rescued', guest: true },
  'rescue failed': { is: 'failed', workflow: 'rescue', target: 'kept', editable: true, server: 'failed', guest: true },
  unrescuing: { is: 'working', workflow: 'unrescue', target: 'active', server: 'unrescuing', guest: true },
  'unrescue failed': {
    is: 'failed',
    workflow: 'unrescue',
    target: 'kept',
    editable: true,
    server: 'failed',
    guest: true,
  },
  servicing: {
    is: 'working',
    workflow: 'service',
    target: 'active',
    lookup: true,
    heartbeat: 'recorded',
    server: 'serviced',
    guest: true,
  },
  'service wait': {
    is: 'waiting',
    workflow: 'service',
    target: 'kept',
    lookup: true,
    heartbeat: 'awaited',
    server: 'serviced',
    guest: true,
  },
  'service hold': {
    is: 'held',
    workflow: 'service',
    target: 'kept',
    editable: true,
    heartbeat: 'recorded',
    server: 'serviced',
    guest: true,
  },
  'service failed': {
    is: 'failed',
    workflow: 'service',
    target: 'kept',
    editable: true,
    server: 'serviced',
    guest: true,
  },
};

type InState = { readonly provision_state: ProvisionState };

/** What the state that a node is in is. */
export const stateOf = ({ provision_state: state }: InState): StateRow => states[state];

/** The states whose row has this column, in the order of the table. */
export const statesThatAre = (column: 'deletable' | 'unassigned' | 'unwired'): ProvisionState[] =>
  (Object.keys(states) as ProvisionState[]).filter((state) => states[state][column]);

/** Whether a run works on the node or waits for its agent: the state will end by itself. */
export const isTransient = (node: InState): boolean => {
  const { is } = stateOf(node);
  return is === 'working' || is === 'waiting';
};

/** Whether a run of this workflow works on the node or waits for its agent. */
export const isInWork = (node: InState, workflow: ProvisionWorkflow): boolean =>
  isTransient(node) && stateOf(node).workflow === workflow;

/** Whether the node waits for its agent. */
export const isWaiting = (node: InState): boolean => stateOf(node).is === 'waiting';

/** Whether work on the node has failed, and nobody has asked for anything since. */
export const isFailed = (node: InState): boolean => stateOf(node).is === 'failed';

/** How a request of microversion 1.`version` sees this state. */
export const stateAsOf = (state: ProvisionState, version: number): ProvisionState | null => {
  const { was } = states[state];
  return was && version < was.below ? was.as : state;
};

/**
 * What a transition changes on the node: both states. `target` is the caller's own, such as manageable of a manual clean,
 * which survives waits, holds and failures (ironic-states.md 1). Throws Invalid (400) for an event that does not fit.
 */
export const transition = (
  node: InState & { readonly target_provision_state: string | null; readonly uuid: string },
  event: ProvisionEvent,
  options: { readonly target?: string | undefined } = {},
) => {
  const next = nextState(node.provision_state, event);
  if (!next) throw Invalid(`Event ${event} does not fit node ${node.uuid} in state ${node.provision_state}.`);
  const { target = null } = states[next];
  const entered = event === 'resume' || target === 'kept' ? node.target_provision_state : target;
  return { provision_state: next, target_provision_state: options.target ?? entered };
};
