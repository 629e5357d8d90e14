/** The node's event log (DESIGN.md 4): append-only rows from which history, trace and reports are made. */
import type { Node } from '../domain/node.ts';
import type { Ids } from './ports.ts';
import type { Item, Write } from './table.ts';

/**
 * `kind` is what happened: a transition, the start or end of a phase, a failed attempt, an error.
 * `message` is for people; `event_type` is Ironic's (deploying, cleaning, ...). Never a secret in either.
 */
export type NodeEvent = {
  readonly kind: 'transition' | 'phase start' | 'phase end' | 'attempt' | 'error' | 'request';
  readonly severity: 'INFO' | 'ERROR';
  readonly event_type: string;
  readonly message: string;
  readonly run?: string;
  readonly phase?: string;
  readonly duration_seconds?: number;
  readonly user?: string;
};

export const eventPrefix = 'event#';

/** Events older than 90 days are removed by the table's TTL (attribute `expires_at`, seconds since the epoch). */
const keepSeconds = 90 * 24 * 3600;

/** The item of an event of this node at time `at` (ISO 8601); its key sorts by time. */
export const eventItem = (node: Node, event: NodeEvent, at: string, ids: Ids): Item => {
  const ulid = ids.ulid();
  return {
    pk: `node#${node.uuid}`,
    sk: `${eventPrefix}${ulid}`,
    uuid: ids.uuid(),
    created_at: at,
    provision_state: node.provision_state,
    target_provision_state: node.target_provision_state,
    ...event,
    expires_at: Math.floor(Date.parse(at) / 1000) + keepSeconds,
  };
};

/** The write that adds an event, for the transaction of the change that it tells of. */
export const eventWrite = (node: Node, event: NodeEvent, at: string, ids: Ids): Write => ({
  put: eventItem(node, event, at, ids),
});
