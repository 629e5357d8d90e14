/** server-interface: makes the network cards of a server's machine those that its record lists (nova-driver.md 10). */
import type { ServerInterface } from '../../layers/domain/compute/server-keeping.ts';
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { Conflict } from '../../layers/domain/fault.ts';
import type { StoredServer } from '../../layers/store/kinds/compute.ts';
import { endRun } from '../../layers/store/servers.ts';
import { ownNode, writeInfo } from '../owners/server/build.ts';
import { answer, asSeen, done, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { plugPorts, unplugPorts } from '../owners/server/ports.ts';

/** Those of a server that are in this state. */
const thatAre = ({ interfaces }: StoredServer, state: ServerInterface['state']): readonly ServerInterface[] =>
  interfaces.filter((one) => one.state === state);

const without =
  (gone: readonly ServerInterface[]) =>
  ({ interfaces }: StoredServer): Partial<StoredServer> => ({
    interfaces: interfaces.filter(({ port_id: port }) => !gone.some((one) => one.port_id === port)),
  });

/** More may have been asked for meanwhile, and what was plugged may be about to go. */
const merged =
  (plugged: readonly ServerInterface[]) =>
  ({ interfaces }: StoredServer): Partial<StoredServer> => ({
    interfaces: interfaces.map((one) => {
      const found = plugged.find(({ port_id: port }) => port === one.port_id);
      return found ? { ...found, state: one.state === 'leaving' ? 'leaving' : 'plugged' } : one;
    }),
  });

const plug: ServerPhase = {
  run: async (context) => {
    const { uuid: node } = await ownNode(context);
    return done(merged(await plugPorts(context, node, thatAre(context.server, 'asked'))));
  },
};

const unplug: ServerPhase = {
  run: async (context) => {
    const { uuid: node } = await ownNode(context);
    const leaving = thatAre(context.server, 'leaving');
    await unplugPorts(context, node, leaving);
    return done(without(leaving));
  },
};

const writeMetadata: ServerPhase = {
  run: async (context) => {
    await writeInfo(context);
    return done();
  },
};

const answers = { is: ['settled', 'again'] } as const;

const isSettled = ({ interfaces }: StoredServer): boolean => interfaces.every(({ state }) => state === 'plugged');

/** The run is over unless somebody has asked for more. */
const settle: ServerPhase<typeof answers> = {
  answers,
  run: async (context) => {
    if (!isSettled(context.server)) return answer({ is: 'again' });
    const node = await ownNode(context);
    return answer(
      { is: 'settled' },
      asSeen(context, (server) => {
        if (!isSettled(server)) throw Conflict(`Server ${server.uuid} was asked for more.`);
        return { ...serverState(node, server), ...endRun() };
      }),
    );
  },
};

/** What could not be plugged is taken back, and out of the list. */
const undo: ServerPhase = {
  run: async (context) => {
    const left = thatAre(context.server, 'asked');
    const node = await context.machines.nodeOfInstance(context.server.uuid);
    await unplugPorts(context, node?.uuid, left);
    return done(without(left));
  },
};

/** By the names of the states in server-interface.asl.json. */
export const phases: ServerPhases = {
  PlugPorts: plug,
  UnplugPorts: unplug,
  WriteMetadata: writeMetadata,
  Settle: settle,
  Undo: undo,
};
