/**
 * What was done with a server, as its tenant sees it (compute-api.md 7): an action for each request, and the events of its
 * run. They stand with the server and stay for a while when it is gone.
 */
import { stateChange } from '../domain/compute/server-line.ts';
import { cutText } from '../domain/foreign-text.ts';
import type { Subject } from '../domain/policy.ts';
import type { Ids } from '../platform/platform.ts';
import type { Table, Write } from '../platform/table.ts';
import { expiryOf, type NodeEvent } from './events.ts';
import { serverCompanions } from './kinds/companions.ts';
import type { StoredServer } from './kinds/compute.ts';

/** A request. `run` is the execution that does it; null: it was done at once. */
export type StoredAction = {
  readonly action: string;
  readonly user_id: string | null;
  readonly project_id: string | null;
  readonly start_time: string;
  readonly message: string | null;
  readonly run: string | null;
  readonly expires_at: number;
};

/** A line of the history of a server, with what that was then. */
export type StoredServerEvent = NodeEvent &
  Pick<StoredServer, 'vm_state' | 'task_state'> & { readonly created_at: string; readonly expires_at: number };

/** Characters of what the scheduler tells about nodes. */
const maxDetails = 32 * 1024;

/** The write of a line of the history, at a time (ISO 8601); its key sorts by time. */
export const serverLine = (
  { uuid, vm_state, task_state }: Pick<StoredServer, 'uuid' | 'vm_state' | 'task_state'>,
  event: NodeEvent,
  at: string,
  ids: Ids,
): Write => ({
  put: serverCompanions.event.item(uuid, ids.ulid(), {
    created_at: at,
    vm_state,
    task_state,
    ...event,
    message: cutText(event.message),
    ...(event.details !== undefined && { details: cutText(event.details, maxDetails) }),
    expires_at: expiryOf(at),
  }),
});

/** The change of its state as a line; undefined if it stayed. */
export const stateLine = (before: StoredServer, after: StoredServer): NodeEvent | undefined => {
  const message = stateChange(before, after);
  const run = after.run ?? before.run;
  if (message === undefined) return undefined;
  return { kind: 'transition', severity: 'INFO', event_type: 'transition', message, ...(run !== null && { run }) };
};

/** Who asked, by which request. */
export type Asking = { readonly request_id: string; readonly subject: Pick<Subject, 'user' | 'project'> };

/** The write that records a request, made at `at` (ISO 8601). */
export const actionWrite = (
  uuid: string,
  { request_id, subject: { user, project } }: Asking,
  { action, run, at }: { readonly action: string; readonly run: string | null; readonly at: string },
): Write => ({
  put: serverCompanions.action.item(uuid, request_id, {
    action,
    user_id: user,
    project_id: project,
    start_time: at,
    message: null,
    run,
    expires_at: expiryOf(at),
  }),
});

/** An action with the request that it is told under. */
export type Action = StoredAction & { readonly request_id: string };

/** All of a server (by UUID), the newest first. */
export const readActions = async (table: Table, uuid: string): Promise<Action[]> => {
  const items = await table.query(serverCompanions.action.all(uuid));
  return items
    .map((item) => ({ ...serverCompanions.action.of(item), request_id: serverCompanions.action.id(item) }))
    .sort((a, b) => (a.start_time < b.start_time ? 1 : -1));
};

/** The action of one request; undefined if there is none. */
export const readAction = async (table: Table, uuid: string, request_id: string): Promise<Action | undefined> => {
  const item = await table.get(serverCompanions.action.key(uuid, request_id));
  return item && { ...serverCompanions.action.of(item), request_id };
};

/** The lines of a run, in order. */
export const linesOf = async (table: Table, uuid: string, run: string): Promise<StoredServerEvent[]> => {
  const items = await table.query(serverCompanions.event.all(uuid));
  return items.map((item) => serverCompanions.event.of(item)).filter((line) => line.run === run);
};
