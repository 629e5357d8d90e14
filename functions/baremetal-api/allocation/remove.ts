/** The removal of an allocation, which frees its node; the same for both paths that lead to one. */
import { Conflict, NodeLocked } from '../../../layers/domain/fault.ts';
import { removeAllocation } from '../../../layers/store/allocations.ts';
import type { StoredAllocation } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { keepsInstance } from '../node/patch-rules.ts';
import type { Deps } from '../route.ts';

/** Throws Conflict (409) for a node with a running instance or in a transition, NodeLocked (409). */
const permit = (node: StoredNode): void => {
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
  if (keepsInstance(node)) {
    throw Conflict(
      `Node ${node.uuid} is in state "${node.provision_state}": undeploy it, which deletes its allocation, or set it into maintenance.`,
    );
  }
};

/** Throws NotFound (404), Conflict and NodeLocked (409). */
export const remove = async (deps: Deps, { uuid }: Pick<StoredAllocation, 'uuid'>): Promise<void> =>
  removeAllocation(deps, uuid, permit);
