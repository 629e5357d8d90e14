/** PUT states/power. */
import { isFailed } from '../../layers/domain/baremetal/states.ts';
import { cutText } from '../../layers/domain/foreign-text.ts';
import { powerRequestKey, powerRequestOf } from '../../layers/store/power-requests.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { keepFirst } from '../owners/node/failure.ts';
import type { NodeWorkflow } from '../owners/node/workflow.ts';

/** By what an abort says in `last_error` (functions/baremetal-api/node/abort.ts), where Metal3 looks for it too. */
const wasAborted = ({ last_error: error }: StoredNode) => error?.includes('aborted by request') ?? false;

/** The ramdisk of an aborted rescue still runs and lets people in: somebody has to look. */
const rescueAbortFailed = (node: StoredNode, message: string): Partial<StoredNode> =>
  node.provision_state === 'rescue failed' && wasAborted(node)
    ? { maintenance: true, fault: 'rescue abort failure', maintenance_reason: message }
    : {};

const what = 'Power action';

/** An abort that was not carried out to its end says so beside its own words, once. */
const told = (node: StoredNode, message: string): string =>
  isFailed(node) && wasAborted(node) && !node.last_error!.includes(what)
    ? cutText(`${node.last_error} ${message}`)
    : keepFirst(node, message);

export const power: NodeWorkflow = {
  owner: 'node',
  doc: 'Power actions.',
  takes: 'lock',
  asked: async (table, uuid, run) => {
    const input = powerRequestOf(await table.get(powerRequestKey(uuid)), run);
    return input && { input };
  },
  event_type: 'conductor',
  what,
  next: 'Then ask for the power state again.',
  failed: (node, message) => ({
    target_power_state: null,
    last_error: told(node, message),
    ...rescueAbortFailed(node, message),
  }),
  leftovers: [powerRequestKey],
  phases: async () => import('./phases.ts'),
};
