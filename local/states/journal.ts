/**
 * The durable memory of the interpreter on node:sqlite. A commit that has resolved survives SIGKILL and loss of power
 * (WAL, synchronous=FULL); commits asked for while the disk is busy go together in the next transaction.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

import { Fault } from '../../layers/domain/fault.ts';
import type { Run, RunEvent } from './run.ts';

export type StoredRun = { readonly id: number; readonly definition: string; readonly run: Run };
export type StoredDefinition = { readonly workflow: string; readonly hash: string; readonly text: string };

export type Journal = {
  /** Keeps the text of a definition for the executions that began with it. Durable when it returns. */
  keepDefinition(definition: StoredDefinition): void;
  definition(hash: string): StoredDefinition | undefined;
  /** Every execution that has not ended. Throws DamagedState. */
  running(): StoredRun[];
  find(workflow: string, name: string): StoredRun | undefined;
  events(id: number): RunEvent[];
  lastId(): number;
  /** Stores the run as it is now and the new lines of its history. Durable when it resolves. */
  commit(stored: StoredRun, events: readonly RunEvent[]): Promise<void>;
  /** Forgets executions that ended before `time`, and so their names. Returns how many. */
  prune(time: number): number;
  close(): void;
};

/** Counted up when the tables change; a journal of another version is refused rather than misread. */
const version = 1;

const tables = `
  CREATE TABLE IF NOT EXISTS definition (hash TEXT PRIMARY KEY, workflow TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS execution (
    id INTEGER PRIMARY KEY, workflow TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
    definition TEXT NOT NULL, stopped_at INTEGER, run TEXT NOT NULL, UNIQUE (workflow, name)) STRICT;
  CREATE INDEX IF NOT EXISTS running ON execution (id) WHERE status = 'RUNNING';
  CREATE INDEX IF NOT EXISTS ended ON execution (stopped_at) WHERE stopped_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS event (
    execution INTEGER NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
    state TEXT, error TEXT, cause TEXT, PRIMARY KEY (execution, id)) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${version};`;

/** Does what reads the file; throws DamagedState when that fails. */
const reading = <T>(path: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    const advice = 'move the file away to begin with an empty one, or restore it from a backup';
    throw new Fault('DamagedState', 500, `The journal ${path} cannot be used: ${(error as Error).message}; ${advice}.`);
  }
};

const open = (path: string): DatabaseSync =>
  reading(path, () => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    const found = database.prepare('PRAGMA user_version').get()!['user_version'];
    if (found !== 0 && found !== version) {
      throw new Error(`it has version ${String(found)}, and this Ingot reads ${version}`);
    }
    database.exec(tables);
    return database;
  });

type Row = Record<string, SQLOutputValue>;

const toStored = ({ id, definition, run }: Row): StoredRun => ({
  id: id as number,
  definition: definition as string,
  run: JSON.parse(run as string) as Run,
});

const toEvent = ({ id, at, type, state, error, cause }: Row): RunEvent => ({
  id: id as number,
  at: at as number,
  type: type as string,
  ...(state !== null && { state: state as string }),
  ...(error !== null && { error: error as string, cause: cause as string }),
});

type Commit = { stored: StoredRun; events: readonly RunEvent[]; resolve(): void; reject(error: Error): void };

/** Collects commits and writes those of one turn of the event loop in one transaction. */
const createCommitter = (database: DatabaseSync) => {
  const put = database.prepare(
    `INSERT INTO execution (id, workflow, name, status, definition, stopped_at, run) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, stopped_at = excluded.stopped_at, run = excluded.run`,
  );
  const append = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)');
  const write = ({ stored: { id, definition, run }, events }: Commit) => {
    const { workflow, name, status, stopped_at: stopped } = run;
    put.run(id, workflow, name, status, definition, stopped ?? null, JSON.stringify(run));
    for (const { id: line, at, type, state, error, cause } of events) {
      append.run(id, line, at, type, state ?? null, error ?? null, cause ?? null);
    }
  };

  let waiting: Commit[] = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const commit of group) write(commit);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      const fault = new Fault('JournalFailed', 503, `The journal cannot be written: ${(error as Error).message}.`);
      for (const { reject } of group) reject(fault);
      return;
    }
    for (const { resolve } of group) resolve();
  };
  const commit: Journal['commit'] = async (stored, events) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ stored, events, resolve, reject });
    });
  return { commit, flush };
};

/** Opens or creates the journal at `path` (`:memory:` keeps nothing). Throws DamagedState for a file it cannot use. */
export const openJournal = (path: string): Journal => {
  const database = open(path);
  const { commit, flush } = createCommitter(database);
  const keep = database.prepare('INSERT OR IGNORE INTO definition (hash, workflow, text) VALUES (?, ?, ?)');
  const definition = database.prepare('SELECT * FROM definition WHERE hash = ?');
  const running = database.prepare("SELECT id, definition, run FROM execution WHERE status = 'RUNNING' ORDER BY id");
  const find = database.prepare('SELECT id, definition, run FROM execution WHERE workflow = ? AND name = ?');
  const events = database.prepare('SELECT * FROM event WHERE execution = ? ORDER BY id');
  const last = database.prepare('SELECT max(id) AS id FROM execution');

  const prune = (time: number) => {
    database.exec('BEGIN IMMEDIATE');
    database.prepare('DELETE FROM event WHERE execution IN (SELECT id FROM execution WHERE stopped_at < ?)').run(time);
    const { changes } = database.prepare('DELETE FROM execution WHERE stopped_at < ?').run(time);
    database.exec('COMMIT');
    return Number(changes);
  };

  return {
    keepDefinition: ({ hash, workflow, text }) => void keep.run(hash, workflow, text),
    definition: (hash) => definition.get(hash) as StoredDefinition | undefined,
    running: () => reading(path, () => running.all().map(toStored)),
    find: (workflow, name) => {
      const row = find.get(workflow, name);
      return row && toStored(row);
    },
    events: (id) => events.all(id).map(toEvent),
    lastId: () => (last.get()!['id'] as number | null) ?? 0,
    commit,
    prune,
    close: () => {
      flush();
      database.close();
    },
  };
};
