/** What undeploy takes away from a node (ironic-states.md 6). */
import { forget, note } from '../../layers/domain/notes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { forgetSteps } from '../owners/node/plan.ts';

/** Everything of the instance goes in one write, also when a later phase fails. Owner, name, traits and extra stay. */
export const releaseInstance = (node: StoredNode): Partial<StoredNode> => ({
  ...forgetSteps(node),
  ...forget(node, 'instance'),
  instance_info: {},
  instance_uuid: null,
  instance_name: null,
  allocation_uuid: null,
  vifs: null,
  // A lessee that somebody set by hand is theirs.
  lessee: note(node, 'automatic_lessee') ? null : node.lessee,
});
