/** server-rebuild: writes the image of a server to its machine anew, or another one (nova-driver.md 8). */
import { buildConfigdrive, configdriveFor, ownNode, validate, writeInfo } from '../owners/server/build.ts';
import { done, type ServerContext, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { deployed, waitWhile } from '../owners/server/transition.ts';

const keepsEphemeral = ({ server: { asked } }: ServerContext): boolean => asked?.values['preserve_ephemeral'] === true;

const writeMetadata: ServerPhase = {
  run: async (context) => {
    await writeInfo(context, { preserve_ephemeral: keepsEphemeral(context) });
    return done();
  },
};

/** Whether the node has been deployed since the phase began: its answer was lost, and the guest runs by now. */
const isDone = ({ server: { phase } }: ServerContext, at: string | null): boolean =>
  phase !== null && at !== null && Date.parse(at) > Date.parse(phase.started_at);

const rebuild: ServerPhase = {
  shows: 'rebuild_spawning',
  run: async (context) => {
    const { machines, server } = context;
    const node = await ownNode(context);
    if (node.provision_state === 'active' && isDone(context, node.provision_updated_at)) return done();
    const configdrive = await configdriveFor(context, node);
    await machines.provision(node.uuid, server.uuid, { target: 'rebuild', ...(configdrive && { configdrive }) });
    return done();
  },
};

/** By the names of the states in server-rebuild.asl.json. */
export const phases: ServerPhases = {
  WriteMetadata: writeMetadata,
  Validate: validate,
  BuildConfigdrive: buildConfigdrive,
  Rebuild: rebuild,
  WaitForDeploy: waitWhile('built'),
  Active: deployed(),
};
