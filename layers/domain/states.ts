/** The provision state machine as one table, and the verbs of PUT states/provision (ironic-states.md 2 and 3). */
import { Invalid, NodeLocked } from './fault.ts';

/** state -> event -> next state. Events that clients cannot send: done, fail, wait, resume, hold. */
export const transitions = {
  enroll: { manage: 'verifying' },
  verifying: { done: 'manageable', fail: 'enroll' },
  manageable: { provide: 'cleaning', clean: 'cleaning', inspect: 'inspecting', adopt: 'adopting' },
  available: { deploy: 'deploying', manage: 'manageable' },
  deploying: { wait: 'wait call-back', hold: 'deploy hold', done: 'active', fail: 'deploy failed' },
  'wait call-back': {
    resume: 'deploying',
    hold: 'deploy hold',
    fail: 'deploy failed',
    abort: 'deploy failed',
    delete: 'deleting',
  },
  'deploy hold': { unhold: 'wait call-back', abort: 'deploy failed' },
  'deploy failed': { deploy: 'deploying', rebuild: 'deploying', delete: 'deleting' },
  active: { rebuild: 'deploying', delete: 'deleting', rescue: 'rescuing', service: 'servicing' },
  error: { rebuild: 'deploying', delete: 'deleting' },
  deleting: { clean: 'cleaning', fail: 'error' },
  cleaning: { done: 'available', manage: 'manageable', wait: 'clean wait', hold: 'clean hold', fail: 'clean failed' },
  'clean wait': { resume: 'cleaning', hold: 'clean hold', fail: 'clean failed', abort: 'clean failed' },
  'clean hold': { unhold: 'clean wait', abort: 'clean failed' },
  'clean failed': { manage: 'manageable' },
  inspecting: { done: 'manageable', wait: 'inspect wait', fail: 'inspect failed' },
  'inspect wait': { resume: 'inspecting', done: 'manageable', fail: 'inspect failed', abort: 'inspect failed' },
  'inspect failed': { inspect: 'inspecting', manage: 'manageable' },
  adopting: { done: 'active', fail: 'adopt failed' },
  'adopt failed': { adopt: 'adopting', manage: 'manageable' },
  rescuing: { wait: 'rescue wait', done: 'rescue', fail: 'rescue failed' },
  'rescue wait': { resume: 'rescuing', fail: 'rescue failed', abort: 'rescue failed', delete: 'deleting' },
  rescue: { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  'rescue failed': { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  unrescuing: { done: 'active', fail: 'unrescue failed' },
  'unrescue failed': { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  servicing: { wait: 'service wait', hold: 'service hold', done: 'active', fail: 'service failed' },
  'service wait': {
    resume: 'servicing',
    hold: 'service hold',
    fail: 'service failed',
    abort: 'service failed',
    delete: 'deleting',
  },
  'service hold': { unhold: 'service wait', service: 'servicing', fail: 'service failed', abort: 'service failed' },
  'service failed': {
    service: 'servicing',
    rescue: 'rescuing',
    delete: 'deleting',
    abort: 'active',
    wait: 'service wait',
    hold: 'service hold',
  },
} as const satisfies Record<string, Record<string, string>>;

export type ProvisionState = keyof typeof transitions;
type EventOf<S> = S extends unknown ? keyof S : never;
export type ProvisionEvent = EventOf<(typeof transitions)[ProvisionState]>;

export const provisionStates = Object.keys(transitions) as ProvisionState[];

/** target_provision_state on entering a state; a state that is not here is stable and has none (null). */
const targets: Partial<Record<ProvisionState, string>> = {
  verifying: 'manageable',
  deploying: 'active',
  'wait call-back': 'active',
  deleting: 'available',
  cleaning: 'available',
  inspecting: 'manageable',
  'inspect wait': 'manageable',
  adopting: 'active',
  rescuing: 'rescue',
  'rescue wait': 'rescue',
  unrescuing: 'active',
  servicing: 'active',
  'service wait': 'active',
};

const isFailure = (state: string) => state.endsWith(' failed') || state.endsWith(' hold');

/**
 * The state that follows, or undefined if the event does not fit.
 */
export const nextState = (from: ProvisionState, event: string): ProvisionState | undefined =>
  (transitions[from] as Record<string, ProvisionState>)[event];

/**
 * What a transition changes on the node: both states. Failure, wait and hold states keep the target they were
 * heading for (ironic-states.md 1), so a caller's own target (manual clean: manageable) survives.
 */
export const transition = (
  node: { provision_state: ProvisionState; target_provision_state: string | null; uuid: string },
  event: ProvisionEvent,
  options: { target?: string } = {},
) => {
  const next = nextState(node.provision_state, event);
  if (!next) throw Invalid(`Event ${event} does not fit node ${node.uuid} in state ${node.provision_state}.`);
  const keeps = event === 'wait' || event === 'resume' || event === 'unhold' || isFailure(next);
  const target = options.target ?? (keeps ? node.target_provision_state : (targets[next] ?? null));
  return { provision_state: next, target_provision_state: target };
};

/** `target` is the state that is headed for, where it is not the default of the state that follows. */
type VerbRow = { event: ProvisionEvent; workflow?: string; since?: number; target?: string };

/** What a client may ask for in PUT states/provision. `workflow` is started; a verb without one only changes state. */
export const verbs = {
  active: { event: 'deploy', workflow: 'deploy' },
  deploy: { event: 'deploy', workflow: 'deploy', since: 73 },
  rebuild: { event: 'rebuild', workflow: 'deploy' },
  deleted: { event: 'delete', workflow: 'undeploy' },
  undeploy: { event: 'delete', workflow: 'undeploy', since: 73 },
  manage: { event: 'manage', workflow: 'verify', since: 4 },
  provide: { event: 'provide', workflow: 'clean', since: 4 },
  inspect: { event: 'inspect', workflow: 'inspect', since: 6 },
  abort: { event: 'abort', since: 13 },
  clean: { event: 'clean', workflow: 'clean', since: 15, target: 'manageable' },
  adopt: { event: 'adopt', workflow: 'adopt', since: 17 },
  rescue: { event: 'rescue', workflow: 'rescue', since: 38 },
  unrescue: { event: 'unrescue', workflow: 'unrescue', since: 38 },
  unhold: { event: 'unhold', since: 85 },
  service: { event: 'service', workflow: 'service', since: 87 },
} as const satisfies Record<string, VerbRow>;

export type Verb = keyof typeof verbs;

/** Ironic's answer to a verb that does not fit: 409 while the node is locked, else 400. */
export const refuseVerb = (node: { uuid: string; provision_state: string; reservation: string | null }, verb: string) =>
  node.reservation
    ? NodeLocked(node.uuid, node.reservation)
    : Invalid(
        `The requested action "${verb}" can not be performed on node "${node.uuid}" while it is in state "${node.provision_state}".`,
      );

/** States in which a workflow owns the node; sync looks for nodes that are in one of them without an execution. */
export const transientStates = provisionStates.filter((state) => /ing$|wait$|call-back$/.test(state));

/** States in which a locked-out operation waits for the agent; the lock is free in them. */
export const waitStates = ['wait call-back', 'clean wait', 'inspect wait', 'rescue wait', 'service wait'] as const;
