/** Opens what an operator names: a server by its URL, a file by its path. */
import type { ReadTables } from './columns.ts';
import { openDump } from './dump/stage.ts';
import { firstBytes } from './dump/text.ts';
import { type Access, pathIn, readServer, serverKindOf } from './server.ts';
import type { Source } from './source.ts';
import { openSqlite } from './sqlite.ts';

/**
 * `named`: `mysql://USER@HOST/DATABASE`, `postgresql://...`, `sqlite:///PATH`, or the path of an SQLite file or a dump.
 * Throws Invalid for what can not be read, Fault SourceFailed (503) for a server that does not answer or refuses.
 */
export const openSource = async (named: string, access: Access, tables: ReadTables): Promise<Source> => {
  if (serverKindOf(named) !== undefined) {
    const server = readServer(named, access);
    // Loaded when needed: no other command pays for a driver.
    if (server.kind === 'mysql') return (await import('./mysql.ts')).openMysql(server, tables);
    return (await import('./postgresql.ts')).openPostgresql(server, tables);
  }
  const path = pathIn(named);
  const isDatabase = (await firstBytes(path)).toString('latin1').startsWith('SQLite format 3');
  return isDatabase ? openSqlite(path, tables, access) : openDump(path, tables, access.charset);
};
