/** Bringing the machine of a server from one state to another and back (nova-driver.md 3, 8 and 9): phases of the runs that do. */
import type { ShownNode } from '../../../layers/baremetal-client/shown.ts';
import { stateOf } from '../../../layers/domain/baremetal/states.ts';
import type { ServerFate } from '../../../layers/domain/baremetal/states.ts';
import { serverState } from '../../../layers/domain/compute/server-states.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { endRun } from '../../../layers/store/servers.ts';
import { ownNode } from './build.ts';
import { answer, asSeen, done, type ServerContext, type ServerPhase } from './phase.ts';

/** Until the node is not on its way any more. */
export const waitWhile = (during: ServerFate): ServerPhase => ({
  awaits: 'provision',
  run: async ({ machines, server }) => {
    const node = await machines.nodeOfInstance(server.uuid);
    return node && stateOf(node).server === during ? { is: 'wait' } : done();
  },
});

const TransitionFailed = ({ uuid, provision_state: state, last_error: error }: ShownNode) =>
  new Fault('TransitionFailed', 500, `Node ${uuid} is ${state}: ${error ?? 'it says no more.'}`);

const answers = { is: ['there', 'underway'] } as const;

/**
 * Looks where the node has come, and ends the run if it is there; then its guest knows its password. `become`: what the
 * server is besides what its node says. The phase throws TransitionFailed, NodeLost.
 */
export const arrive = (
  during: ServerFate,
  at: ServerFate,
  become: (context: ServerContext) => Partial<StoredServer> = () => ({}),
): ServerPhase<typeof answers> => ({
  answers,
  run: async (context) => {
    const node = await ownNode(context);
    const { server: fate } = stateOf(node);
    if (fate === during) return answer({ is: 'underway' });
    if (fate !== at) throw TransitionFailed(node);
    return answer(
      { is: 'there' },
      asSeen(context, (server) => ({ ...serverState(node, server), ...become(context), ...endRun() })),
      { also: [{ delete: serverCompanions.admin_password.key(context.server.uuid) }] },
    );
  },
});

/** A deploy: a server begins as active, whatever its machine does after that. */
export const deployed = (become: (context: ServerContext) => Partial<StoredServer> = () => ({})) =>
  arrive('built', 'up', (context) => ({ vm_state: 'active', ...become(context) }));
