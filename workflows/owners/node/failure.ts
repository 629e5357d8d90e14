/** What a node looks like whose run has failed, and what its `last_error` says. */
import { bmcFaults } from '../../../layers/bmc/faults.ts';
import { cutText, maxReason, plainText, sentence } from '../../../layers/domain/foreign-text.ts';
import { forget } from '../../../layers/domain/notes.ts';
import { isFailed, transition } from '../../../layers/domain/baremetal/states.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Failure } from '../../run/failure.ts';
import { noSteps } from './plan.ts';
import type { NodeWorkflow } from './workflow.ts';

/** The failure state that its state has. */
export const failed = (node: StoredNode): Partial<StoredNode> => transition(node, 'fail');

/** What brought a node into a failure state is worth more than an action that failed later. */
export const keepFirst = (node: StoredNode, message: string): string =>
  isFailed(node) ? (node.last_error ?? message) : message;

/** No step is in progress any more, and nobody goes on with what the ramdisk was booted for. */
export const givenUp = (node: StoredNode): Partial<StoredNode> => ({ ...noSteps, ...forget(node, 'work') });

/** Ironic takes a node out of service when its work broke off in the middle of a step: what is left is unknown. */
export const outOfService = (
  step: object,
  fault: 'clean failure' | 'service failure',
  lastError: string,
): Partial<StoredNode> =>
  Object.keys(step).length > 0 ? { maintenance: true, fault, maintenance_reason: lastError } : {};

const silence = 'Timeout reached while waiting for callback of the deploy agent';

/** Names that come from the workflow engine and not from a fault with a text of its own. */
const reasons: { readonly [error: string]: string } = {
  'States.Timeout': `${silence}, which has called before and then fell silent in the middle of its work. Look at the console of the machine: it has to run the ramdisk still, and its agent has to reach the address of this API.`,
  'Sandbox.Timedout': 'The function that runs the phases did not end in time, several times.',
  'Lambda.TooManyRequestsException': 'The function that runs the phases could not be called for too long.',
};

const unheard =
  'Look at the console of the machine: it has to boot driver_info.deploy_iso, whose kernel needs boot_method=vmedia (or set driver_info.config_via_removable to false), and its agent has to reach the address of this API from agent_networks.';
const neverCalled = (row: Pick<NodeWorkflow, 'unheard'>): string =>
  `${silence}, also after the machine was booted once more. ${row.unheard ?? unheard}`;

const attempts = (error: string) =>
  bmcFaults[error as keyof typeof bmcFaults] === 'retry' ? ' (tried repeatedly)' : '';

/** Characters of what failed after the failure itself. */
const maxBesides = 300;

/**
 * `last_error`: which phase, what happened, what could not be done about the machine afterwards, what to do; at most
 * 4 KB, however much a machine says.
 */
export const lastError = (
  row: Pick<NodeWorkflow, 'what' | 'next' | 'unheard'>,
  { phase, error, message }: Failure,
  besides: readonly string[] = [],
): string => {
  const known = phase === 'WaitForAgent' && error === 'States.Timeout' ? neverCalled(row) : reasons[error];
  const room = maxReason - besides.length * maxBesides;
  const reason = known ?? (plainText(message, room) || error);
  const more = besides.map((text) => ` ${sentence(plainText(text, maxBesides))}`).join('');
  return cutText(`${row.what} failed in ${phase}${attempts(error)}: ${sentence(reason)}${more} ${row.next}`);
};
