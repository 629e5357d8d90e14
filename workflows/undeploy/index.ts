/** The verb deleted. */
import { removeConfigdrive } from '../../layers/store/configdrives.ts';
import { guestDocumentKey } from '../../layers/store/guest-documents.ts';
import { detachVifs } from '../../layers/store/vifs.ts';
import { failed } from '../owners/node/failure.ts';
import { waitKey } from '../owners/node/wait.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';
import { releaseInstance } from './instance.ts';

export const undeploy: NodeWorkflow = {
  owner: 'node',
  doc: 'deleted: gives the machine back, then hands over to clean.',
  takes: 'node',
  event_type: 'unprovision',
  what: 'Undeploy',
  next: 'The data of the instance are removed. Then set the provision state to deleted again to clean the machine.',
  failed: (node) => ({ ...failed(node), ...releaseInstance(node) }),
  discard: async (platform, node) => {
    await removeConfigdrive(platform, node);
    await platform.objects.remove(guestDocumentKey(node.uuid));
    await detachVifs(platform, node.uuid);
  },
  leftovers: [waitKey],
  successor: 'clean',
  phases: async () => import('./phases.ts'),
};
