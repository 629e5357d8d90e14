/**
 * The file of the table: items as JSON. A row is never changed, only replaced: its `id` names its content for ever. WAL
 * with synchronous=FULL: a COMMIT that returned is on disk.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Fault, isFault, Unavailable } from '../../layers/domain/fault.ts';

const version = 4;

/**
 * `changes`: what the feed has to tell of items, as JSON (feed.ts). `deliveries`: events that a consumer has not taken yet
 * (local/events).
 */
const feed = `
  CREATE TABLE changes (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL);
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, consumer TEXT NOT NULL, event TEXT NOT NULL,
    key TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (consumer, event)
  );
  CREATE INDEX waiting ON deliveries (consumer, id);
`;

const schema = `
  CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pk TEXT NOT NULL, sk TEXT NOT NULL, expires_at REAL, body TEXT NOT NULL,
    UNIQUE (pk, sk)
  );
  CREATE INDEX expiring ON items (expires_at) WHERE expires_at IS NOT NULL;
  ${feed}
  PRAGMA user_version = ${version};
`;

/** From each earlier version of the file to the next. Until 2 it had a row for each index that an item was in. */
const upgrades: { readonly [version: number]: string } = {
  2: 'DROP TABLE entries; PRAGMA user_version = 3;',
  3: `${feed} PRAGMA user_version = 4;`,
};

const Damaged = (path: string, what: string, cause?: unknown) =>
  new Fault(
    'Damaged',
    500,
    `The table file ${path} ${what}: put back a copy from a backup, or move it away to start with an empty table.`,
    { cause },
  );

/** SQLite's primary result codes (sqlite.org/rescode.html) that say the file is not what it should be. */
const damageCodes = new Set([11, 26]);

/** Makes a Fault of what SQLite throws: Damaged (500) for a broken file, else Unavailable (503): disk full, no access. */
export const explain = (path: string, error: unknown): Fault => {
  if (isFault(error)) return error;
  const { errcode = 0, message } = error as { errcode?: number; message: string };
  if (damageCodes.has(errcode % 256)) return Damaged(path, `is damaged (${message})`, error);
  return Unavailable(`The table file ${path} could not be used (${message}): check the disk and try again.`, error);
};

const versionOf = (database: DatabaseSync): number =>
  database.prepare('PRAGMA user_version').get()?.['user_version'] as number;

const verify = (path: string, database: DatabaseSync): void => {
  const result = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (result !== 'ok') throw Damaged(path, `is damaged (${String(result).replaceAll('\n', ' ')})`);
  const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
  for (let at = versionOf(database); upgrades[at]; at = versionOf(database)) {
    database.exec(`BEGIN; ${upgrades[at]} COMMIT;`);
  }
  const found = versionOf(database);
  if (found === 0 && tables === 0) database.exec(`BEGIN; ${schema} COMMIT;`);
  else if (found !== version) throw Damaged(path, `is not one that this version of Ingot can read`);
};

/**
 * Opens the file for the one writer, makes it when it is absent, and checks it. Throws Damaged (500), Unavailable (503).
 */
export const openForWriting = (path: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    verify(path, database);
    return database;
  } catch (error) {
    database?.close();
    throw explain(path, error);
  }
};

/** Opens the file for reads of one thread; the writer must have opened it before. Throws Damaged, Unavailable. */
export const openForReading = (path: string): DatabaseSync => {
  if (!existsSync(path)) throw Unavailable(`There is no table file ${path}: the writer has to be started first.`);
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -32000;');
    return database;
  } catch (error) {
    throw explain(path, error);
  }
};
