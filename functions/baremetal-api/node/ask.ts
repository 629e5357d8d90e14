/**
 * How handlers ask a machine. The API may not reach hardware, so it asks functions/workflow and waits (ADR 10); what
 * takes longer than a client can wait becomes a run of the workflow `management`.
 */
import { isFailed } from '../../../layers/domain/baremetal/states.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { managementRequestWrite, type ManagementRequest } from '../../../layers/store/management-requests.ts';
import { lock } from '../../../layers/store/reservation.ts';
import type {
  RequestAnswer,
  RequestCall,
  RequestName,
  RequestParams,
  RequestReply,
} from '../../../workflows/management/requests.ts';
import type { Call, Deps } from '../route.ts';
import { startRun } from '../../../workflows/run/start.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';

export type Asking = Pick<Call<unknown, StoredNode>, 'target' | 'subject'>;

/** API Gateway waits for 29 seconds; the wait for a lock, cold starts and the writes around the request need some. */
const budget_ms = 20_000;

/**
 * Asks the machine and waits for what it says. Throws what it was refused with: NodeLocked (409), the faults of
 * layers/bmc/faults.ts (400, or 503 for what may go away by itself), Pending (503) when it takes too long.
 */
export const askMachine = async <N extends RequestName>(
  { functions }: Pick<Deps, 'functions'>,
  { target, subject: { user, project, roles } }: Asking,
  request: N,
  params: RequestParams<N>,
): Promise<RequestAnswer<N>> => {
  const asked: RequestCall<N> = { request, node: target.uuid, params, asked_by: { user, project, roles }, budget_ms };
  const reply = (await functions.invoke('workflow', asked)) as RequestReply<N>;
  if (reply.is === 'refusal') throw new Fault(reply.name, reply.code, reply.message);
  return reply.answer;
};

type Wish = {
  readonly request: ManagementRequest;
  /** For the history. */
  readonly told: string;
  /** Refuses by throwing, on the node as it is stored. */
  permit(node: StoredNode): void;
};

/**
 * Records the request with the lock and starts its run. An error that brought the node into a failure state stays.
 * Throws NodeLocked (409), and what `permit` throws.
 */
export const startManagement = async (deps: Deps, { target, subject }: Asking, wish: Wish): Promise<void> => {
  const { request, told, permit } = wish;
  const birth = deps.ids.ulid();
  const { after } = await changeRecord(deps, kinds.node, target.uuid, (node) => {
    permit(node);
    const held = lock(node, birth);
    const asked = { kind: 'request', severity: 'INFO', event_type: 'conductor', message: told } as const;
    return {
      set: { ...held, ...(!isFailed(node) && { last_error: null }) },
      events: [{ ...asked, run: held.reservation, ...askedBy(subject) }],
      also: [managementRequestWrite(node.uuid, held.reservation, request)],
    };
  });
  await startRun(deps, 'management', after.reservation!, { node: target.uuid, action: request.action });
};
