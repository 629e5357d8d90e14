/**
 * server-power: switches the machine of a server on or off, restarts or interrupts it (nova-driver.md 7). Its guest is asked
 * first where the action says so; a machine that cannot be asked, and a guest that does not obey, is not asked again.
 */
import { isBaremetal } from '../../layers/baremetal-client/faults.ts';
import { powerTargets } from '../../layers/baremetal-client/power.ts';
import type { ShownNode } from '../../layers/baremetal-client/shown.ts';
import { actions, type PowerTarget } from '../../layers/domain/compute/actions.ts';
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { Fault } from '../../layers/domain/fault.ts';
import type { StoredServer } from '../../layers/store/kinds/compute.ts';
import { endRun } from '../../layers/store/servers.ts';
import { ownNode } from '../owners/server/build.ts';
import {
  answer,
  asSeen,
  done,
  type ServerContext,
  type ServerPhase,
  type ServerPhases,
} from '../owners/server/phase.ts';

const effectOf = ({ asked }: StoredServer) => (asked ? actions[asked.action].effect : undefined);

/** What is asked of the machine, in order: the last one is that which it always can. */
const targetsOf = (server: StoredServer): readonly PowerTarget[] => {
  const effect = effectOf(server);
  return effect && 'power' in effect ? effect.power : [];
};

/** Seconds that a guest has to shut down, as Nova gives it. */
const ending = (context: ServerContext) => context.settings.shutdownTimeout;

/** The run is over; what the server is, its node says. */
const over = (context: ServerContext, node: ShownNode) =>
  asSeen(context, (server) => ({ ...serverState(node, server), ...endRun() }));

const askAnswers = { is: ['asked', 'insist', 'over'] } as const;

const askGuest: ServerPhase<typeof askAnswers> = {
  answers: askAnswers,
  run: async (context) => {
    const { machines, server } = context;
    const node = await ownNode(context);
    const effect = effectOf(server);
    if (effect && 'management' in effect) {
      await machines.injectNmi(node.uuid);
      return answer({ is: 'over' }, over(context, node));
    }
    const [first, ...others] = targetsOf(server);
    if (first === undefined || others.length === 0) return answer({ is: 'insist' });
    try {
      await machines.setPower(node.uuid, { target: first, timeout: ending(context) });
      return answer({ is: 'asked' });
    } catch (error) {
      if (isBaremetal(error, 'BaremetalRefused')) return answer({ is: 'insist' });
      throw error;
    }
  },
};

/** Until the machine is not on its way any more. */
const waitForPower: ServerPhase = {
  awaits: 'power',
  run: async ({ machines, server }) => {
    const node = await machines.nodeOfInstance(server.uuid);
    return node && node.target_power_state !== null ? { is: 'wait' } : done();
  },
};

/** Whether what was asked for last was done: the node notes down what went wrong. */
const hasObeyed = ({ power_state: power, last_error: error }: ShownNode, target: PowerTarget): boolean =>
  error === null && power === powerTargets[target].becomes;

const obeyedAnswers = { is: ['over', 'underway', 'insist'] } as const;

const obeyed: ServerPhase<typeof obeyedAnswers> = {
  answers: obeyedAnswers,
  run: async (context) => {
    const node = await ownNode(context);
    if (node.target_power_state !== null) return answer({ is: 'underway' });
    const [first] = targetsOf(context.server);
    return first !== undefined && hasObeyed(node, first)
      ? answer({ is: 'over' }, over(context, node))
      : answer({ is: 'insist' });
  },
};

const switchPower: ServerPhase = {
  run: async (context) => {
    const { machines, server } = context;
    const node = await ownNode(context);
    const target = targetsOf(server).at(-1);
    // It was asked for just now, by this phase, whose answer was lost: not twice, for a restart would be one more.
    if (target !== undefined && node.target_power_state !== powerTargets[target].becomes)
      await machines.setPower(node.uuid, { target });
    return done();
  },
};

const PowerFailed = ({ uuid, power_state: power, last_error: error }: ShownNode) =>
  new Fault('PowerFailed', 500, `Node ${uuid} is ${power ?? 'unknown'}: ${error ?? 'it says no more.'}`);

const switchedAnswers = { is: ['over', 'underway'] } as const;

/** Throws PowerFailed. */
const switched: ServerPhase<typeof switchedAnswers> = {
  answers: switchedAnswers,
  run: async (context) => {
    const node = await ownNode(context);
    if (node.target_power_state !== null) return answer({ is: 'underway' });
    const target = targetsOf(context.server).at(-1);
    if (target !== undefined && !hasObeyed(node, target)) throw PowerFailed(node);
    return answer({ is: 'over' }, over(context, node));
  },
};

/** By the names of the states in server-power.asl.json. */
export const phases: ServerPhases = {
  AskGuest: askGuest,
  WaitForGuest: waitForPower,
  Obeyed: obeyed,
  SwitchPower: switchPower,
  WaitForPower: waitForPower,
  Switched: switched,
};
