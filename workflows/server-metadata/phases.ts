/** server-metadata: tells the node of a server again what that is, after its addresses changed (nova-driver.md 10). */
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { openChange, settleChange } from '../../layers/store/address-changes.ts';
import { seePorts } from '../../layers/store/seen-ports.ts';
import { endRun } from '../../layers/store/servers.ts';
import { ownNode, writeInfo } from '../owners/server/build.ts';
import { asSeen, done, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';

/** A change that comes while it is told stays open, and is told next. */
const writeMetadata: ServerPhase = {
  run: async (context) => {
    const { platform, server } = context;
    const ports = server.interfaces.map(({ port_id: port }) => port);
    const changes = await Promise.all(ports.map(async (port) => openChange(platform.table, port)));
    const interfaces = await seePorts(platform.table, server.interfaces);
    const node = await ownNode(context);
    await writeInfo(context);
    for (const change of changes) if (change) await settleChange(platform.table, change);
    return done(asSeen(context, (now) => ({ interfaces, ...serverState(node, now), ...endRun() })));
  },
};

/** By the names of the states in server-metadata.asl.json. */
export const phases: ServerPhases = { WriteMetadata: writeMetadata };
