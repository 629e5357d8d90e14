/**
 * How a run fails: what the node looks like afterwards and what `last_error` says. Used by the Fail phase, and by
 * `sync` for executions that ended without it.
 */
import { Fault, NodeLocked } from '../layers/domain/fault.ts';
import { transition } from '../layers/domain/states.ts';
import { bmcFaults } from '../layers/bmc/faults.ts';
import { changeNode, type StoredNode } from '../layers/store/nodes.ts';
import type { Ports } from '../layers/store/ports.ts';
import { powerRequestKey } from '../layers/store/power-requests.ts';
import { Superseded } from '../layers/store/reservation.ts';
import { plainText, poweredOff, without } from './agent.ts';
import { runFailed, transitionEvents } from './history.ts';
import { releaseInstance } from './instance.ts';
import type { WorkflowName } from './steps/index.ts';
import { waitKey } from './wait.ts';

/** What went wrong where. `error` is a fault's name, `message` its text; neither holds a secret. */
export type Failure = { readonly phase: string; readonly error: string; readonly message: string };

type Row = {
  readonly what: string;
  /** What an operator does once the cause is gone. */
  readonly next: string;
  readonly change: (node: StoredNode, lastError: string) => Partial<StoredNode>;
};

const isFailureState = ({ provision_state }: StoredNode) =>
  provision_state === 'error' || provision_state.endsWith(' failed');

const failed = (node: StoredNode) => transition(node, 'fail');

/** Ironic takes a node out of service when cleaning broke off in the middle of a step: what is left is unknown. */
const cleanFailed = (node: StoredNode, lastError: string): Partial<StoredNode> => ({
  ...failed(node),
  ...(Object.keys(node.clean_step).length > 0 && {
    maintenance: true,
    fault: 'clean failure',
    maintenance_reason: lastError,
  }),
  clean_step: {},
  driver_internal_info: without(node.driver_internal_info, ['clean_step_index', 'clean_steps', 'cleaning_reboot']),
});

const rows: { readonly [W in WorkflowName]: Row } = {
  verify: {
    what: 'Verifying',
    next: 'Then set the provision state to manage again.',
    change: failed,
  },
  clean: {
    what: 'Cleaning',
    next: 'Then unset maintenance if it is set, and manage and provide the node again.',
    change: cleanFailed,
  },
  deploy: {
    what: 'Deploy',
    next: 'Then set the provision state to active to try again, or to deleted to give the machine back.',
    change: (node) => ({
      ...failed(node),
      deploy_step: {},
      driver_internal_info: without(node.driver_internal_info, ['deploy_steps', 'deploy_step_index']),
    }),
  },
  undeploy: {
    what: 'Undeploy',
    next: 'The data of the instance are removed. Then set the provision state to deleted again to clean the machine.',
    change: (node) => ({ ...failed(node), ...releaseInstance(node) }),
  },
  power: {
    what: 'Power action',
    next: 'Then ask for the power state again.',
    // What brought a node into a failure state is worth more than a power action that failed later.
    change: (node, message) => ({
      target_power_state: null,
      last_error: isFailureState(node) ? (node.last_error ?? message) : message,
    }),
  },
};

const sentence = (text: string) => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const silence = 'Timeout reached while waiting for callback of the deploy agent';

/** Names that come from the workflow engine and not from a fault with a text of its own. */
const reasons: { readonly [error: string]: string } = {
  'States.Timeout': `${silence}, which has called before and then fell silent in the middle of its work. Look at the console of the machine: it has to run the ramdisk still, and its agent has to reach the address of this API.`,
  'Sandbox.Timedout': 'The function that runs the phases did not end in time, several times.',
  'Lambda.TooManyRequestsException': 'The function that runs the phases could not be called for too long.',
};

const neverCalled = `${silence}, also after the machine was booted once more. Look at the console of the machine: it has to boot driver_info.deploy_iso, and its agent has to reach the address of this API.`;

const attempts = (error: string) =>
  bmcFaults[error as keyof typeof bmcFaults] === 'retry' ? ' (tried repeatedly)' : '';

/** `last_error`: which phase, what happened, what to do. */
export const lastError = (workflow: WorkflowName, { phase, error, message }: Failure): string => {
  const { what, next } = rows[workflow];
  const known = phase === 'WaitForAgent' && error === 'States.Timeout' ? neverCalled : reasons[error];
  const reason = known ?? (plainText(message) || error);
  return `${what} failed in ${phase}${attempts(error)}: ${sentence(reason)} ${next}`;
};

/** Whether the run holds or owns the node. Power runs hold the lock only; the others own the provisioning. */
export const owns = (node: StoredNode, workflow: WorkflowName, run: string): boolean =>
  workflow === 'power' ? node.reservation === run : node.run === run;

/** Throws Superseded if the node is another run's, NodeLocked while somebody else works on it. */
const requireOwner = (node: StoredNode, workflow: WorkflowName, run: string): void => {
  if (!owns(node, workflow, run)) throw Superseded(node, run);
  if (node.reservation !== null && node.reservation !== run) throw NodeLocked(node.uuid, node.reservation);
};

/**
 * Takes the lock back so that the machine can be switched off before the run ends; the state does not change.
 * Throws Superseded, NodeLocked.
 */
export const lockToFail = async (
  ports: Pick<Ports, 'table' | 'clock' | 'ids'>,
  uuid: string,
  workflow: WorkflowName,
  run: string,
): Promise<StoredNode> =>
  changeNode(ports, uuid, (node) => {
    requireOwner(node, workflow, run);
    if (node.reservation === run) return undefined;
    return { set: { reservation: run, generation: node.generation + 1 } };
  });

export type Failing = {
  readonly uuid: string;
  readonly workflow: WorkflowName;
  readonly run: string;
  readonly failure: Failure;
  /** The machine was switched off; its agent is gone. */
  readonly off?: boolean;
};

/**
 * Ends the run as failed: failure state, `last_error`, event, lock and ownership gone, in one write.
 * Throws Superseded, NodeLocked.
 */
export const failNode = async (
  ports: Pick<Ports, 'table' | 'clock' | 'ids'>,
  { uuid, workflow, run, failure, off = false }: Failing,
): Promise<StoredNode> => {
  const row = rows[workflow];
  const message = lastError(workflow, failure);
  return changeNode(ports, uuid, (before) => {
    requireOwner(before, workflow, run);
    const node = off ? { ...before, ...poweredOff(before) } : before;
    const set: Partial<StoredNode> = {
      ...(off && poweredOff(before)),
      last_error: message,
      ...row.change(node, message),
      ...(workflow !== 'power' && { run: null, run_workflow: null }),
      reservation: null,
      phase: null,
    };
    return {
      set,
      events: [runFailed({ workflow, run, phase: failure.phase }, message), ...transitionEvents(before, set, run)],
      also: [{ delete: workflow === 'power' ? powerRequestKey(uuid) : waitKey(uuid) }],
    };
  });
};

/** The failure that the engine hands to the Fail phase: Catch's Error and Cause, the latter JSON if a function threw. */
export const failureOf = (phase: string, error: string, cause: string | undefined): Failure => {
  try {
    const { errorMessage } = JSON.parse(cause ?? '') as { errorMessage?: unknown };
    return { phase, error, message: typeof errorMessage === 'string' ? errorMessage : error };
  } catch {
    return { phase, error, message: cause ?? error };
  }
};

/** A phase that hardware did not finish within its limit. */
export const PhaseTimeout = (seconds: number, reason: string) =>
  new Fault('PhaseTimeout', 504, `The machine has not done within ${seconds} seconds what it was asked: ${reason}`);
