/** Giving a machine back (nova-driver.md 5 and 6): phases of all runs that do. */
import { stateOf } from '../../../layers/domain/baremetal/states.ts';
import type { ShownNode } from '../../../layers/baremetal-client/shown.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { answer, asSeen, type ServerContext, type ServerPhase } from './phase.ts';
import { takeBackPorts, unplugAll } from './ports.ts';

const answers = { is: ['free', 'undeploys'] } as const;

/** What is done with a machine that is being cleaned is no business of who had it, whatever becomes of it. */
const nodeOf = async ({ machines, server }: ServerContext): Promise<ShownNode | undefined> => {
  const node = await machines.nodeOfInstance(server.uuid);
  return node && stateOf(node).server !== 'gone' ? node : undefined;
};

/**
 * Takes back the ports of a server that has no node any more, and answers the change of it. Who deletes it looks again if
 * a claim of the run that it took the place of came meanwhile.
 */
const freed = async (context: ServerContext) => {
  const change = await takeBackPorts(context);
  return context.server.run_workflow === 'server-delete' ? asSeen(context, change) : change;
};

/**
 * Undeploys the machine, or takes the server off one that it was never deployed to: VIFs, ports, instance_info and
 * instance_uuid, in this order. Which node it is says the Bare Metal API, not the record: a claim may have been answered
 * to nobody.
 */
export const giveBack: ServerPhase<typeof answers> = {
  answers,
  run: async (context) => {
    const { machines, server } = context;
    const node = await nodeOf(context);
    if (!node) return answer({ is: 'free' }, await freed(context));
    const asked = await machines.provision(node.uuid, server.uuid, { target: 'deleted' });
    if (asked === 'accepted') return answer({ is: 'undeploys' });
    await unplugAll(context, node.uuid);
    const back = await freed(context);
    await machines.release(node.uuid, server.uuid);
    return answer({ is: 'free' }, back);
  },
};

const UndeployFailed = ({ uuid, provision_state: state, last_error: error }: ShownNode) =>
  new Fault('UndeployFailed', 500, `Node ${uuid} was to be undeployed and is ${state}: ${error ?? 'it says no more.'}`);

/** Looks what became of it. Throws UndeployFailed. */
export const undeployed: ServerPhase<typeof answers> = {
  answers,
  run: async (context) => {
    const node = await nodeOf(context);
    if (!node) return answer({ is: 'free' }, await freed(context));
    if (stateOf(node).server === 'leaving') return answer({ is: 'undeploys' });
    throw UndeployFailed(node);
  },
};
