/** The database that a way back leads into: which schema it has, and what of it would be in the way. */
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { ColumnKind, ReadTables, Row } from '../sources/columns.ts';
import { serverKindOf } from '../sources/server.ts';
import type { Shapes, Source } from '../sources/source.ts';
import { keysOf } from './export-keys.ts';
import type { Dialect } from './export-sql.ts';
import { columnOf, type IronicResource, type ResourceName, resources } from './fields.ts';
import { tables as secretTables } from './secrets-database.ts';

/** History is not written back: it stays readable here, and its entries got other UUIDs when they came. */
export type ExportedName = Exclude<ResourceName, 'history'>;

/** In the order in which they are written. */
export const exported = Object.entries(resources as { readonly [N in ResourceName]: IronicResource }).filter(
  (entry): entry is [ExportedName, IronicResource] => entry[0] !== 'history',
);

/**
 * The version of objects that rows say, by table, where no row of the database tells. Every Ironic since Rocky reads
 * these, and makes newer ones of them.
 */
const firstVersions: { readonly [table: string]: string } = {
  nodes: '1.21',
  chassis: '1.3',
  ports: '1.7',
  portgroups: '1.3',
};
export const oldestVersion = '1.0';

/** Fields of rows that are kept in memory: what is unique, and by which driver `driver_info` is to be read. */
const keptOf = (resource: IronicResource): string[] => [...new Set([...keysOf(resource).flat(), 'driver'])];

const kindOf = ({ fields, columns }: IronicResource, field: string): ColumnKind =>
  columns[field] || fields[field]?.schema.safeParse(0).success ? 'number' : 'text';

/** What is read of every row, as far as this schema has it. */
const wantedOf = (resource: IronicResource, shapes: Shapes): { readonly [column: string]: ColumnKind } => {
  const kept = keptOf(resource).map((field) => [columnOf(resource, field), kindOf(resource, field)] as const);
  const all: (readonly [string, ColumnKind])[] = [['id', 'number'], ['uuid', 'text'], ['version', 'text'], ...kept];
  return Object.fromEntries(all.filter(([column]) => shapes.has(column)));
};

/**
 * What is read of it: of what a table is known to have, what it has there. `source` may have been opened for reading
 * nothing.
 */
export const tablesIn = async (source: Source): Promise<ReadTables> => {
  const found: Record<string, ReadTables[string]> = {
    ...secretTables,
    alembic_version: { key: 'version_num', columns: { version_num: 'text' } },
  };
  for (const [, resource] of exported) {
    const { table } = resource;
    const secrets = (secretTables as ReadTables)[table]?.columns;
    found[table] = {
      key: 'id',
      columns: { id: 'number', ...secrets, ...wantedOf(resource, await source.shapes(table)) },
    };
  }
  return found;
};

export type Known = {
  /** Its columns; none: there is no such table. */
  readonly shapes: Shapes;
  readonly version: string;
  /** Of each row, by UUID, the fields that are unique, and its driver. */
  readonly rows: ReadonlyMap<string, Row>;
};

export type Database = { readonly revision: string; readonly tables: ReadonlyMap<string, Known> };

/** By how it is named. Throws Invalid for a dump: what is written is loaded into a database. */
export const dialectOf = (named: string, begins: Buffer): Dialect => {
  const kind = serverKindOf(named);
  if (kind !== undefined) return kind;
  if (begins.toString('latin1').startsWith('SQLite format 3')) return 'sqlite';
  throw Invalid(
    `${named} is no database: --database names the one that is loaded into, mysql://..., postgresql://... or an SQLite file.`,
  );
};

const revisionOf = async (source: Source): Promise<string> => {
  const known = await source.columns('alembic_version');
  if (known.length > 0) {
    for await (const [row] of source.rows('alembic_version')) return row!['version_num'] as string;
  }
  throw new Fault(
    'unsupported-schema',
    400,
    `${source.name} has no schema of Ironic: there is no revision in alembic_version.`,
  );
};

/** UUIDs of rows, by table and number. */
type Ids = Map<string, Map<unknown, string>>;

const rowOf = (resource: IronicResource, row: Row, ids: Ids): Row =>
  Object.fromEntries(
    keptOf(resource).map((field) => {
      const other = resource.columns[field];
      const value = row[columnOf(resource, field)] ?? null;
      return [field, other && 'refers' in other ? (ids.get(other.refers)?.get(value) ?? null) : value];
    }),
  );

const knownOf = async (source: Source, resource: IronicResource, ids: Ids): Promise<Known> => {
  const { table } = resource;
  const shapes = await source.shapes(table);
  const rows = new Map<string, Row>();
  const own = new Map<unknown, string>();
  ids.set(table, own);
  let version = firstVersions[table] ?? oldestVersion;
  if (shapes.size === 0) return { shapes, version, rows };
  for await (const batch of source.rows(table, Object.keys(wantedOf(resource, shapes)))) {
    for (const row of batch) {
      const uuid = row['uuid'] as string;
      rows.set(uuid, rowOf(resource, row, ids));
      own.set(row['id'], uuid);
      version = (row['version'] as string | null) ?? version;
    }
  }
  return { shapes, version, rows };
};

/** Reads what has to be known of it. Throws Fault unsupported-schema (400) for a database that is none of an Ironic's. */
export const readDatabase = async (source: Source): Promise<Database> => {
  const revision = await revisionOf(source);
  const found = new Map<string, Known>();
  const ids: Ids = new Map();
  for (const [, resource] of exported) found.set(resource.table, await knownOf(source, resource, ids));
  for (const [, { columns }] of exported) {
    for (const column of Object.values(columns)) {
      if (!('rows' in column)) continue;
      found.set(column.rows, { shapes: await source.shapes(column.rows), version: oldestVersion, rows: new Map() });
    }
  }
  return { revision, tables: found };
};
