/** The verb rescue. */
import { rescuePasswordKey } from '../../layers/store/rescue-passwords.ts';
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const rescue: NodeWorkflow = {
  owner: 'node',
  doc: 'rescue: boots the rescue ramdisk.',
  takes: 'node',
  event_type: 'rescue',
  what: 'Rescue',
  next: 'Then set the provision state to rescue to try again, or to unrescue to go back to the instance.',
  unheard:
    'Look at the console of the machine: it has to boot driver_info.rescue_iso (or deploy_iso), whose kernel needs boot_method=vmedia (or set driver_info.config_via_removable to false), and its agent has to reach the address of this API from agent_networks.',
  failed,
  leavesRamdisk: () => 'off',
  leftovers: [waitKey, rescuePasswordKey],
  phases: async () => import('./phases.ts'),
};
