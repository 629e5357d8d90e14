/** The end of a run as failed, for the Fail state and for executions that ended without it. */
import { plainText } from '../../../layers/domain/foreign-text.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Needs } from '../../../layers/store/records/change.ts';
import { endRun } from '../../../layers/store/servers.ts';
import { sentence, type Failure } from '../../run/failure.ts';
import { changeOwn } from './hold.ts';
import type { ServerRow } from './workflow.ts';

/** Which run of which server is to end. */
export type Failing = {
  readonly uuid: string;
  readonly run: string;
  readonly row: ServerRow;
  readonly failure: Failure;
};

/** For administrators: what failed where, why, and what to do. */
const detailsOf = ({ what, next }: ServerRow, { phase, error, message }: Failure): string =>
  `${what} failed in ${phase}: ${sentence(plainText(message).trim() || error)} ${next}`;

/**
 * The server's state and fault, and the run gone, in one write. What its machine still has of it goes when it is
 * deleted. Answers what administrators read. Throws Superseded.
 */
export const fail = async (needs: Needs, { uuid, run, row, failure }: Failing): Promise<string> => {
  const details = detailsOf(row, failure);
  await changeOwn(needs, { uuid, run }, (server: StoredServer) => {
    const message = row.fault(failure, server);
    const created = isoTime(needs.clock.now());
    return {
      set: { ...endRun(), ...row.failed(server), fault: { code: 500, created, message, details } },
      events: [
        { kind: 'error', severity: 'ERROR', event_type: row.event_type, run, phase: failure.phase, message, details },
      ],
      also: [{ delete: serverCompanions.wait.key(uuid) }],
    };
  });
  return details;
};
