/** Records as rows of Ironic's database: which column has which field, and in which form. */
import type { Fields } from '../../layers/domain/fields.ts';
import { isSame, timestamp } from '../../layers/domain/values.ts';
import type { Values } from './api.ts';
import { type Database, type Known, oldestVersion } from './export-database.ts';
import { fitted, misfit } from './export-fit.ts';
import { type Cell, type Cells, type Sql, timeCell } from './export-sql.ts';
import { type Column, columnOf, type IronicResource } from './fields.ts';

export type Rows = {
  readonly statements: readonly string[];
  /** What names rows that come later. */
  readonly later: readonly string[];
  /** Fields with a value that this schema has no column for. */
  readonly lost: readonly string[];
  /** What columns do not take, and why: such a row would end the script. */
  readonly misfits: readonly string[];
  /** Fields that nobody can write otherwise, and that are in the script as far as there is a place for them. */
  readonly cut: readonly string[];
  /** Other records that it names, by field. */
  readonly refers: readonly { readonly field: string; readonly table: string; readonly uuid: string }[];
};

type Place = { readonly sql: Sql; readonly database: Database; readonly order: readonly string[] };

/** As Python writes it: whatever the character set of the column is, it has a place for that. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const inForm = (sql: Sql, isTime: boolean, value: unknown): Cell => {
  if ((value ?? null) === null) return null;
  if (isTime) return timeCell(sql.dialect, value as string);
  return typeof value === 'object' ? jsonText(value) : (value as Cell);
};

/** A row each of what is a list here: of objects, or of texts. */
const partsOf = (sql: Sql, list: readonly unknown[], columns: readonly string[]): Cells[] =>
  list.map((part) =>
    typeof part === 'object'
      ? Object.fromEntries(columns.map((column) => [column, inForm(sql, false, (part as Values)[column])]))
      : { [columns[0]!]: part as string, version: oldestVersion },
  );

/** What the columns do not take of these cells. */
const misfitsIn = ({ shapes }: Known, cells: Cells, name: (column: string) => string): string[] =>
  Object.entries(cells).flatMap(([column, cell]) => {
    const shape = shapes.get(column);
    const wrong = shape && misfit(cell, shape);
    return wrong === undefined ? [] : [`${name(column)} ${wrong}`];
  });

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
  const misfits: string[] = [];
  const cut: string[] = [];
  const named: { field: string; table: string; uuid: string }[] = [];

  const put = (field: string, column: string, value: Cell) => {
    const shape = known.shapes.get(column);
    if (!shape) {
      if ((record[field] ?? null) !== null && !isSame(record[field], rows[field]!.default)) lost.push(field);
      return;
    }
    const isCut = typeof value === 'string' && rows[field]!.access === 'read' && misfit(value, shape) !== undefined;
    cells[column] = isCut ? fitted(value, shape) : value;
    if (isCut) cut.push(field);
    misfits.push(...misfitsIn(known, { [column]: cells[column] }, () => field));
  };
  const refer = (field: string, { column, refers }: Extract<Column, { refers: string }>) => {
    const other = (record[field] ?? null) as string | null;
    const id = other === null ? null : { sql: sql.idOf(refers, other) };
    const isLater = order.indexOf(refers) > order.indexOf(table);
    put(field, column, isLater ? null : id);
    if (other !== null) named.push({ field, table: refers, uuid: other });
    if (isLater && id !== null && known.shapes.has(column)) later.push(sql.update(table, uuid, { [column]: id }));
  };
  const part = (field: string, { rows: own, by, columns: all }: Extract<Column, { rows: string }>) => {
    const list = (record[field] ?? []) as readonly unknown[];
    const there = database.tables.get(own)!;
    if (there.shapes.size === 0) {
      if (list.length > 0) lost.push(field);
      return;
    }
    const parts = partsOf(sql, list, all);
    misfits.push(...parts.flatMap((cell, at) => misfitsIn(there, cell, (column) => `${field}/${at}/${column}`)));
    also.push(...sql.replace(own, by, sql.idOf(table, uuid), parts));
  };

  for (const [field, { computed, schema, default: otherwise }] of Object.entries(rows)) {
    const column = columns[field];
    if (computed || field === 'uuid') continue;
    if (Object.hasOwn(left, field)) {
      if (known.shapes.has(field)) blank[field] = inForm(sql, false, otherwise);
    } else if (column && 'rows' in column) part(field, column);
    else if (column && refers(column)) refer(field, column);
    else put(field, columnOf(resource, field), inForm(sql, schema === timestamp, record[field] ?? otherwise));
  }
  const statements = [sql.update(table, uuid, cells), sql.insert(table, uuid, { ...blank, ...cells }), ...also];
  return { statements, later, lost, misfits, cut, refers: named };
};
