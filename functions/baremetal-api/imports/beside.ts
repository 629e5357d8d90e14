/**
 * What is moved in with a node and is no record of its own, one row a kind: its history, and what its last inspection
 * found. It is written once its node is here, and never over what is there.
 */
import { createHash } from 'node:crypto';

import { uuidToULID } from 'ulid';

import { cutText } from '../../../layers/domain/foreign-text.ts';
import { isFault } from '../../../layers/domain/fault.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { history, type HistoryEntry } from '../../../layers/domain/history.ts';
import type { Inspected } from '../../../layers/domain/inspection.ts';
import { isoTime, isSame, json, uuid } from '../../../layers/domain/values.ts';
import { absent, isConditionFailed, present, type Write } from '../../../layers/platform/table.ts';
import { expiryOf, type StoredEvent } from '../../../layers/store/events.ts';
import { inventoryWrite, readInventory } from '../../../layers/store/inventories.ts';
import { companions } from '../../../layers/store/kinds/companions.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { missing } from '../../../layers/store/records/find.ts';
import type { Values } from '../crud.ts';
import type { Deps } from '../route.ts';
import { readValues } from './read.ts';
import type { Asked, Outcome } from './write.ts';

type BesideRow = {
  readonly title: string;
  readonly fields: Fields;
  /** What is there in the place of it; undefined if nothing is. */
  read(deps: Deps, values: Values): Promise<object | undefined>;
  /** What is there once it is written. */
  form(values: Values): object;
  put(deps: Deps, values: Values): Promise<Write>;
};

const node_uuid = { access: 'create', schema: uuid, required: true, doc: 'Its node.' } as const;

/** An entry without what only some versions tell. */
type Entry = Partial<HistoryEntry> &
  Pick<HistoryEntry, 'uuid' | 'created_at' | 'severity' | 'event' | 'event_type'> & { readonly node_uuid: string };

/**
 * Where an entry stands: a ULID of its time, and of what its UUID comes to, so that it has one place whenever it comes. Its
 * UUID here is made of that (layers/store/history.ts).
 */
const placeOf = ({ uuid: own, created_at }: Entry): string => {
  const time = Date.parse(created_at).toString(16).padStart(12, '0');
  const digits = time + createHash('sha256').update(own).digest('hex').slice(0, 20);
  return uuidToULID(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase());
};

const eventOf = (entry: Entry): Omit<StoredEvent, 'expires_at'> => ({
  kind: entry.severity === 'ERROR' ? 'error' : 'transition',
  severity: entry.severity,
  event_type: entry.event_type,
  message: cutText(entry.event),
  created_at: entry.created_at,
  provision_state: (entry.state ?? null) as StoredEvent['provision_state'],
  target_provision_state: entry.target_provision_state ?? null,
  ...(entry.user !== undefined && { user: entry.user! }),
  ...(entry.project !== undefined && { project: entry.project! }),
  ...(entry.duration_seconds !== undefined && { duration_seconds: entry.duration_seconds! }),
});

/** By the word for each in a batch. */
const besideRows = {
  history: {
    title: 'An entry of the history',
    fields: { node_uuid, ...history, created_at: { ...history.created_at, access: 'create' } },
    read: async ({ table }, values) => {
      const { node_uuid: node } = values as Entry;
      const found = await table.get(companions.event.key(node, placeOf(values as Entry)));
      if (!found) return undefined;
      const { expires_at: _, ...event } = companions.event.of(found);
      return event;
    },
    form: (values) => eventOf(values as Entry),
    put: async ({ clock }, values) => {
      // Kept for as long as one of today: where it comes from it may have been kept for ever.
      const event = { ...eventOf(values as Entry), expires_at: expiryOf(isoTime(clock.now())) };
      return { put: companions.event.item((values as Entry).node_uuid, placeOf(values as Entry), event) };
    },
  },
  inventory: {
    title: 'An inventory',
    fields: {
      node_uuid,
      inventory: { access: 'create', schema: json, required: true, doc: 'What the machine has.' },
      plugin_data: { access: 'create', schema: json, required: true, default: {}, doc: 'What came beside it.' },
    },
    read: async (deps, { node_uuid: node }) => readInventory(deps, node as string),
    form: ({ inventory, plugin_data = {} }) => ({ inventory, plugin_data }),
    put: async (deps, { node_uuid: node, inventory, plugin_data = {} }) =>
      inventoryWrite(deps, node as string, { inventory, plugin_data } as Inspected),
  },
} as const satisfies { readonly [name: string]: BesideRow };

export type BesideKind = keyof typeof besideRows;

export const besideKinds = Object.keys(besideRows) as [BesideKind, ...BesideKind[]];

const compared = async (deps: Deps, row: BesideRow, values: Values): Promise<Outcome | undefined> => {
  const found = await row.read(deps, values);
  if (!found) return undefined;
  if (isSame(found, row.form(values))) return { outcome: 'unchanged' };
  const reason = `${row.title} of node ${values['node_uuid'] as string} is here with another content; it stays as it is.`;
  return { outcome: 'conflict', fields: Object.keys(row.form(values)), reason };
};

const attempt = async (deps: Deps, row: BesideRow, record: Values, { dry }: Asked): Promise<Outcome> => {
  const values = readValues({ fields: row.fields }, record);
  const node = values['node_uuid'] as string;
  const before = await compared(deps, row, values);
  if (before) return before;
  if (dry) return { outcome: 'created' };
  const home: Write = { check: keyOf(kinds.node, node), when: [present] };
  const put = { ...(await row.put(deps, values)), when: [absent] } as Write;
  try {
    await deps.table.write([home, put]);
    return { outcome: 'created' };
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    if (error.index === 0) throw missing(kinds.node, node);
    // A repetition of the same batch was faster.
    return (await compared(deps, row, values))!;
  }
};

/** Writes one, or says why not. Throws what is nobody's fault (500 and more), after which it can come again. */
export const importBeside = async (deps: Deps, kind: BesideKind, record: Values, asked: Asked): Promise<Outcome> => {
  try {
    return await attempt(deps, besideRows[kind], record, asked);
  } catch (error) {
    if (!isFault(error) || error.code >= 500) throw error;
    return { outcome: 'refused', reason: error.message };
  }
};
