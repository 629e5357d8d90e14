/** The schema of nova-baremetal that can be moved: version 10, which Icehouse and Juno both have (nova-bm-migration.md 1). */
import { Fault } from '../../layers/domain/fault.ts';
import type { ReadTables, Row } from '../sources/columns.ts';
import type { Source } from '../sources/source.ts';

/** What is read of it. `deploy_key`, which is a secret of a deployment, and the paths of its files are not. */
export const tables = {
  migrate_version: { key: 'repository_id', columns: { repository_id: 'text', version: 'number' } },
  bm_nodes: {
    key: 'id',
    columns: {
      id: 'number',
      deleted: 'flag',
      uuid: 'text',
      cpus: 'number',
      memory_mb: 'number',
      local_gb: 'number',
      pm_address: 'text',
      pm_user: 'text',
      pm_password: 'text',
      terminal_port: 'number',
      service_host: 'text',
      instance_uuid: 'text',
      instance_name: 'text',
      task_state: 'text',
      root_mb: 'number',
      swap_mb: 'number',
      ephemeral_mb: 'number',
      created_at: 'time',
      updated_at: 'time',
    },
  },
  bm_interfaces: {
    key: 'id',
    columns: {
      id: 'number',
      deleted: 'flag',
      bm_node_id: 'number',
      address: 'text',
      datapath_id: 'text',
      port_no: 'number',
      vif_uuid: 'text',
      created_at: 'time',
      updated_at: 'time',
    },
  },
} as const satisfies ReadTables;

export type SourceTable = 'bm_nodes' | 'bm_interfaces';

/** A row as the kinds of its columns have it. */
type Read<T extends SourceTable> = {
  readonly [C in keyof (typeof tables)[T]['columns']]: C extends 'id'
    ? number
    : ReadCell<(typeof tables)[T]['columns'][C]>;
};
type ReadCell<K> = K extends 'number' ? number | null : K extends 'flag' ? boolean | null : string | null;

export type NodeRow = Read<'bm_nodes'>;
export type InterfaceRow = Read<'bm_interfaces'>;

/** Where blanks around do not count (nova-bm-migration.md 3.1). */
const trimmed = new Set(['pm_address']);

/** Where an empty text is NULL. */
const emptyIsNull = new Set(
  'uuid pm_address pm_user pm_password instance_uuid instance_name vif_uuid datapath_id'.split(' '),
);

const cleaned = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const text = trimmed.has(column) && typeof value === 'string' ? value.trim() : value;
      return [column, text === '' && emptyIsNull.has(column) ? null : text];
    }),
  );

/** The rows of a table by id, batch by batch. */
export const rowsOf = async function* <T extends SourceTable>(source: Source, table: T): AsyncGenerator<Read<T>[]> {
  for await (const batch of source.rows(table)) yield batch.map((row) => cleaned(row) as Read<T>);
};

const required = 10;

const Unsupported = (detail: string) => new Fault('unsupported-schema-version', 400, detail);

const wayTo = (version: number): string =>
  version < required
    ? 'upgrade nova-baremetal to Juno first'
    : 'no release of nova-baremetal had that one: look whether this is the right database';

const versionIn = async (source: Source): Promise<number | undefined> => {
  if ((await source.columns('migrate_version')).length === 0) return undefined;
  for await (const batch of source.rows('migrate_version')) {
    const found = batch.find((row) => row['repository_id'] === 'nova_bm');
    if (found) return found['version'] as number;
  }
  return undefined;
};

/**
 * Refuses any other version, older ones with the way to go, and what has not the columns of this one. Throws
 * Fault unsupported-schema-version (400).
 */
export const checkSchema = async (source: Source): Promise<void> => {
  const version = await versionIn(source);
  if (version === undefined) {
    throw Unsupported(`${source.name} has no row nova_bm in migrate_version: it is no database of nova-baremetal`);
  }
  if (version !== required) {
    throw Unsupported(`migrate_version nova_bm is ${version}, required ${required}; ${wayTo(version)}`);
  }
  for (const table of ['bm_nodes', 'bm_interfaces'] as const) {
    const there = new Set(await source.columns(table));
    const missing = Object.keys(tables[table].columns).filter((column) => !there.has(column));
    if (missing.length > 0) {
      throw Unsupported(`migrate_version nova_bm is ${required}, and ${table} lacks ${missing.join(', ')}`);
    }
  }
};
