/** The end of a run as failed, for the Fail state and for executions that ended without it. */
import { plainText, sentence } from '../../../layers/domain/foreign-text.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { Invocation } from '../../../layers/platform/platform.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Needs } from '../../../layers/store/records/change.ts';
import { endRun } from '../../../layers/store/servers.ts';
import type { Failure } from '../../run/failure.ts';
import type { ServerCall } from './call.ts';
import { changeOwn } from './hold.ts';
import { type Deletion, isLost, planDeletion } from './lost.ts';
import { machinesFor } from './machines.ts';
import type { World } from './phase.ts';
import type { SeenNode, ServerRow } from './workflow.ts';

/** Which run of which server is to end. */
export type Failing = {
  readonly uuid: string;
  readonly run: string;
  readonly row: ServerRow;
  readonly failure: Failure;
  /** Looks at its node; undefined: whoever ends the run cannot. */
  readonly look: (() => Promise<SeenNode>) | undefined;
};

/** Looks at the node of a server. What is wrong with the Bare Metal API keeps no run from its end. */
export const lookFrom = (world: World, { uuid, run }: Pick<ServerCall, 'uuid' | 'run'>, invocation: Invocation) => {
  const machines = machinesFor(world, { request_id: run, instance: uuid }, invocation);
  return async (): Promise<SeenNode> => {
    try {
      return (await machines.nodeOfInstance(uuid)) ?? 'gone';
    } catch (error) {
      world.log.error('A run failed, and what its node is by now could not be seen.', { server: uuid, run, error });
      return 'unknown';
    }
  };
};

/** For administrators: what failed where, why, and what to do. */
const detailsOf = ({ what, next }: ServerRow, { phase, error, message }: Failure): string =>
  `${what} failed in ${phase}: ${sentence(plainText(message).trim() || error)} ${next}`;

/** Who deletes it would find the same once more, and fail at the same. */
const hasLost = (server: StoredServer, seen: SeenNode): boolean =>
  seen !== 'unknown' && server.run_workflow !== 'server-delete' && isLost(server, seen === 'gone' ? undefined : seen);

/** What was written, what administrators read, and the start of what follows from it. */
type Failed = { readonly server: StoredServer; readonly details: string; readonly deletion: Deletion };

/**
 * The server's state and fault, and the run gone, in one write. What its machine still has of it goes when it is
 * deleted; that begins in the same write if it has lost its node meanwhile, for nobody else was told. Throws Superseded.
 */
export const fail = async (needs: Needs, { uuid, run, row, failure, look }: Failing): Promise<Failed> => {
  const details = detailsOf(row, failure);
  const deletion = planDeletion(needs);
  const after = await changeOwn(needs, { uuid, run }, async (server: StoredServer) => {
    const message = row.fault(failure, server);
    const created = isoTime(needs.clock.now());
    const seen = (await look?.()) ?? 'unknown';
    return {
      set: {
        ...endRun(),
        ...row.failed(server, seen),
        fault: { code: 500, created, message, details },
        ...(hasLost(server, seen) && deletion.of(server)),
      },
      events: [
        { kind: 'error', severity: 'ERROR', event_type: row.event_type, run, phase: failure.phase, message, details },
      ],
      also: [{ delete: serverCompanions.wait.key(uuid) }],
    };
  });
  return { server: after, details, deletion };
};
