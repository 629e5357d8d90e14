/**
 * How a run fails: what the node looks like afterwards and what `last_error` says. Used by the Fail phase, and by
 * `sync` for executions that ended without it.
 */
import { isFailed, transition } from '../layers/domain/baremetal/states.ts';
import { Fault, NodeLocked } from '../layers/domain/fault.ts';
import { cutText } from '../layers/domain/foreign-text.ts';
import { forget } from '../layers/domain/notes.ts';
import { bmcFaults } from '../layers/bmc/faults.ts';
import { changeNode, type StoredNode } from '../layers/store/nodes.ts';
import type { Platform } from '../layers/platform/platform.ts';
import { managementRequestKey } from '../layers/store/management-requests.ts';
import { powerRequestKey } from '../layers/store/power-requests.ts';
import { rescuePasswordKey } from '../layers/store/rescue-passwords.ts';
import { onlyLocks, Superseded } from '../layers/store/reservation.ts';
import { forgetAgent, leftRamdisk, plainText } from './agent.ts';
import { runFailed, transitionEvents } from './history.ts';
import { releaseInstance } from './instance.ts';
import { noSteps } from './plan.ts';
import type { WorkflowName } from './names.ts';
import { waitKey } from './wait.ts';

/** What went wrong where. `error` is a fault's name, `message` its text; neither holds a secret. */
export type Failure = { readonly phase: string; readonly error: string; readonly message: string };

type Row = {
  readonly what: string;
  /** What an operator does once the cause is gone. */
  readonly next: string;
  /** What to look at when the agent never called; without it, what a deploy needs. */
  readonly unheard?: string;
  readonly change: (node: StoredNode, lastError: string) => Partial<StoredNode>;
};

/** By what an abort says in `last_error` (functions/baremetal-api/node/abort.ts), where Metal3 looks for it too. */
const wasAborted = ({ last_error: error }: StoredNode) => error?.includes('aborted by request') ?? false;

/** What brought a node into a failure state is worth more than an action that failed later. */
const keepFirst = (node: StoredNode, message: string) => (isFailed(node) ? (node.last_error ?? message) : message);

const failed = (node: StoredNode) => transition(node, 'fail');

/** No step is in progress any more, and nobody goes on with what the ramdisk was booted for. */
const givenUp = (node: StoredNode): Partial<StoredNode> => ({ ...noSteps, ...forget(node, 'work') });

/** Ironic takes a node out of service when its work broke off in the middle of a step: what is left is unknown. */
const outOfService = (
  step: object,
  fault: 'clean failure' | 'service failure',
  lastError: string,
): Partial<StoredNode> =>
  Object.keys(step).length > 0 ? { maintenance: true, fault, maintenance_reason: lastError } : {};

const cleanFailed = (node: StoredNode, lastError: string): Partial<StoredNode> => ({
  ...failed(node),
  ...outOfService(node.clean_step, 'clean failure', lastError),
  ...givenUp(node),
});

/**
 * A service that was aborted is in its failure state already when the way back into the instance fails. Its work is not
 * over: who tries it again, or aborts it, brings the machine back, and has to know whether the ramdisk was booted.
 */
const serviceFailed = (node: StoredNode, lastError: string): Partial<StoredNode> => ({
  ...(!isFailed(node) && failed(node)),
  ...outOfService(node.service_step, 'service failure', lastError),
  ...noSteps,
  ...forgetAgent(node),
  ...forget(node, 'plan', 'agent'),
});

/** The ramdisk of an aborted rescue still runs and lets people in: somebody has to look. */
const rescueAbortFailed = (node: StoredNode, message: string): Partial<StoredNode> =>
  node.provision_state === 'rescue failed' && wasAborted(node)
    ? { maintenance: true, fault: 'rescue abort failure', maintenance_reason: message }
    : {};

