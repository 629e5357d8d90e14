/** SQLite: the file of a database, and what a dump was staged into. */
import { DatabaseSync } from 'node:sqlite';

import { Invalid } from '../../layers/domain/fault.ts';
import type { ReadTables } from './columns.ts';
import type { Access } from './server.ts';
import { type Connection, createSource, shapeOf, type Source } from './source.ts';

type Value = null | number | bigint | string | Uint8Array;

const connectionOf = (name: string, db: DatabaseSync): Connection => ({
  name,
  shapes: async (table) => {
    const found = db.prepare('select name, "notnull" as required from pragma_table_info(?)').all(table);
    return new Map(
      found.map(({ name: column, required }) => [
        (column as string).toLowerCase(),
        shapeOf({ nullable: required === 0 ? 'YES' : 'NO' }),
      ]),
    );
  },
  select: async (sql, values) => {
    const statement = db.prepare(sql);
    // What is too large for a number must not end the reading.
    statement.setReadBigInts(true);
    return statement.all(...(values as Value[]));
  },
  parameter: () => '?',
  close: async () => db.close(),
});

/** Reads what is in an open database, which the source closes. */
export const sourceOfDatabase = (name: string, db: DatabaseSync, tables: ReadTables): Source =>
  createSource(connectionOf(name, db), tables);

/** Milliseconds to wait for whoever writes. */
const patience = 30_000;

/** Opens the file of a database for reading. Throws Invalid. */
export const openSqlite = (path: string, tables: ReadTables, { live = false }: Pick<Access, 'live'> = {}): Source => {
  const db = new DatabaseSync(path, { readOnly: true, timeout: patience });
  try {
    db.exec(`${live ? '' : 'BEGIN; '}SELECT count(*) FROM sqlite_master`);
  } catch (error) {
    db.close();
    throw Invalid(`${path} can not be read as an SQLite database: ${(error as Error).message}.`, error);
  }
  return sourceOfDatabase(`the SQLite database ${path}`, db, tables);
};
