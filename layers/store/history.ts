/** The history of a node as clients see it, out of its events. */
import { ulidToUUID, uuidToULID } from 'ulid';

import type { HistoryEntry } from '../domain/history.ts';
import type { Page } from '../domain/page.ts';
import { isUuid } from '../domain/values.ts';
import type { Item, Key, Table } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';
import { cutPage, unknownMarker } from './lists.ts';

/** An entry of the history; `position` is its place among those of its node. */
export type StoredEntry = HistoryEntry & { readonly position: string };

/** The UUID of an event is its ULID in other digits, so one get finds it. */
const uuidOf = (id: string) => ulidToUUID(id).toLowerCase();

/** undefined for what is no UUID, as a marker may be. */
const keyOf = (node: string, uuid: string): Key | undefined =>
  isUuid(uuid) ? companions.event.key(node, uuidToULID(uuid.toUpperCase())) : undefined;

const toEntry = (item: Item): StoredEntry => {
  const event = companions.event.of(item);
  return {
    uuid: uuidOf(companions.event.id(item)),
    created_at: event.created_at,
    severity: event.severity,
    event: event.message,
    event_type: event.event_type,
    user: event.user ?? null,
    project: event.project ?? null,
    state: event.provision_state,
    target_provision_state: event.target_provision_state,
    duration_seconds: event.duration_seconds ?? null,
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
  const all = companions.event.all(node);
  if (sort_key !== 'id' && sort_key !== 'created_at') return cutPage((await table.query(all)).map(toEntry), page);
  const last = marker === undefined ? undefined : await readEvent(table, node, marker);
  if (marker !== undefined && !last) throw unknownMarker(marker);
  const rest = last && (descending ? { before: last.position } : { after: last.position });
  return (await table.query({ ...all, ...rest, descending, limit })).map(toEntry);
};
