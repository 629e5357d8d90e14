/**
 * What an importer reads, as a table: each table by its key and the kinds of its columns. Databases and dumps write one
 * value in many ways (`1`, `'t'`, `true`); a row that was read has one.
 */
import { Invalid } from '../../layers/domain/fault.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

const numberOf = (value: unknown): number | undefined => {
  const isText = typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value);
  return typeof value === 'number' || typeof value === 'bigint' || isText ? Number(value) : undefined;
};

const flags: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true'].map((word) => [word, true] as const),
  ...['0', 'f', 'false'].map((word) => [word, false] as const),
]);

const written = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?$/;

/** Naive UTC as ISO 8601: fractions left out when zero, else six digits (nova-bm-migration.md 3.1). MySQL's zero is none. */
const timeOf = (value: unknown): string | null | undefined => {
  const [, date, time, fraction = ''] = (typeof value === 'string' && written.exec(value)) || [];
  if (date === undefined) return undefined;
  if (date === '0000-00-00') return null;
  const digits = fraction.padEnd(6, '0');
  return `${date}T${time}${digits === '000000' ? '' : `.${digits}`}+00:00`;
};

const textOf = (value: unknown): string | undefined => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
};

/** Answers undefined for what is no value of the kind. `stored`: how a staged dump keeps it, so that keys sort right. */
export const columnKinds = {
  number: { read: numberOf, stored: 'INTEGER' },
  flag: { read: (value: unknown) => flags.get(String(value).toLowerCase()), stored: '' },
  time: { read: timeOf, stored: '' },
  text: { read: textOf, stored: '' },
} as const satisfies Record<string, { read(value: unknown): Cell | undefined; stored: string }>;

export type ColumnKind = keyof typeof columnKinds;

export type ReadTable = {
  /** Unique and never NULL; rows come in its order. */
  readonly key: string;
  readonly columns: { readonly [column: string]: ColumnKind };
};
export type ReadTables = { readonly [table: string]: ReadTable };

/** A row by the kinds of its columns. Throws Invalid, which names the place and never the value: it may be a password. */
export const readRow = (table: string, { key, columns }: ReadTable, raw: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => {
      const value = raw[column] ?? null;
      const cell = value === null ? null : columnKinds[kind].read(value);
      if (cell !== undefined) return [column, cell];
      throw Invalid(`Row ${key} ${String(raw[key])} of ${table}: what ${column} holds is no ${kind}.`);
    }),
  );
