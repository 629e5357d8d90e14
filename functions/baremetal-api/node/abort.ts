/** The verb `abort`: a node that waits for its agent is given up at once (ironic-states.md 7, 8). */
import { isFailed, stateOf, transition } from '../../../layers/domain/baremetal/states.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { forget } from '../../../layers/domain/notes.ts';
import { type PowerRequest, powerRequestWrite } from '../../../layers/store/power-requests.ts';
import { lock, own } from '../../../layers/store/reservation.ts';
import { nodeWorkflows } from '../../../workflows/index.ts';
import { forgetAgent } from '../../../workflows/owners/node/agent.ts';
import { forgetSteps, noSteps } from '../../../workflows/owners/node/plan.ts';
import type { NodeWorkflow } from '../../../workflows/owners/node/workflow.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

/** Throws Invalid (400) for a step that said it must not be cut short. */
const checkAbortable = (node: StoredNode): void => {
  for (const step of [node.clean_step, node.service_step, node.deploy_step]) {
    if (step['abortable'] === false) {
      throw Invalid(
        `Step ${step['step'] as string} of node ${node.uuid} must not be interrupted. Abort when it is over.`,
      );
    }
  }
};

const aborted = ({ provision_state: state }: StoredNode) => ({
  phase: null,
  last_error: `The operation was aborted by request while in state "${state}".`,
});

/**
 * A service ends where it began: a run without steps brings the machine back into its instance, for which it has to know
 * whether the ramdisk was booted. The node is in "service failed" until it is there.
 */
const abortService = (node: StoredNode, birth: string): Change<StoredNode> => ({
  set: {
    ...forgetAgent(node),
    ...noSteps,
    ...forget(node, 'plan', 'agent'),
    ...own(node, birth, 'service'),
    ...(!isFailed(node) && transition(node, 'abort')),
    ...aborted(node),
  },
});

/** What the power run is asked for that an abort begins; its media go with a ramdisk that was booted for what is aborted. */
export const powerOffAfter = (before: StoredNode): PowerRequest => {
  const row = nodeWorkflows[before.run_workflow as keyof typeof nodeWorkflows] as NodeWorkflow | undefined;
  const abandons = row?.leavesRamdisk?.(before) !== undefined;
  return { node: before.uuid, target: 'power off', timeout: null, ...(abandons && { abandons }) };
};

/**
 * Ends the run and leaves the node in the failure state. Nobody answers the agent any more, and nobody believes what it
 * left on the node. The machine still runs an agent that may be erasing a disk, so
 * the same write takes the lock for a power-off; the new generation fences off whatever the old run still sends. A
 * node that must not be powered off keeps its agent, which nobody answers any more. `birth` names what begins.
 * Throws NodeLocked (409), Invalid (400) for a step that said it must not be cut short.
 */
export const abortRun = (node: StoredNode, birth: string): Change<StoredNode> => {
  checkAbortable(node);
  if (stateOf(node).workflow === 'service') return abortService(node, birth);
  const held = lock(node, birth);
  const powerOff = !node.disable_power_off;
  const request = powerOffAfter(node);
  return {
    set: {
      ...forgetSteps(node),
      ...transition(node, 'abort'),
      generation: held.generation,
      ...(powerOff && { reservation: held.reservation, target_power_state: 'power off' as const }),
      run: null,
      run_workflow: null,
      ...aborted(node),
    },
    also: powerOff ? [powerRequestWrite(held.reservation, request)] : [],
  };
};
