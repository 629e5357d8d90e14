/**
 * The provision state machine as one table (ironic-states.md 2). What a state is: `states.ts`; what clients ask for:
 * `verbs.ts`.
 */

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

/** The state that follows, or undefined if the event does not fit. */
export const nextState = (from: ProvisionState, event: string): ProvisionState | undefined =>
  (transitions[from] as Record<string, ProvisionState>)[event];
