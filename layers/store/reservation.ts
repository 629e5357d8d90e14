/**
 * The lock of a node and the run that owns it (DESIGN.md 3.4). Pure decisions for `changeNode`.
 *
 * `reservation` on the wire is the name of the execution that holds the lock. In wait states Ironic's lock is free, so
 * it is null there while `run` still names the execution that will go on. A new run therefore can take over a waiting
 * node (`deleted`, `abort`); the superseded one notices when it wants the lock back and ends.
 */
import { NodeLocked } from '../domain/fault.ts';
import { isWaiting, transition } from '../domain/baremetal/states.ts';
import type { ProvisionEvent } from '../domain/baremetal/transitions.ts';
import type { StoredNode } from './nodes.ts';
import { runName, Superseded } from './runs.ts';

/** The run lost the node to a newer one. */
export const NodeLost = (node: StoredNode, run: string) =>
  Superseded(`Run ${run} no longer owns node ${node.uuid}, which belongs to ${node.run ?? 'no run'}.`);

/** Nothing is written for a run that has lost the lock. Throws Superseded. */
export const requireLock = (node: StoredNode, run: string): void => {
  if (node.reservation !== run) throw NodeLost(node, run);
};

/** Nothing is done for who asks for a node that somebody works on. Throws NodeLocked (409). */
export const refuseLocked = ({ uuid, reservation }: StoredNode): void => {
  if (reservation) throw NodeLocked(uuid, reservation);
};

type Held = Pick<StoredNode, 'generation'> & { readonly reservation: string };

/**
 * Takes the lock for a new execution that does not own the provisioning (power). `birth` is a fresh ULID, which the
 * caller draws once for all times that it decides. Throws NodeLocked (409).
 */
export const lock = (node: StoredNode, birth: string): Held => {
  refuseLocked(node);
  return { reservation: runName(node.uuid, birth), generation: node.generation + 1 };
};

/** Takes the lock for a new provisioning run of `workflow`, which owns the node from now on. Throws NodeLocked (409). */
export const own = (node: StoredNode, birth: string, workflow: string): Partial<StoredNode> => {
  const held = lock(node, birth);
  return { ...held, run: held.reservation, run_workflow: workflow };
};

/** Takes the lock for a new provisioning run of `workflow` and makes the transition. Throws NodeLocked, Invalid. */
export const begin = (
  node: StoredNode,
  birth: string,
  workflow: string,
  event: ProvisionEvent,
  options: { target?: string | undefined } = {},
): Partial<StoredNode> => ({ ...own(node, birth, workflow), ...transition(node, event, options) });

/** One run hands the node to its successor without ever letting the lock go (undeploy -> clean). */
export const handOver = (
  node: StoredNode,
  birth: string,
  workflow: string,
  event: ProvisionEvent,
  options: { target?: string | undefined } = {},
): Partial<StoredNode> => begin({ ...node, reservation: null }, birth, workflow, event, options);

/**
 * A node that was held goes on with a new run of `workflow`, which takes the lock with its first phase; until then the
 * node waits, as Ironic has it. Throws NodeLocked, Invalid.
 */
export const proceed = (
  node: StoredNode,
  birth: string,
  workflow: string,
  event: ProvisionEvent,
): Partial<StoredNode> => ({ ...begin(node, birth, workflow, event), reservation: null });

/**
 * What a phase of a run needs before it touches anything: the lock. A waiting node is taken back with a new
 * generation, which fences off whatever was sent before. Returns undefined when the run holds the lock already.
 * Throws Superseded when the node belongs to another run, NodeLocked when a power action is in between.
 */
export const resume = (node: StoredNode, run: string): Partial<StoredNode> | undefined => {
  if (node.reservation === run) return undefined;
  if (node.run !== run) throw NodeLost(node, run);
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
  return {
    reservation: run,
    generation: node.generation + 1,
    ...(isWaiting(node) && transition(node, 'resume')),
  };
};

/** Lets the lock go while the run waits for the agent. Transition `wait`; the run keeps the node. */
export const pause = (node: StoredNode): Partial<StoredNode> => ({ reservation: null, ...transition(node, 'wait') });

/** Ends the run: lock and ownership go in the write that makes the last transition. */
export const finish = (
  node: StoredNode,
  event: ProvisionEvent,
  options: { target?: string | undefined } = {},
): Partial<StoredNode> => ({
  reservation: null,
  run: null,
  run_workflow: null,
  ...transition(node, event, options),
});
