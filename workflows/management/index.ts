/** Requests to hardware besides power; also those that a client waits for, which have no execution (requests.ts). */
import { managementRequestKey, readManagementRequest } from '../../layers/store/management-requests.ts';
import { keepFirst } from '../owners/node/failure.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

export const management: NodeWorkflow = {
  owner: 'node',
  doc: 'Boot mode, secure boot, virtual media.',
  takes: 'lock',
  asked: async (table, uuid, run) => {
    const request = await readManagementRequest(table, uuid, run);
    if (request?.action === 'direct') return { input: undefined, until: request.until };
    return request && { input: { node: uuid, action: request.action } };
  },
  event_type: 'conductor',
  what: 'Management request',
  next: 'Then ask for it again.',
  failed: (node, message) => ({ last_error: keepFirst(node, message) }),
  leftovers: [managementRequestKey],
  phases: async () => import('./phases.ts'),
};
