/**
 * What the table's file keeps for those who follow its changes: a log of changes, written in the transaction of each
 * change, and the events that consumers have not taken yet (local/events). Both are gone through in their order, and what
 * was done is removed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';

import { type FeedRecord, toImage } from '../../layers/platform/feed.ts';
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

/** `record` is the JSON of a FeedRecord; its SequenceNumber is the id. */
export type Change = { readonly id: number; readonly record: string };

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

const pick = (item: Item, names: readonly string[]): object => {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (item[name] !== undefined) picked[name] = item[name];
  return picked;
};

type Forms = { readonly before: Item | undefined; readonly after: Item | undefined };

/** Makes the records of changes, with the parts of both forms that followers see. Each write of an item comes here. */
const createRecorder = ({ sort, watched, carried }: Followed) => {
  const names = [...new Set([...carried, ...watched])];
  const image = (item: Item) => toImage(pick(item, names));
  return {
    isWorth: (key: Key, { before, after }: Forms): boolean => {
      if (key.sk !== sort) return false;
      if (!before || !after) return before !== after;
      return watched.some((name) => !isDeepStrictEqual(before[name], after[name]));
    },
    record: (id: number, now: number, { pk, sk }: Key, { before, after }: Forms): FeedRecord => ({
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(now / 1000),
        SequenceNumber: String(id),
        Keys: toImage({ pk, sk }),
        ...(before && { OldImage: image(before) }),
        ...(after && { NewImage: image(after) }),
      },
    }),
  };
};

/** Statements on the writer's own connection; `run` makes work part of its next commit. */
export const createFeed = (
  database: DatabaseSync,
  followed: Followed | undefined,
  now: () => number,
  run: (work: () => void) => Promise<void>,
) => {
  const recorder = followed && createRecorder(followed);
  const log = database.prepare('INSERT INTO changes (id, record) VALUES (?, ?)');
  // Numbers are never used again, also when all changes were followed.
  const used = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").get()?.['seq'];
  let lastId = (used as number | undefined) ?? 0;
  const first = database.prepare('SELECT id, record FROM changes ORDER BY id LIMIT ?');
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
    changes: async (limit) => first.all(limit) as unknown as Change[],
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
    note: (key: Key, forms: Forms): boolean => {
      if (!recorder?.isWorth(key, forms)) return false;
      lastId += 1;
      log.run(lastId, JSON.stringify(recorder.record(lastId, now(), key, forms)));
      return true;
    },
  };
};
