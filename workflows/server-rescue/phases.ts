/** server-rescue: boots the machine of a server into a rescue system, with the password that its tenant was told. */
import { ownNode } from '../owners/server/build.ts';
import { passwordOf } from '../owners/server/guest.ts';
import { done, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { arrive, waitWhile } from '../owners/server/transition.ts';
import { Fault } from '../../layers/domain/fault.ts';

const PasswordGone = (uuid: string) =>
  new Fault('PasswordGone', 500, `Server ${uuid} has no password to rescue it with.`);

const rescue: ServerPhase = {
  run: async (context) => {
    const { machines, server } = context;
    const rescue_password = await passwordOf(context);
    if (rescue_password === null) throw PasswordGone(server.uuid);
    const node = await ownNode(context);
    await machines.provision(node.uuid, server.uuid, { target: 'rescue', rescue_password });
    return done();
  },
};

/** By the names of the states in server-rescue.asl.json. */
export const phases: ServerPhases = {
  Rescue: rescue,
  WaitForRescue: waitWhile('rescuing'),
  Rescued: arrive('rescuing', 'rescued'),
};
