/** How the three dump programs write, and how a dump is told from another. */
import { unescapeMysql, unescapePostgresql } from './escapes.ts';

/** How what is between quotation marks is read: a doubled mark stands for one. */
export type Quoting = {
  readonly gives: 'text' | 'name';
  /** What backslashes stand for, where they stand for something. */
  readonly unescape?: (text: string) => string;
  /** What closes it, if not what opened it. */
  readonly end?: string;
};

export type Dialect = {
  readonly program: string;
  readonly quotes: { readonly [mark: string]: Quoting };
  /** What begins a comment to the end of the line. */
  readonly comment: RegExp;
  /** There are comments in comments, E'' texts and texts between dollars. */
  readonly isPostgresql: boolean;
  /** Something in its first characters. */
  readonly known: RegExp;
  /** What the program writes first and last, unless it was asked to write no comments. */
  readonly whole: { readonly head: RegExp; readonly tail: RegExp };
};

const text = { gives: 'text' } as const;
const escaped = { gives: 'text', unescape: unescapeMysql } as const;
const name = { gives: 'name' } as const;

export const dialects = {
  mysql: {
    program: 'mysqldump',
    // With --compatible=ansi a name is between double marks: what takes a name takes a text there.
    quotes: { "'": escaped, '"': escaped, '`': name },
    comment: /(?:--(?=\s)|#)[^\n]*/y,
    isPostgresql: false,
    known: /^-- (?:MySQL|MariaDB) dump|^\/\*M?!|`|^SET NAMES /m,
    whole: { head: /^-- (?:MySQL|MariaDB) dump/m, tail: /^-- Dump completed/m },
  },
  postgresql: {
    program: 'pg_dump',
    quotes: { "'": text, '"': name },
    // Commands to psql are lines of their own.
    comment: /(?:--|\\(?:connect|restrict|unrestrict|encoding)\b)[^\n]*/y,
    isPostgresql: true,
    known: /^-- PostgreSQL database|^SET (?:client_encoding|standard_conforming_strings)|^COPY \S/m,
    whole: { head: /^-- PostgreSQL database dump\r?$/m, tail: /^-- PostgreSQL database dump complete/m },
  },
  sqlite: {
    program: 'sqlite3 .dump',
    quotes: { "'": text, '"': name, '`': name, '[': { ...name, end: ']' } },
    comment: /--[^\n]*/y,
    isPostgresql: false,
    known: /^PRAGMA |^BEGIN TRANSACTION;/m,
    whole: { head: /^BEGIN TRANSACTION;/m, tail: /^COMMIT;/m },
  },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;

const names = Object.keys(dialects) as DialectName[];

/** Which program wrote what begins like this, by what stands first in it; undefined if nothing tells. */
export const dialectOf = (head: string): DialectName | undefined =>
  names
    .map((name) => ({ name, at: head.search(dialects[name].known) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)[0]?.name;

/** Names of character sets as the servers have them, where a TextDecoder has another. MySQL's latin1 is Windows' too. */
const charsets: { readonly [name: string]: string } = {
  utf8mb3: 'utf-8',
  utf8mb4: 'utf-8',
  sql_ascii: 'utf-8',
  binary: 'utf-8',
  win1252: 'windows-1252',
  latin9: 'iso-8859-15',
};

/** The character set that a dump says it is in, as TextDecoder calls it; UTF-8 if it says nothing. */
export const charsetOf = (head: string): string => {
  const said = /SET NAMES '?(\w+)|client_encoding\s*=\s*'([^']+)'/i.exec(head);
  const name = (said?.[1] ?? said?.[2] ?? 'utf-8').toLowerCase();
  return charsets[name] ?? name;
};

/** How that dump is read. Servers of old days escape in every text, and pg_dump says so. */
export const dialectIn = (name: DialectName, head: string): Dialect => {
  const dialect = dialects[name];
  if (name !== 'postgresql' || !/standard_conforming_strings\s*=\s*off/i.test(head)) return dialect;
  return { ...dialect, quotes: { ...dialect.quotes, "'": { ...text, unescape: unescapePostgresql } } };
};
