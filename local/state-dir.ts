/**
 * The folder that holds everything of one installation. Only one Ingot may use it at a time: the kernel holds the lock
 * for as long as the process lives, so a killed one leaves nothing to clean up.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { TableName } from '../infra/grants.ts';
import { perTable } from '../infra/manifest.ts';
import { Fault } from '../layers/domain/fault.ts';

/** The layout of the folder; a later version that changes it counts this up. */
const format = 1;

export type StateDir = {
  /** Absolute. */
  readonly path: string;
  readonly files: {
    readonly tables: Readonly<Record<TableName, string>>;
    readonly states: string;
    readonly objects: string;
    readonly keys: string;
    readonly simulator: string;
    readonly log: string;
    readonly clouds: string;
  };
  /** What others could read or write until now: `.` for the folder, and names in it. It is closed to them. */
  readonly closed: readonly string[];
  /** Lets another process use the folder. May be repeated. */
  release(): void;
};

const Unusable = (path: string, what: string, cause?: unknown) =>
  new Fault('StateDir', 500, `The state directory ${path} ${what}`, { cause });

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    readdirSync(path);
  } catch (error) {
    throw Unusable(path, `cannot be used (${(error as Error).message}); choose another with --state-dir.`, error);
  }
};

/** The marker file says that the folder is Ingot's, so that a mistyped path never mixes with somebody's files. */
const checkFormat = (path: string): void => {
  const marker = join(path, 'ingot.json');
  if (!existsSync(marker)) {
    if (readdirSync(path).length > 0) {
      throw Unusable(path, 'holds files that are not of Ingot: choose an empty or new one with --state-dir.');
    }
    writeFileSync(marker, `${JSON.stringify({ format })}\n`);
    return;
  }
  let found: unknown;
  try {
    found = (JSON.parse(readFileSync(marker, 'utf8')) as { format?: unknown }).format;
  } catch (error) {
    throw Unusable(path, `is damaged: ${marker} is not what Ingot wrote. Restore it or choose another one.`, error);
  }
  if (found !== format) throw Unusable(path, `has format ${String(found)}, this version of Ingot reads ${format}.`);
};

/** Bits by which others than the owner reach a file. Windows has none of them. */
const others = process.platform === 'win32' ? 0 : 0o077;

/** Passwords and keys are in there, so an open file is closed; a link leads to what is not ours. */
const closeToOthers = (file: string): boolean => {
  const { mode } = lstatSync(file).isSymbolicLink() ? { mode: 0 } : statSync(file);
  if ((mode & others) === 0) return false;
  chmodSync(file, mode & ~others & 0o7777);
  return true;
};

/**
 * A folder that was there before may be open to all, and so may files that were made in it: a folder made by mkdir or
 * by systemd is. Answers what was. Throws StateDir if it cannot be changed.
 */
const closeFolder = (path: string): string[] => {
  try {
    const { mode } = statSync(path);
    const isOpen = (mode & others) !== 0;
    if (isOpen) chmodSync(path, mode & ~others & 0o7777);
    const files = readdirSync(path).filter((name) => closeToOthers(join(path, name)));
    return [...(isOpen ? ['.'] : []), ...files];
  } catch (error) {
    const what = 'can be read by others, and this process may not change that';
    throw Unusable(
      path,
      `${what} (${(error as Error).message}): make this user its owner, or choose another one.`,
      error,
    );
  }
};

const holder = (path: string): string => {
  try {
    return ` by process ${readFileSync(path, 'utf8').trim()}`;
  } catch {
    return '';
  }
};

/** The lock goes when nothing refers to it any more, so what is held is referred to for as long as the process lives. */
const held = new Set<DatabaseSync>();

/** An exclusive transaction on a file of its own is the one file lock that Node has; nothing is ever written to it. */
const takeLock = (path: string): DatabaseSync => {
  const file = join(path, 'lock');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    held.add(database);
    return database;
  } catch (error) {
    database.close();
    const isHeld = /locked/.test((error as Error).message);
    if (!isHeld) throw Unusable(path, `is damaged: ${file} is not a lock file. Remove that file.`, error);
    throw Unusable(path, `is in use${holder(join(path, 'pid'))}: stop that one or choose another directory.`, error);
  }
};

/** Says whose the folder is, and makes what has to be there. */
const prepareFiles = (path: string): StateDir['files'] => {
  writeFileSync(join(path, 'pid'), `${process.pid}\n`);
  const keys = join(path, 'keys');
  mkdirSync(keys, { recursive: true, mode: 0o700 });
  return {
    tables: perTable(({ file }) => join(path, file)),
    states: join(path, 'states.db'),
    objects: join(path, 'objects'),
    keys,
    simulator: join(path, 'simulator'),
    log: join(path, 'ingot.log'),
    clouds: join(path, 'clouds.yaml'),
  };
};

/** Makes the folder when it is absent, closes it to others, and locks it. Throws StateDir, one sentence that says what to do. */
export const openStateDir = (given: string): StateDir => {
  const path = resolve(given);
  makeFolder(path);
  checkFormat(path);
  const lock = takeLock(path);
  const release = () => {
    held.delete(lock);
    if (lock.isOpen) lock.close();
  };
  try {
    return { path, files: prepareFiles(path), closed: closeFolder(path), release };
  } catch (error) {
    release();
    throw error;
  }
};
