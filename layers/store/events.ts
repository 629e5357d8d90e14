/** The node's event log (DESIGN.md 4): append-only rows from which history, trace and reports are made. */
import { ulidToUUID, uuidToULID } from 'ulid';

import { cutText } from '../domain/foreign-text.ts';
import type { HistoryEntry } from '../domain/history.ts';
import type { Node } from '../domain/node.ts';
import type { Page } from '../domain/page.ts';
import type { Subject } from '../domain/policy.ts';
import { isUuid } from '../domain/values.ts';
import { cutPage, unknownMarker } from './lists.ts';
import type { Ids } from '../platform/platform.ts';
import type { Item, Key, Table, Write } from '../platform/table.ts';

/**
 * `kind` is what happened: a transition, the start or end of a phase, a failed attempt, an error, a request of a
 * client, or what somebody did who says to be the agent. `message` is for people, at most 4 KB of it are kept;
 * `event_type` is Ironic's (deploying, cleaning, ...). Never a secret in either.
 */
export type NodeEvent = {
  readonly kind: 'transition' | 'phase start' | 'phase end' | 'attempt' | 'error' | 'request' | 'agent';
  readonly severity: 'INFO' | 'ERROR';
  readonly event_type: string;
  readonly message: string;
  readonly run?: string;
  readonly phase?: string;
  readonly duration_seconds?: number;
  readonly user?: string;
  readonly project?: string;
};

/** Who asked, as an event of kind `request` tells it. */
export const askedBy = ({ user, project }: Pick<Subject, 'user' | 'project'>): Pick<NodeEvent, 'user' | 'project'> => ({
  ...(user !== null && { user }),
  ...(project !== null && { project }),
});

export const eventPrefix = 'event#';

/** Events older than 90 days are removed by the table's TTL (attribute `expires_at`, seconds since the epoch). */
const keepSeconds = 90 * 24 * 3600;

const partition = (node: string) => `node#${node}`;

/** The item of an event of this node at time `at` (ISO 8601); its key sorts by time. */
export const eventItem = (node: Node, event: NodeEvent, at: string, ids: Ids): Item => ({
  pk: partition(node.uuid),
  sk: `${eventPrefix}${ids.ulid()}`,
  created_at: at,
  provision_state: node.provision_state,
  target_provision_state: node.target_provision_state,
  ...event,
  message: cutText(event.message),
  expires_at: Math.floor(Date.parse(at) / 1000) + keepSeconds,
});

/** The write that adds an event, for the transaction of the change that it tells of. */
export const eventWrite = (node: Node, event: NodeEvent, at: string, ids: Ids): Write => ({
  put: eventItem(node, event, at, ids),
});

/** An entry of the history; `position` is its place among those of its node. */
export type StoredEntry = HistoryEntry & { readonly position: string };

/** The UUID of an event is its ULID in other digits, so one get finds it. */
const uuidOf = (sk: string) => ulidToUUID(sk.slice(eventPrefix.length)).toLowerCase();

/** undefined for what is no UUID, as a marker may be. */
const keyOf = (node: string, uuid: string): Key | undefined =>
  isUuid(uuid) ? { pk: partition(node), sk: `${eventPrefix}${uuidToULID(uuid.toUpperCase())}` } : undefined;

const toEntry = (item: Item): StoredEntry => {
  const { message, provision_state, ...rest } = item as Item & Omit<NodeEvent, 'kind'> & StoredEntry & Node;
  return {
    uuid: uuidOf(item.sk),
    created_at: rest.created_at,
    severity: rest.severity,
    event: message,
    event_type: rest.event_type,
    user: rest.user ?? null,
    project: rest.project ?? null,
    state: provision_state,
    target_provision_state: rest.target_provision_state,
    duration_seconds: rest.duration_seconds ?? null,
    position: item.sk,
  };
};

/** The entry of this UUID in the history of a node (by UUID); undefined if there is none. */
export const readEvent = async (table: Table, node: string, uuid: string): Promise<StoredEntry | undefined> => {
  const key = keyOf(node, uuid);
  const item = key && (await table.get(key));
  return item && toEntry(item);
};

/**
 * A page of the history of a node (by UUID). In order of time it costs what it shows; by another key all of it is
 * read. Throws NotFound (404) for an unknown marker.
 */
export const listEvents = async (table: Table, node: string, page: Page): Promise<StoredEntry[]> => {
  const { sort_key, marker, descending, limit } = page;
  const all = { partition: partition(node), begins: eventPrefix };
  if (sort_key !== 'id' && sort_key !== 'created_at') return cutPage((await table.query(all)).map(toEntry), page);
  const last = marker === undefined ? undefined : await readEvent(table, node, marker);
  if (marker !== undefined && !last) throw unknownMarker(marker);
  const rest = last && (descending ? { before: last.position } : { after: last.position });
  return (await table.query({ ...all, ...rest, descending, limit })).map(toEntry);
};
