/** The verb inspect. */
import { forget } from '../../layers/domain/notes.ts';
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const inspect: NodeWorkflow = {
  owner: 'node',
  doc: 'inspect: what the machine consists of, by its BMC or by the agent.',
  takes: 'node',
  event_type: 'introspection',
  what: 'Inspection',
  next: 'Then set the provision state to inspect again, or to manage to go on without it.',
  unheard:
    'Look at the console of the machine: it has to boot driver_info.deploy_iso, whose kernel needs boot_method=vmedia. Without that medium (driver_info.config_via_removable false) it needs ipa-inspection-callback-url, the address of this API followed by /v1/continue_inspection, and a node without ports is recognised by the IP address in driver_info.redfish_address.',
  failed: (node) => ({ ...failed(node), ...forget(node, 'inspection') }),
  leavesRamdisk: ({ inspect_interface: way }) => (way === 'agent' ? 'off' : undefined),
  leftovers: [waitKey],
  phases: async () => import('./phases.ts'),
};
