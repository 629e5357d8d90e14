/** The port that importers read by. Behind it are databases that run, and files. */
import { type ReadTable, type ReadTables, readRow, type Row } from './columns.ts';

/** What a column takes; null where it does not end. SQLite takes whatever comes. */
export type Shape = {
  readonly nullable: boolean;
  readonly characters: number | null;
  readonly bytes: number | null;
  /** The last character that it has a place for. */
  readonly last: number;
};

/** Columns by their names, in lower case. */
export type Shapes = ReadonlyMap<string, Shape>;

export type Source = {
  /** For people: what it is and where, without a credential. */
  readonly name: string;
  /** The columns that the table has there; none if there is no such table. */
  columns(table: string): Promise<readonly string[]>;
  /** The same, with what they take. */
  shapes(table: string): Promise<Shapes>;
  /** How many rows the table has. */
  count(table: string): Promise<number>;
  /**
   * All rows in the order of the key, in batches, as they were at one moment. No more than one batch is in memory. `only`:
   * the columns that are wanted, the key among them.
   */
  rows(table: string, only?: readonly string[]): AsyncIterable<readonly Row[]>;
  /** The rows whose column has one of these values, in no order. `only`: what is read of them; the rest of them is null. */
  find(
    table: string,
    column: string,
    values: readonly (string | number)[],
    only?: readonly string[],
  ): Promise<readonly Row[]>;
  close(): Promise<void>;
};

export const lastCharacter = 0x10ffff;

/** A row of what servers tell of their columns (`information_schema.columns`). */
export const shapeOf = (row: Readonly<Record<string, unknown>>, last: number = lastCharacter): Shape => {
  const numberOf = (value: unknown = null): number | null => (value === null ? null : Number(value));
  return {
    nullable: row['nullable'] === 'YES',
    characters: numberOf(row['characters']),
    bytes: numberOf(row['bytes']),
    last,
  };
};

/** What a kind of database has to offer. It is opened for reading, in one transaction that sees one moment. */
export type Connection = {
  readonly name: string;
  shapes(table: string): Promise<Shapes>;
  select(sql: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The n-th parameter, from 1, in its SQL. */
  parameter(n: number): string;
  close(): Promise<void>;
};

const batch = 500;

const part = ({ key, columns }: ReadTable, only: readonly string[]): ReadTable => ({
  key,
  columns: Object.fromEntries(only.map((column) => [column, columns[column]!])),
});

/** Names in `tables` are words of ours, never of a source: they go into SQL as they are. */
export const createSource = (connection: Connection, tables: ReadTables): Source => {
  const { name, shapes, select, parameter, close } = connection;

  const columns = async (table: string): Promise<string[]> => [...(await shapes(table)).keys()];

  const rows = async function* (table: string, only?: readonly string[]): AsyncGenerator<readonly Row[]> {
    const row = only ? part(tables[table]!, only) : tables[table]!;
    const wanted = `select ${Object.keys(row.columns).join(', ')} from ${table}`;
    const order = `order by ${row.key} limit ${batch}`;
    let found = await select(`${wanted} ${order}`, []);
    while (found.length > 0) {
      yield found.map((one) => readRow(table, row, one));
      if (found.length < batch) return;
      found = await select(`${wanted} where ${row.key} > ${parameter(1)} ${order}`, [found.at(-1)![row.key]]);
    }
  };

  const count = async (table: string): Promise<number> =>
    Number((await select(`select count(*) as rows_in_all from ${table}`, []))[0]!['rows_in_all']);

  const find: Source['find'] = async (table, column, values, only) => {
    if (values.length === 0) return [];
    const row = tables[table]!;
    const list = values.map((_, at) => parameter(at + 1)).join(', ');
    // Behind the name of their table even words of SQL (user) are columns.
    const wanted = (only ?? Object.keys(row.columns)).map((one) => `${table}.${one}`);
    const found = await select(`select ${wanted.join(', ')} from ${table} where ${column} in (${list})`, values);
    return found.map((one) => readRow(table, row, one));
  };

  return { name, columns, shapes, count, rows, find, close };
};
