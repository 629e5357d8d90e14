/**
 * The SQL of a way back, in the words that MySQL, PostgreSQL and SQLite understand alike, and a row each for those that
 * they do not. Names of tables and columns are words of ours; values come from records, and are quoted.
 */

export type Dialect = 'mysql' | 'postgresql' | 'sqlite';

export type Cell = string | number | boolean | null | { readonly sql: string };
export type Cells = { readonly [column: string]: Cell };

type Words = {
  /** How a person runs the script. */
  readonly load: string;
  /** The program ends at the first error, and takes back what was done; texts come as they stand here. */
  readonly before: readonly string[];
  readonly begin: string;
  /** Around a name. */
  readonly quote: string;
  text(value: string): string;
  /** What is the same for two texts that are not told apart where they have to be unique. */
  same(value: string): string;
  /** A time with so many digits of a second. */
  readonly digits: 0 | 6;
};

const doubled = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const words: { readonly [D in Dialect]: Words } = {
  mysql: {
    // Its client ends at the first error by itself. How texts are read must not depend on the server.
    load: 'mysql DATABASE < FILE',
    before: ['SET NAMES utf8mb4;', "SET SESSION sql_mode = 'STRICT_ALL_TABLES';"],
    begin: 'START TRANSACTION;',
    quote: '`',
    text: (value) => doubled(value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')),
    // Its usual collations know neither case nor accents, nor blanks at the end.
    same: (value) => value.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trimEnd(),
    // It rounds what a column has no place for.
    digits: 0,
  },
  postgresql: {
    load: 'psql --file FILE DATABASE',
    before: ['\\set ON_ERROR_STOP on', "SET client_encoding TO 'UTF8';", 'SET standard_conforming_strings TO on;'],
    begin: 'START TRANSACTION;',
    quote: '"',
    text: doubled,
    same: (value) => value,
    digits: 6,
  },
  sqlite: {
    load: 'sqlite3 DATABASE < FILE',
    before: ['.bail on', 'PRAGMA foreign_keys = ON;'],
    begin: 'BEGIN IMMEDIATE;',
    quote: '"',
    text: doubled,
    same: (value) => value,
    digits: 6,
  },
};

/** ISO 8601 as the database keeps it: naive UTC. Throws RangeError for another text. */
export const timeCell = (dialect: Dialect, iso: string): string => {
  const [whole, fraction = ''] = iso.replace(/(?:Z|[+-]\d\d:\d\d)$/, '').split('.');
  const shift = /[+-]\d\d:\d\d$/.exec(iso)?.[0] ?? '+00:00';
  const utc = new Date(`${whole}${shift}`).toISOString().slice(0, 19).replace('T', ' ');
  const { digits } = words[dialect];
  return digits === 0 ? utc : `${utc}.${fraction.padEnd(digits, '0').slice(0, digits)}`;
};

/** Statements of one dialect. */
export const createSql = (dialect: Dialect) => {
  const { load, before, begin, quote, text, same } = words[dialect];
  const name = (word: string): string => `${quote}${word}${quote}`;
  const cell = (value: Cell): string => {
    if (value === null) return 'NULL';
    if (typeof value === 'object') return value.sql;
    return typeof value === 'string' ? text(value) : String(value).toUpperCase();
  };
  const idOf = (table: string, uuid: string): string => `(SELECT id FROM ${name(table)} WHERE uuid = ${text(uuid)})`;
  const columnsOf = (cells: Cells): string => Object.keys(cells).map(name).join(', ');
  const valuesOf = (cells: Cells): string => Object.values(cells).map(cell).join(', ');
  const update = (table: string, uuid: string, cells: Cells): string => {
    const set = Object.entries(cells).map(([column, value]) => `${name(column)} = ${cell(value)}`);
    return `UPDATE ${name(table)} SET ${set.join(', ')} WHERE uuid = ${text(uuid)};`;
  };
  /** A row more, unless there is one of this UUID. */
  const insert = (table: string, uuid: string, cells: Cells): string => {
    const whole = { uuid, ...cells };
    const absent = `NOT EXISTS (SELECT 1 FROM ${name(table)} WHERE uuid = ${text(uuid)})`;
    return `INSERT INTO ${name(table)} (${columnsOf(whole)}) SELECT ${valuesOf(whole)} FROM (SELECT 1 AS one) AS one WHERE ${absent};`;
  };
  /** The rows that belong to another one, which is of this id: those that were there go. */
  const replace = (table: string, by: string, id: string, rows: readonly Cells[]): string[] => [
    `DELETE FROM ${name(table)} WHERE ${name(by)} = ${id};`,
    ...rows.map((row) => {
      const whole = { [by]: { sql: id }, ...row };
      return `INSERT INTO ${name(table)} (${columnsOf(whole)}) VALUES (${valuesOf(whole)});`;
    }),
  ];
  /**
   * Line by line. `about`: lines for the reader. The script stops where the database has not this revision, and changes
   * nothing.
   */
  const script = function* (
    about: readonly string[],
    revision: string,
    statements: Iterable<string>,
  ): Generator<string> {
    const wrong = `The database has another schema than ${revision}: export for that one.`;
    yield* [
      ...about.map((line) => `-- ${line.replaceAll(/\s+/g, ' ')}`),
      `-- Load it with: ${load}`,
      ...before,
      '-- A second row of the same text is an error, which ends all of it.',
      `CREATE TEMPORARY TABLE ingot_checks (${name('what')} VARCHAR(255) PRIMARY KEY);`,
      begin,
      `INSERT INTO ingot_checks VALUES (${text(wrong)});`,
      `INSERT INTO ingot_checks SELECT ${text(wrong)} FROM (SELECT 1 AS one) AS one WHERE NOT EXISTS (SELECT 1 FROM alembic_version WHERE version_num = ${text(revision)});`,
    ];
    yield* statements;
    yield 'COMMIT;';
  };
  return { dialect, same, idOf, update, insert, replace, script };
};

export type Sql = ReturnType<typeof createSql>;
