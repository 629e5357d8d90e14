/** The end of a run as failed, for the Fail state and for executions that ended without it. */
import { createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import { plainText } from '../../../layers/domain/foreign-text.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { Invocation } from '../../../layers/platform/platform.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Needs } from '../../../layers/store/records/change.ts';
import { endRun } from '../../../layers/store/servers.ts';
import { sentence, type Failure } from '../../run/failure.ts';
import type { ServerCall } from './call.ts';
import { changeOwn, reserve } from './hold.ts';
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
export const lookFrom = (
  world: World,
  { uuid, run }: Pick<ServerCall, 'uuid' | 'run'>,
  { remaining_ms }: Invocation,
) => {
  const { apis, clock, chance, log } = world;
  const until = clock.now() + Math.max(0, remaining_ms() - reserve);
  const machines = createBaremetalClient(
    { call: apis.baremetal, clock, chance },
    { request_id: run, instance: uuid, until },
  );
  return async (): Promise<SeenNode> => {
    try {
      return (await machines.nodeOfInstance(uuid)) ?? 'gone';
    } catch (error) {
      log.error('A run failed, and what its node is by now could not be seen.', { server: uuid, run, error });
      return 'unknown';
    }
  };
};

/** For administrators: what failed where, why, and what to do. */
const detailsOf = ({ what, next }: ServerRow, { phase, error, message }: Failure): string =>
  `${what} failed in ${phase}: ${sentence(plainText(message).trim() || error)} ${next}`;

/**
 * The server's state and fault, and the run gone, in one write. What its machine still has of it goes when it is
 * deleted. Answers what administrators read. Throws Superseded.
 */
export const fail = async (needs: Needs, { uuid, run, row, failure, look }: Failing): Promise<string> => {
  const details = detailsOf(row, failure);
  await changeOwn(needs, { uuid, run }, async (server: StoredServer) => {
    const message = row.fault(failure, server);
    const created = isoTime(needs.clock.now());
    return {
      set: {
        ...endRun(),
        ...row.failed(server, (await look?.()) ?? 'unknown'),
        fault: { code: 500, created, message, details },
      },
      events: [
        { kind: 'error', severity: 'ERROR', event_type: row.event_type, run, phase: failure.phase, message, details },
      ],
      also: [{ delete: serverCompanions.wait.key(uuid) }],
    };
  });
  return details;
};
