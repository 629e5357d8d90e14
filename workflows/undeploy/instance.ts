/** What undeploy takes away from a node (ironic-states.md 6). */
import type { StoredNode } from '../../layers/store/nodes.ts';
import { without } from '../owners/node/agent.ts';
import { forgetSteps } from '../owners/node/plan.ts';

const ofTheInstance = [
  'image_source',
  'instance',
  'root_uuid_or_disk_id',
  'is_whole_disk_image',
  'is_source_a_path',
  'deploy_boot_mode',
  'automatic_lessee',
] as const;

/** Everything of the instance goes in one write, also when a later phase fails. Owner, name, traits and extra stay. */
export const releaseInstance = (node: StoredNode): Partial<StoredNode> => {
  const forgotten = forgetSteps(node);
  return {
    ...forgotten,
    instance_info: {},
    instance_uuid: null,
    instance_name: null,
    allocation_uuid: null,
    // A lessee that somebody set by hand is theirs.
    lessee: node.driver_internal_info['automatic_lessee'] ? null : node.lessee,
    driver_internal_info: without(forgotten.driver_internal_info ?? {}, ofTheInstance),
  };
};
