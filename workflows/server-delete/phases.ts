/** server-delete: gives the machine of a server back, and then there is none (nova-driver.md 6). */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import { removeServer } from '../../layers/store/servers.ts';
import { requireRun } from '../owners/server/hold.ts';
import { answer, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { giveBack, undeployed } from '../owners/server/release.ts';
import { waitWhile } from '../owners/server/transition.ts';

const answers = { is: ['removed', 'again'] } as const;

/** A claim of the run that this one took the place of arrived late, and was noted down. */
const StillOnNode = (node: string) => new Fault('StillOnNode', 409, `Node ${node} has it again.`);

const remove: ServerPhase<typeof answers> = {
  answers,
  run: async ({ platform, server: { uuid }, run }) => {
    try {
      await removeServer(platform, uuid, (server) => {
        requireRun(server, { uuid, run });
        if (server.node_uuid !== null) throw StillOnNode(server.node_uuid);
      });
    } catch (error) {
      if (isFault(error) && error.name === 'StillOnNode') return answer({ is: 'again' });
      if (!isFault(error) || error.name !== 'NotFound') throw error;
    }
    return answer({ is: 'removed' }, undefined, { gone: true });
  },
};

/** By the names of the states in server-delete.asl.json. */
export const phases: ServerPhases = {
  GiveBack: giveBack,
  WaitForUndeploy: waitWhile('leaving'),
  Undeployed: undeployed,
  Remove: remove,
};
