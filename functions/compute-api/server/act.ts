/**
 * How something is done with a server (layers/domain/compute/actions.ts has what): looked at and noted down in one write,
 * with the run that does it, which is started then.
 */
import { isBaremetal } from '../../../layers/baremetal-client/faults.ts';
import { type ActionName, actions, type Asked, checkAction, wordOf } from '../../../layers/domain/compute/actions.ts';
import { Conflict } from '../../../layers/domain/fault.ts';
import { allows } from '../../../layers/domain/policy.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { Write } from '../../../layers/platform/table.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { type Changed, changeRecord } from '../../../layers/store/records/change.ts';
import { actionWrite } from '../../../layers/store/server-history.ts';
import { beginRun } from '../../../layers/store/servers.ts';
import { machinesFor } from '../cloud/machines.ts';
import type { Call, Deps } from '../route.ts';
import { putToWork } from './start.ts';

/** Names that history has for what it knows otherwise. */
const recorded: { readonly [N in ActionName]?: string } = {
  force_delete: 'delete',
  reboot_soft: 'reboot',
  reboot_hard: 'reboot',
};

/** What an action brings along besides its run. */
export type Along = { readonly set?: Partial<StoredServer>; readonly also?: readonly Write[] };

/**
 * Throws Conflict (409) for what a machine that was moved in with the server does not do before its takeover. A run would be
 * refused by the node as well, and leave a server in error of which nothing is wrong.
 */
const requireTakenOver = async (deps: Deps, { target, request_id }: Asking, action: ActionName): Promise<void> => {
  const { uuid, node_uuid: node, tried } = target;
  // What was built here has nothing to be taken over.
  if (!actions[action].effect || node === null || tried.includes(node)) return;
  const waits = await machinesFor(deps, { request_id })
    .awaitsTakeover(node)
    .catch((error: unknown) => {
      if (isBaremetal(error, 'BaremetalNotFound')) return false;
      throw error;
    });
  if (!waits) return;
  throw Conflict(
    `Cannot '${wordOf(action)}' instance ${uuid} while it is being moved here: nothing is done to its machine yet. Try again later.`,
  );
};

type Asking = Pick<Call<unknown, StoredServer>, 'target' | 'subject' | 'request_id'>;
type Make = (server: StoredServer) => Along | Promise<Along>;

/** Whether a run that is there already does what is asked. */
const isDoneAnyway = ({ workflow, joins, over }: (typeof actions)[ActionName], server: StoredServer): boolean =>
  server.run !== null && server.run_workflow === workflow && (joins === true || over === 'any');

/**
 * Notes down what was asked of the server of the call, with its run, which is not started yet. `make` says what becomes of it besides, and refuses by throwing; it
 * may be asked several times. Throws Conflict (409) if that cannot be done with the server as it is, or not yet.
 */
export const note = async (
  deps: Deps,
  { target, subject, request_id }: Asking,
  asked: Asked,
  make: Make = () => ({}),
): Promise<Changed<StoredServer>> => {
  const { action } = asked;
  await requireTakenOver(deps, { target, subject, request_id }, action);
  const row = actions[action];
  const isAdmin = allows('os_compute_api:os-lock-server:unlock:unlock_override', subject);
  const birth = deps.ids.ulid();
  const begun = (server: StoredServer): Partial<StoredServer> => {
    if (!row.workflow || isDoneAnyway(row, server)) return {};
    return beginRun(server, { workflow: row.workflow, birth, request_id, asked, task_state: row.task_state });
  };
  return changeRecord(deps, computeKinds.server, target.uuid, async (server) => {
    checkAction(action, server, isAdmin);
    const { set: more, also = [] } = await make(server);
    const set = { ...begun(server), ...more };
    const run = row.workflow ? (set.run ?? server.run) : null;
    const at = isoTime(deps.clock.now());
    const line = actionWrite(server.uuid, { request_id, subject }, { action: recorded[action] ?? action, run, at });
    return { set, also: [line, ...also] };
  });
};

/** The same, and starts the run. */
export const act = async (deps: Deps, call: Asking, asked: Asked, make?: Make): Promise<Changed<StoredServer>> => {
  const changed = await note(deps, call, asked, make);
  await putToWork(deps, changed, `Server ${call.target.uuid} was asked for ${asked.action}.`);
  return changed;
};
