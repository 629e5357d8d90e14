/** The verb `abort`: a node that waits for its agent is given up at once (ironic-states.md 7, 8). */
import { Invalid, NotAcceptable } from '../../../layers/domain/fault.ts';
import { transition } from '../../../layers/domain/states.ts';
import type { Change, StoredNode } from '../../../layers/store/nodes.ts';
import { powerRequestWrite } from '../../../layers/store/power-requests.ts';
import { lock } from '../../../layers/store/reservation.ts';
import { forgetAgent, without } from '../../../workflows/agent.ts';

/** Microversions from which a waiting node may be aborted; other states could be since 1.13. */
const since: { readonly [state: string]: number } = { 'inspect wait': 41, 'wait call-back': 110 };

/** Throws NotAcceptable (406) where the request's version could not abort this state yet. */
export const checkAbortVersion = ({ provision_state: state }: StoredNode, version: number): void => {
  const needed = since[state] ?? 13;
  if (version < needed) {
    throw NotAcceptable(`Request not acceptable. abort in state "${state}" needs API version 1.${needed} or newer.`);
  }
};

const stepOf = ({ clean_step: clean, deploy_step: deploy }: StoredNode) =>
  Object.keys(clean).length > 0 ? clean : deploy;

/** Where the run had got to. */
const progress = ['clean_steps', 'clean_step_index', 'cleaning_reboot', 'deploy_steps', 'deploy_step_index'];

/** Nobody answers the agent any more, and nobody believes what it left on the node. */
const forgotten = (node: StoredNode): Partial<StoredNode> => {
  const agent = forgetAgent(node);
  return { ...agent, driver_internal_info: without(agent.driver_internal_info, progress) };
};

/**
 * Ends the run and leaves the node in the failure state. The machine still runs an agent that may be erasing a disk, so
 * the same write takes the lock for a power-off; the new generation fences off whatever the old run still sends. A
 * node that must not be powered off keeps its agent, which nobody answers any more.
 * Throws NodeLocked (409), Invalid (400) for a step that said it must not be cut short.
 */
export const abortRun = (node: StoredNode): Change => {
  const step = stepOf(node);
  if (step['abortable'] === false && node.provision_state.startsWith('clean')) {
    throw Invalid(`Step ${String(step['step'])} of node ${node.uuid} must not be interrupted. Abort when it is over.`);
  }
  const held = lock(node);
  const powerOff = !node.disable_power_off;
  const target = 'power off';
  return {
    set: {
      ...forgotten(node),
      ...transition(node, 'abort'),
      generation: held.generation,
      ...(powerOff && { reservation: held.reservation, target_power_state: target }),
      run: null,
      run_workflow: null,
      phase: null,
      clean_step: {},
      deploy_step: {},
      last_error: `The operation was aborted by request while in state "${node.provision_state}".`,
    },
    also: powerOff ? [powerRequestWrite(held.reservation!, { node: node.uuid, target, timeout: null })] : [],
  };
};
