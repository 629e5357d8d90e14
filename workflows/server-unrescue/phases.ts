/** server-unrescue: boots the machine of a server from its disk again. */
import { ownNode } from '../owners/server/build.ts';
import { done, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { arrive, waitWhile } from '../owners/server/transition.ts';

const unrescue: ServerPhase = {
  run: async (context) => {
    const { machines, server } = context;
    const node = await ownNode(context);
    await machines.provision(node.uuid, server.uuid, { target: 'unrescue' });
    return done();
  },
};

/** By the names of the states in server-unrescue.asl.json. */
export const phases: ServerPhases = {
  Unrescue: unrescue,
  WaitForUnrescue: waitWhile('unrescuing'),
  Unrescued: arrive('unrescuing', 'up'),
};
