/** Records as rows of Ironic's database: which column has which field, and in which form. */
import type { Fields } from '../../layers/domain/fields.ts';
import { isSame, timestamp } from '../../layers/domain/values.ts';
import type { Values } from './api.ts';
import { type Database, oldestVersion } from './export-database.ts';
import { type Cell, type Cells, type Sql, timeCell } from './export-sql.ts';
import type { Column, IronicResource } from './fields.ts';

export type Rows = {
  readonly statements: readonly string[];
  /** What names rows that come later. */
  readonly later: readonly string[];
  /** Fields with a value that this schema has no column for. */
  readonly lost: readonly string[];
};

type Place = { readonly sql: Sql; readonly database: Database; readonly order: readonly string[] };

const inForm = (sql: Sql, isTime: boolean, value: unknown): Cell => {
  if ((value ?? null) === null) return null;
  if (isTime) return timeCell(sql.dialect, value as string);
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
};

/** A row each of what is a list here: of objects, or of texts. */
const partsOf = (sql: Sql, list: readonly unknown[], columns: readonly string[]): Cells[] =>
  list.map((part) =>
    typeof part === 'object'
      ? Object.fromEntries(columns.map((column) => [column, inForm(sql, false, (part as Values)[column])]))
      : { [columns[0]!]: part as string, version: oldestVersion },
  );

const refers = (column: Column): column is Extract<Column, { refers: string }> => 'refers' in column;

/** The statements that make the row of a record what the record is. `record` has fields as this API shows them, in clear. */
export const rowsOf = ({ sql, database, order }: Place, resource: IronicResource, record: Values): Rows => {
  const { table, columns, left } = resource;
  const rows: Fields = resource.fields;
  const known = database.tables.get(table)!;
  const uuid = record['uuid'] as string;
  const cells: Record<string, Cell> = {};
  /** Of a new row alone: what others note while they work on it. */
  const blank: Record<string, Cell> = { version: known.version };
  const also: string[] = [];
  const later: string[] = [];
  const lost: string[] = [];

  const put = (field: string, column: string, value: Cell) => {
    if (known.columns.has(column)) cells[column] = value;
    else if (value !== null && !isSame(record[field], rows[field]!.default)) lost.push(field);
  };
  const refer = (field: string, { column, refers }: Extract<Column, { refers: string }>) => {
    const other = (record[field] ?? null) as string | null;
    const id = other === null ? null : { sql: sql.idOf(refers, other) };
    const isLater = order.indexOf(refers) > order.indexOf(table);
    put(field, column, isLater ? null : id);
    if (isLater && id !== null && known.columns.has(column)) later.push(sql.update(table, uuid, { [column]: id }));
  };

  for (const [field, { computed, schema, default: otherwise }] of Object.entries(rows)) {
    const column = columns[field];
    if (computed || field === 'uuid') continue;
    if (Object.hasOwn(left, field)) {
      if (known.columns.has(field)) blank[field] = inForm(sql, false, otherwise);
    } else if (column && 'rows' in column) {
      const list = (record[field] ?? []) as readonly unknown[];
      const there = database.tables.get(column.rows)!.columns.size > 0;
      if (there)
        also.push(...sql.replace(column.rows, column.by, sql.idOf(table, uuid), partsOf(sql, list, column.columns)));
      else if (list.length > 0) lost.push(field);
    } else if (column && refers(column)) refer(field, column);
    else put(field, column?.column ?? field, inForm(sql, schema === timestamp, record[field]));
  }
  const statements = [sql.update(table, uuid, cells), sql.insert(table, uuid, { ...blank, ...cells }), ...also];
  return { statements, later, lost };
};