const rows: { readonly [W in WorkflowName]: Row } = {
  verify: {
    what: 'Verifying',
    next: 'Then set the provision state to manage again.',
    change: failed,
  },
  clean: {
    what: 'Cleaning',
    next: 'Then unset maintenance if it is set, manage the node, and clean or provide it again.',
    change: cleanFailed,
  },
  deploy: {
    what: 'Deploy',
    next: 'Then set the provision state to active to try again, or to deleted to give the machine back.',
    change: (node) => ({ ...failed(node), ...givenUp(node) }),
  },
  service: {
    what: 'Service',
    next: 'Then unset maintenance if it is set, and set the provision state to service to try again, or to abort to go back to the instance.',
    change: serviceFailed,
  },
  undeploy: {
    what: 'Undeploy',
    next: 'The data of the instance are removed. Then set the provision state to deleted again to clean the machine.',
    change: (node) => ({ ...failed(node), ...releaseInstance(node) }),
  },
  inspect: {
    what: 'Inspection',
    next: 'Then set the provision state to inspect again, or to manage to go on without it.',
    unheard:
      'Look at the console of the machine: it has to boot driver_info.deploy_iso, whose kernel needs boot_method=vmedia. Without that medium (driver_info.config_via_removable false) it needs ipa-inspection-callback-url, the address of this API followed by /v1/continue_inspection, and a node without ports is recognised by the IP address in driver_info.redfish_address.',
    change: (node) => ({ ...failed(node), ...forget(node, 'inspection') }),
  },
  adopt: {
    what: 'Adoption',
    next: 'Then set the provision state to adopt again, or to manage.',
    change: (node) => ({ ...failed(node), power_state: null }),
  },
  rescue: {
    what: 'Rescue',
    next: 'Then set the provision state to rescue to try again, or to unrescue to go back to the instance.',
    unheard:
      'Look at the console of the machine: it has to boot driver_info.rescue_iso (or deploy_iso), whose kernel needs boot_method=vmedia (or set driver_info.config_via_removable to false), and its agent has to reach the address of this API from agent_networks.',
    change: failed,
  },
  unrescue: {
    what: 'Unrescue',
    next: 'Then set the provision state to unrescue again.',
    change: failed,
  },
  power: {
    what: 'Power action',
    next: 'Then ask for the power state again.',
    change: (node, message) => ({
      target_power_state: null,
      last_error: keepFirst(node, message),
      ...rescueAbortFailed(node, message),
    }),
  },
  management: {
    what: 'Management request',
    next: 'Then ask for it again.',
    change: (node, message) => ({ last_error: keepFirst(node, message) }),
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

const unheard =
  'Look at the console of the machine: it has to boot driver_info.deploy_iso, whose kernel needs boot_method=vmedia (or set driver_info.config_via_removable to false), and its agent has to reach the address of this API from agent_networks.';
const neverCalled = (row: Row) => `${silence}, also after the machine was booted once more. ${row.unheard ?? unheard}`;

const attempts = (error: string) =>
  bmcFaults[error as keyof typeof bmcFaults] === 'retry' ? ' (tried repeatedly)' : '';

/** `last_error`: which phase, what happened, what to do; at most 4 KB, however much a machine says. */
export const lastError = (workflow: WorkflowName, { phase, error, message }: Failure): string => {
  const { what, next } = rows[workflow];
  const known = phase === 'WaitForAgent' && error === 'States.Timeout' ? neverCalled(rows[workflow]) : reasons[error];
  const reason = known ?? (plainText(message) || error);
  return cutText(`${what} failed in ${phase}${attempts(error)}: ${sentence(reason)} ${next}`);
};

/** Whether the run holds or owns the node. */
export const owns = (node: StoredNode, workflow: WorkflowName, run: string): boolean =>
  onlyLocks(workflow) ? node.reservation === run : node.run === run;

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
  platform: Pick<Platform, 'table' | 'clock' | 'ids'>,
  uuid: string,
  workflow: WorkflowName,
  run: string,
): Promise<StoredNode> => {
  const { after } = await changeNode(platform, uuid, (node) => {
    requireOwner(node, workflow, run);
    if (node.reservation === run) return undefined;
    return { set: { reservation: run, generation: node.generation + 1 } };
  });
  return after;
};

/** The item that nobody has use for when the run is over. */
const leftover = (workflow: WorkflowName) =>
  workflow === 'power' ? powerRequestKey : workflow === 'management' ? managementRequestKey : waitKey;

export type Failing = {
  readonly uuid: string;
  readonly workflow: WorkflowName;
  readonly run: string;
  readonly failure: Failure;
  /** The machine was switched off, and the medium of its agent is removed. */
  readonly off?: boolean;
};

const switchedOff = (node: StoredNode): Partial<StoredNode> => ({
  ...leftRamdisk(node),
  ...forget(node, 'agent', 'medium'),
});

/**
 * Ends the run as failed: failure state, `last_error`, event, lock and ownership gone, in one write.
 * Throws Superseded, NodeLocked.
 */
export const failNode = async (
  platform: Pick<Platform, 'table' | 'clock' | 'ids'>,
  { uuid, workflow, run, failure, off = false }: Failing,
): Promise<StoredNode> => {
  const row = rows[workflow];
  const message = lastError(workflow, failure);
  const { after } = await changeNode(platform, uuid, (before) => {
    requireOwner(before, workflow, run);
    const gone = off ? switchedOff(before) : {};
    const node = { ...before, ...gone };
    const set: Partial<StoredNode> = {
      ...gone,
      last_error: message,
      ...row.change(node, message),
      ...(!onlyLocks(workflow) && { run: null, run_workflow: null }),
      reservation: null,
      phase: null,
    };
    return {
      set,
      events: [runFailed({ workflow, run, phase: failure.phase }, message), ...transitionEvents(before, set, run)],
      also: [
        { delete: leftover(workflow)(uuid) },
        ...(workflow === 'rescue' ? [{ delete: rescuePasswordKey(uuid) }] : []),
      ],
    };
  });
  return after;
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
