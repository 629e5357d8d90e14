/** The database that a way back leads into: which schema it has, and what of it would be in the way. */
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Fields } from '../../layers/domain/fields.ts';
import type { ReadTables, Row } from '../sources/columns.ts';
import { isServerUrl } from '../sources/server.ts';
import type { Source } from '../sources/source.ts';
import type { Dialect } from './export-sql.ts';
import { type IronicResource, type ResourceName, resources } from './fields.ts';
import { tables as secretTables } from './secrets-database.ts';

/** History is not written back: it stays readable here, and its entries got other UUIDs when they came. */
export type ExportedName = Exclude<ResourceName, 'history'>;

/** In the order in which they are written. */
export const exported = Object.entries(resources as { readonly [N in ResourceName]: IronicResource }).filter(
  (entry): entry is [ExportedName, IronicResource] => entry[0] !== 'history',
);

/** Columns in which no two rows have the same, by resource; each alone. */
export const uniqueColumns = ({ fields }: IronicResource): string[] => {
  const rows: Fields = fields;
  return Object.keys(rows).filter((field) => {
    const { unique, within } = rows[field]!;
    return unique !== undefined && within === undefined && field !== 'uuid';
  });
};

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

const texts = (columns: readonly string[]) => Object.fromEntries(columns.map((column) => [column, 'text'] as const));

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
    const there = await source.columns(table);
    const own = texts(['uuid', 'version', ...uniqueColumns(resource)].filter((column) => there.includes(column)));
    const secrets = (secretTables as ReadTables)[table]?.columns;
    found[table] = { key: 'id', columns: { id: 'number', ...own, ...secrets } };
  }
  return found;
};

export type Known = {
  /** Its columns; none: there is no such table. */
  readonly columns: ReadonlySet<string>;
  readonly version: string;
  /** Unique values of each row, by UUID. */
  readonly rows: ReadonlyMap<string, Row>;
};

export type Database = { readonly revision: string; readonly tables: ReadonlyMap<string, Known> };

/** By how it is named. Throws Invalid for a dump: what is written is loaded into a database. */
export const dialectOf = (named: string, begins: Buffer): Dialect => {
  if (isServerUrl(named)) return named.toLowerCase().startsWith('mysql') ? 'mysql' : 'postgresql';
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

const knownOf = async (source: Source, resource: IronicResource): Promise<Known> => {
  const { table } = resource;
  const columns = new Set(await source.columns(table));
  const rows = new Map<string, Row>();
  let version = firstVersions[table] ?? oldestVersion;
  if (columns.size === 0) return { columns, version, rows };
  const unique = uniqueColumns(resource).filter((column) => columns.has(column));
  for await (const batch of source.rows(table)) {
    for (const row of batch) {
      rows.set(row['uuid'] as string, Object.fromEntries(unique.map((column) => [column, row[column]!])));
      version = (row['version'] as string | null) ?? version;
    }
  }
  return { columns, version, rows };
};

/** Reads what has to be known of it. Throws Fault unsupported-schema (400) for a database that is none of an Ironic's. */
export const readDatabase = async (source: Source): Promise<Database> => {
  const revision = await revisionOf(source);
  const found = new Map<string, Known>();
  for (const [, resource] of exported) found.set(resource.table, await knownOf(source, resource));
  for (const [, { columns }] of exported) {
    for (const column of Object.values(columns)) {
      if (!('rows' in column)) continue;
      const known = new Set(await source.columns(column.rows));
      found.set(column.rows, { columns: known, version: oldestVersion, rows: new Map() });
    }
  }
  return { revision, tables: found };
};
