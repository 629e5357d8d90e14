/**
 * The one writer of the table. Transactions that arrive while a commit runs go into the next one together, so the disk
 * is synced once for many; each is answered only after that, and one that is refused does not touch the others.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { type Fault, isFault } from '../../layers/domain/fault.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { apply, holds, keyOf } from '../../layers/platform/evaluate.ts';
import { checkItem, checkWrites } from '../../layers/platform/limits.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import { below, ConditionFailed, type Item, type Key, type Table, type Write } from '../../layers/platform/table.ts';
import { explain, openForWriting } from './database.ts';
import { createFeed, type Feed, type Followed } from './feed.ts';

/** What a table needs of the thread that writes; over `local/rpc.ts` or in the same thread. */
export type Writer = Pick<Table, 'write'>;
export type OwnWriter = Writer & {
  readonly feed: Feed;
  /** Removes items whose `expires_at` has passed. Runs by itself once a minute. */
  sweep(): Promise<void>;
  /** Commits what was asked, then closes the file. */
  close(): Promise<void>;
};

/** Whose changes are logged, and what is called after a commit in which some were. */
export type Following = { readonly followed: Followed; onChange(): void };

/** `work` makes its changes when it can make all of them, and throws a Fault before the first one when it cannot. */
type Waiting = {
  work(): void;
  resolve(): void;
  reject(error: unknown): void;
};
type Change = { readonly before: Item | undefined; readonly after: Item | undefined };

const sweepEvery = 60_000;

/** The most transactions of one commit, so that the first in it does not wait long for the last. */
const maxGroup = 1000;

const prepareAll = (database: DatabaseSync) => ({
  get: database.prepare('SELECT body FROM items WHERE pk = ? AND sk = ?'),
  put: database.prepare('REPLACE INTO items (pk, sk, expires_at, body) VALUES (?, ?, ?, ?)'),
  remove: database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?'),
  expired: database.prepare('SELECT pk, sk FROM items WHERE expires_at <= ? LIMIT 1000'),
});

type Statements = Readonly<Record<keyof ReturnType<typeof prepareAll>, StatementSync>>;

const expiryOf = (item: Item | undefined): number | null => (item?.['expires_at'] as number | undefined) ?? null;

const store = (statements: Statements, { pk, sk }: Key, { before, after }: Change): void => {
  if (after) statements.put.run(pk, sk, expiryOf(after), JSON.stringify(after));
  else if (before) statements.remove.run(pk, sk);
};

/** `note` is told of each change. */
const transact = (statements: Statements, writes: readonly Write[], note: (key: Key, change: Change) => void): void => {
  const changes = writes.map((write, at): Change => {
    const { pk, sk } = keyOf(write);
    const row = statements.get.get(pk, sk);
    const before = row && (JSON.parse(row['body'] as string) as Item);
    if (write.when?.some((condition) => !holds(condition, before))) throw new ConditionFailed(at, before);
    const after = apply(write, before);
    if (after && 'update' in write) checkItem(after);
    return { before, after };
  });
  writes.forEach((write, at) => {
    if ('check' in write) return;
    const [key, change] = [keyOf(write), changes[at]!];
    store(statements, key, change);
    note(key, change);
  });
};

/** Makes each transaction on its own; what refused it, by place. Throws only if none of them can be kept. */
const transactEach = (group: readonly Waiting[]): (Fault | undefined)[] =>
  group.map(({ work }) => {
    try {
      work();
      return undefined;
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  });

/** One SQLite transaction around `work`, on disk when it returns. Throws Damaged (500), Unavailable (503). */
const commit = <T>(database: DatabaseSync, path: string, work: () => T): T => {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw explain(path, error);
  }
};

/** Opens the table file at `path` for writing, from this thread. Throws Damaged (500), Unavailable (503). */
export const createWriter = (
  path: string,
  clock: Pick<Clock, 'now'> = systemClock,
  following?: Following,
): OwnWriter => {
  const database = openForWriting(path);
  const statements = prepareAll(database);
  const queue: Waiting[] = [];
  let isLogged = false;

  const answer = (group: readonly Waiting[]): void => {
    try {
      const refusals = commit(database, path, () => transactEach(group));
      group.forEach(({ resolve, reject }, at) => (refusals[at] ? reject(refusals[at]) : resolve()));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (isLogged) following?.onChange();
    isLogged = false;
  };
  // The event loop hands over all messages that came during the last commit before it gets to an immediate.
  const next = () => {
    answer(queue.splice(0, maxGroup));
    if (queue.length > 0) setImmediate(next);
  };
  const run = async (work: () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      queue.push({ work, resolve, reject });
      if (queue.length === 1) setImmediate(next);
    });
  const { feed, note } = createFeed(database, following?.followed, clock.now, run);
  const write = async (writes: readonly Write[]): Promise<void> => {
    checkWrites(writes);
    return run(() =>
      transact(statements, writes, (key, change) => {
        isLogged = note(key, change) || isLogged;
      }),
    );
  };
  const sweep = async (): Promise<void> => {
    const keys = statements.expired.all(clock.now() / 1000) as unknown as Key[];
    // Conditional, because an item may have been written again meanwhile.
    const gone = below('expires_at', clock.now() / 1000 + 1);
    const removals = keys.map(({ pk, sk }) => write([{ delete: { pk, sk }, when: [gone] }]));
    await Promise.allSettled(removals);
  };
  const timer = setInterval(() => void sweep(), sweepEvery).unref();

  return {
    write,
    feed,
    sweep,
    close: async () => {
      clearInterval(timer);
      while (queue.length > 0) answer(queue.splice(0, maxGroup));
      database.close();
    },
  };
};
