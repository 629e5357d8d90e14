/**
 * A dump as a source. Rows of a dump come in any order, and tables too: they are put into a temporary SQLite database
 * first, which lives in memory as long as it is small and else in a file without a name, which is gone with the process.
 */
import { DatabaseSync } from 'node:sqlite';

import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { columnKinds, type ReadTables } from '../columns.ts';
import type { Source } from '../source.ts';
import { sourceOfDatabase } from '../sqlite.ts';
import { type Dialect, dialectIn } from './dialect.ts';
import { type Found, statements } from './statements.ts';
import { type Head, headOf, textOf } from './text.ts';
import { type Token, Tokens } from './tokens.ts';
import type { DumpValue } from './values.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const storedOf = (value: DumpValue): string | number | null => (typeof value === 'boolean' ? Number(value) : value);

/** Puts what is found into tables that are made as they come. */
const staging = (db: DatabaseSync, tables: ReadTables, tokens: Tokens): Found => {
  const known = new Map<string, readonly string[]>();
  const inserts = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  const table = (name: string, columns: readonly string[]): void => {
    const { key, columns: kinds } = tables[name]!;
    if (known.has(name) && key === 'id') {
      throw Invalid(`a second table ${name}: write a dump of that one database alone`);
    }
    if (known.has(name)) return;
    known.set(name, columns);
    const stored = (column: string) =>
      `${quoted(column)} ${Object.hasOwn(kinds, column) ? columnKinds[kinds[column]!].stored : ''} ${column === key ? 'PRIMARY KEY NOT NULL' : ''}`;
    db.exec(`CREATE TABLE ${quoted(name)} (${columns.map(stored).join(', ')})`);
  };

  const insertInto = (name: string, columns: readonly string[]) => {
    const sql = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    const prepared = inserts.get(sql) ?? db.prepare(sql);
    inserts.set(sql, prepared);
    return prepared;
  };

  const row: Found['row'] = (name, named, values) => {
    const columns = named ?? known.get(name);
    if (!columns) throw Invalid(`rows of ${name} before its CREATE TABLE: dump the structure too`);
    if (!known.has(name)) table(name, columns);
    if (values.length !== columns.length) {
      throw Invalid(`a row of ${name} with ${values.length} values for ${columns.length} columns`);
    }
    insertInto(name, columns).run(...values.map(storedOf));
  };

  return { wants: (name) => Object.hasOwn(tables, name), table, row, lines: () => tokens.startLines() };
};

/** So much is read again at most, if what waits for its end is long. */
const enough = ({ waiting }: Tokens, text: string): boolean => text.length >= waiting;

const readAll = async (path: string, head: Head, dialect: Dialect, reading: Reading): Promise<void> => {
  const { tokens, take, charset } = reading;
  let text = '';
  let end = '';
  let lastToken: Token | undefined;
  const read = (last: boolean): void => {
    for (const token of tokens.read(text, last)) {
      take(token);
      lastToken = token;
    }
    text = '';
  };
  for await (const piece of textOf(path, head, charset)) {
    text += piece;
    end = (end + piece).slice(-4096);
    if (enough(tokens, text)) read(false);
  }
  read(true);
  const { whole, program } = dialect;
  const isWhole = lastToken === undefined || lastToken.value === ';' || lastToken.is === 'line';
  if (!isWhole || (whole.head.test(head.text) && !whole.tail.test(end))) {
    throw Invalid(`the end of what ${program} writes is missing: it was cut off. Write the dump anew`);
  }
};

type Reading = {
  readonly tokens: Tokens;
  take(token: Token): void;
  readonly charset: string | undefined;
};

/** Reads a dump whole and gives its tables. Throws Invalid, which names file and line and nothing of what is there. */
export const openDump = async (path: string, tables: ReadTables, charset?: string): Promise<Source> => {
  const head = await headOf(path);
  const dialect = dialectIn(head.dialect, head.text);
  const tokens = new Tokens(dialect);
  const db = new DatabaseSync('');
  try {
    db.exec('BEGIN');
    const reader = statements(staging(db, tables, tokens));
    reader.next();
    await readAll(path, head, dialect, { tokens, take: (token) => void reader.next(token), charset });
  } catch (error) {
    db.close();
    if (isFault(error) && error.message.startsWith(path)) throw error;
    if (isFault(error)) throw Invalid(`${path}, line ${tokens.line}: ${error.message.replace(/\.$/, '')}.`, error);
    const { code } = error as { code?: unknown };
    if (code === 'ERR_SQLITE_ERROR') throw Invalid(`${path}, line ${tokens.line}: ${(error as Error).message}.`, error);
    throw error;
  }
  return sourceOfDatabase(`the dump ${path}`, db, tables);
};
