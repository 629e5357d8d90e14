/** The node's event log (DESIGN.md 4): append-only rows from which history, trace and reports are made. */
import { cutText } from '../domain/foreign-text.ts';
import type { Node } from '../domain/node.ts';
import type { Subject } from '../domain/policy.ts';
import type { Ids } from '../platform/platform.ts';
import type { Write } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';

/**
 * `kind` is what happened: a transition, the start or end of a phase, a failed attempt, an error, a request of a
 * client, what somebody did who says to be the agent, or what was found at the machine. `message` is for people, at most 4 KB of it are kept;
 * `event_type` is Ironic's (deploying, cleaning, ...). Never a secret in either.
 */
export type NodeEvent = {
  readonly kind: 'transition' | 'phase start' | 'phase end' | 'attempt' | 'error' | 'request' | 'agent' | 'finding';
  readonly severity: 'INFO' | 'ERROR';
  readonly event_type: string;
  readonly message: string;
  readonly run?: string;
  readonly phase?: string;
  readonly duration_seconds?: number;
  /** More about a server's, for administrators only: what the scheduler made of which node. */
  readonly details?: string;
  readonly user?: string;
  readonly project?: string;
  /** The roles that who asked had then, with commas between them. */
  readonly roles?: string;
};

/** Who asked, as an event of kind `request` tells it. */
export const askedBy = ({
  user,
  project,
  roles,
}: Pick<Subject, 'user' | 'project' | 'roles'>): Pick<NodeEvent, 'user' | 'project' | 'roles'> => ({
  ...(user !== null && { user }),
  ...(project !== null && { project }),
  ...(roles.length > 0 && { roles: roles.join(',') }),
});

/** What a line says of its node. */
type Told = Readonly<Pick<Node, 'uuid' | 'provision_state' | 'target_provision_state'>>;
type Moved = Readonly<Pick<Node, 'provision_state'>> & { readonly run: string | null };

/** Seconds for which lines of a history are kept. */
const keepSeconds = 90 * 24 * 3600;

/** When a line of `at` (ISO 8601) is removed by the table's TTL, in seconds since the epoch. */
export const expiryOf = (at: string): number => Math.floor(Date.parse(at) / 1000) + keepSeconds;

/** A line as it is stored: with when it was, and what the node was in then. */
export type StoredEvent = NodeEvent &
  Readonly<Pick<Node, 'provision_state' | 'target_provision_state'>> & {
    readonly created_at: string;
    readonly expires_at: number;
  };

/**
 * The write that adds an event of this node at time `at` (ISO 8601), for the transaction of the change that it tells
 * of; its key sorts by time.
 */
export const eventWrite = (node: Told, event: NodeEvent, at: string, ids: Ids): Write => ({
  put: companions.event.item(node.uuid, ids.ulid(), {
    created_at: at,
    provision_state: node.provision_state,
    target_provision_state: node.target_provision_state,
    ...event,
    message: cutText(event.message),
    expires_at: expiryOf(at),
  }),
});

/** The change of a provision state as a line of the history; undefined if it stayed. */
export const transitionLine = (before: Moved, after: Moved): NodeEvent | undefined => {
  if (after.provision_state === before.provision_state) return undefined;
  const run = before.run ?? after.run;
  const message = `${before.provision_state} -> ${after.provision_state}`;
  return { kind: 'transition', severity: 'INFO', event_type: 'transition', message, ...(run !== null && { run }) };
};
