/**
 * What the table's file keeps for those who follow its changes: a log of changes, written in the transaction of each
 * change, and the events that consumers have not taken yet (local/events). Both are gone through in their order, and what
 * was done is removed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';

import type { Item, Key } from '../../layers/platform/table.ts';

/**
 * Items with the sort key `sort` are followed: a change in which one of the attributes `watched` changes is logged, with
 * these and those `carried`. No other attribute of an item leaves its row.
 */
export type Followed = {
  readonly sort: string;
  readonly watched: readonly string[];
  readonly carried: readonly string[];
};

/** `at`: milliseconds since the epoch. Without `before` the item is new, without `after` it is gone. */
export type Change = {
  readonly id: number;
  readonly at: number;
  readonly key: Key;
  readonly before?: object;
  readonly after?: object;
};

/** An event for one consumer. `event`: its id, which the same event has again; `key`: what it is about. */
export type NewDelivery = {
  readonly consumer: string;
  readonly event: string;
  readonly key: string;
  readonly body: string;
};

/** `at`: when it was handed over, milliseconds since the epoch. */
export type Delivery = { readonly id: number; readonly at: number; readonly key: string; readonly body: string };

/** Over `local/rpc.ts`. What changes something is on disk when it returns. */
export type Feed = {
  /** The first changes that nobody has followed. */
  changes(limit: number): Promise<Change[]>;
  /** Forgets the changes up to this one. */
  followed(id: number): Promise<void>;
  /** One that the consumer has not taken yet is not doubled. */
  hand(deliveries: readonly NewDelivery[]): Promise<void>;
  /** The first events that a consumer has not taken, but for those about `except`. */
  waiting(consumer: string, limit: number, except?: readonly string[]): Promise<Delivery[]>;
  taken(ids: readonly number[]): Promise<void>;
  /** Forgets what waits for consumers that are not these. */
  keepOnly(consumers: readonly string[]): Promise<void>;
};

const pick = (item: Item, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** JSON of the parts of both that a follower sees; undefined if nothing happened that it watches for. */
const partsOf = ({ watched, carried }: Followed, before: Item | undefined, after: Item | undefined) => {
  if (before && after && isDeepStrictEqual(pick(before, watched), pick(after, watched))) return undefined;
  const names = [...new Set([...carried, ...watched])];
  const part = (item: Item | undefined) => (item ? JSON.stringify(pick(item, names)) : null);
  return { before: part(before), after: part(after) };
};

type ChangeRow = { id: number; at: number; pk: string; sk: string; before: string | null; after: string | null };

const toChange = ({ id, at, pk, sk, before, after }: ChangeRow): Change => ({
  id,
  at,
  key: { pk, sk },
  ...(before !== null && { before: JSON.parse(before) as object }),
  ...(after !== null && { after: JSON.parse(after) as object }),
});

/** Statements on the writer's own connection; `run` makes work part of its next commit. */
export const createFeed = (
  database: DatabaseSync,
  followed: Followed | undefined,
  now: () => number,
  run: (work: () => void) => Promise<void>,
) => {
  const log = database.prepare('INSERT INTO changes (at, pk, sk, before, after) VALUES (?, ?, ?, ?, ?)');
  const first = database.prepare('SELECT id, at, pk, sk, before, after FROM changes ORDER BY id LIMIT ?');
  const forget = database.prepare('DELETE FROM changes WHERE id <= ?');
  const add = database.prepare(
    'INSERT OR IGNORE INTO deliveries (at, consumer, event, key, body) VALUES (?, ?, ?, ?, ?)',
  );
  const next = database.prepare(
    `SELECT id, at, key, body FROM deliveries
     WHERE consumer = ? AND key NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
  );
  const remove = database.prepare('DELETE FROM deliveries WHERE id IN (SELECT value FROM json_each(?))');
  const drop = database.prepare('DELETE FROM deliveries WHERE consumer NOT IN (SELECT value FROM json_each(?))');

  const feed: Feed = {
    changes: async (limit) => (first.all(limit) as ChangeRow[]).map(toChange),
    followed: async (id) => run(() => void forget.run(id)),
    hand: async (deliveries) =>
      run(() => {
        for (const { consumer, event, key, body } of deliveries) add.run(now(), consumer, event, key, body);
      }),
    waiting: async (consumer, limit, except = []) =>
      next.all(consumer, JSON.stringify(except), limit) as unknown as Delivery[],
    taken: async (ids) => run(() => void remove.run(JSON.stringify(ids))),
    keepOnly: async (consumers) => run(() => void drop.run(JSON.stringify(consumers))),
  };
  return {
    feed,
    /** Logs a change, in the transaction that makes it. Answers whether there is something to follow. */
    note: ({ pk, sk }: Key, before: Item | undefined, after: Item | undefined): boolean => {
      if (sk !== followed?.sort || (!before && !after)) return false;
      const parts = partsOf(followed, before, after);
      if (parts) log.run(now(), pk, sk, parts.before, parts.after);
      return parts !== undefined;
    },
  };
};
