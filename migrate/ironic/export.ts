/**
 * The way back: what a Bare Metal API has by now, as a script that makes an Ironic's database have it too. Rows that are
 * there are changed, others are added, and no record is deleted.
 */
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import type { ProvisionState } from '../../layers/domain/baremetal/transitions.ts';
import type { Ironic, Values } from './api.ts';
import { type Database, exported, type ExportedName, uniqueColumns } from './export-database.ts';
import { rowsOf } from './export-rows.ts';
import { createSql, type Dialect, type Sql } from './export-sql.ts';
import type { IronicResource } from './fields.ts';
import { type Read, readShown, type Replacement } from './record.ts';
import type { Secrets } from './secrets.ts';

/** `refused`: the record is not in the script. `left`: the database has it, and the service has not. */
export type Problem = {
  readonly is: 'refused' | 'left' | 'warning';
  readonly kind: ExportedName;
  readonly uuid: string;
  readonly name: string | null;
  readonly detail: string;
};

export type Wanted = {
  readonly ironic: Ironic;
  readonly secrets: Secrets;
  readonly database: Database;
  readonly dialect: Dialect;
  readonly replacements: readonly Replacement[];
  /** Lines for the reader of the script, at its head. */
  readonly about: readonly string[];
};

export type Export = {
  readonly script: string;
  /** Records in it, by kind. */
  readonly counts: ReadonlyMap<ExportedName, number>;
  readonly problems: readonly Problem[];
};

type Entry = { readonly name: ExportedName; readonly resource: IronicResource } & Pick<Read, 'record' | 'missing'>;

/** Of another instance than the node has by now nothing is known. */
const ofInstance = (shown: Values, clear: Values, row: Values | undefined): Values => {
  const { instance_info: _, ...rest } = clear;
  return row && row['instance_uuid'] !== shown['instance_uuid'] ? rest : clear;
};

const readAll = async ({ ironic, secrets, database, replacements }: Wanted): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (const [name, resource] of exported) {
    for await (const { records } of ironic.pages(name)) {
      const there = database.tables.get(resource.table)!.columns.size > 0;
      const clear = there ? await secrets.of(name, records) : new Map<string, Values>();
      for (const shown of records) {
        const uuid = shown['uuid'] as string;
        const row = database.tables.get(resource.table)!.rows.get(uuid);
        const known = ofInstance(shown, clear.get(uuid) ?? {}, row);
        const { record, missing } = readShown(name, shown, known, replacements);
        entries.push({ name, resource, record, missing });
      }
    }
  }
  return entries;
};

const nameOf = ({ name = null }: Values): string | null => name as string | null;

const told = (is: Problem['is'], { name, record }: Entry, detail: string): Problem => ({
  is,
  kind: name,
  uuid: record['uuid'] as string,
  name: nameOf(record),
  detail,
});

const isAtWork = ({ provision_state }: Values): boolean =>
  !['resting', 'failed'].includes(stateOf({ provision_state: provision_state as ProvisionState }).is);

/** Of instances it can be done without. */
const isNeeded = ([field]: readonly string[]): boolean => field !== 'instance_info';

const pathsOf = (paths: Entry['missing']): string => paths.map((path) => path.join('.')).join(', ');

/** Rows of records that are not here, by table. */
type Strangers = ReadonlyMap<string, readonly (readonly [uuid: string, row: Values])[]>;

const strangersOf = ({ tables }: Database, here: ReadonlySet<string>): Strangers =>
  new Map(exported.map(([, { table }]) => [table, [...tables.get(table)!.rows].filter(([uuid]) => !here.has(uuid))]));

/** A stranger may have what this record has: the database would refuse it, and all with it. */
const inTheWay = ({ record, resource }: Entry, strangers: Strangers): string | undefined => {
  const { table } = resource;
  const unique = uniqueColumns(resource).filter((column) => (record[column] ?? null) !== null);
  for (const [uuid, row] of strangers.get(table)!) {
    const column = unique.find((one) => row[one] === record[one]);
    if (column !== undefined)
      return `${uuid} in ${table} has this ${column} too, and is not here: delete it there first.`;
  }
  return undefined;
};

const refusal = (entry: Entry, { database }: Wanted, strangers: Strangers, refused: ReadonlySet<unknown>) => {
  const { name, record, resource, missing } = entry;
  if (refused.has(record['node_uuid'])) return 'its node is not in the script.';
  if (name === 'node' && isAtWork(record)) {
    return `provision_state is ${record['provision_state'] as string}: let it end, or abort it, and export again.`;
  }
  const needed = missing.filter(isNeeded);
  if (needed.length > 0) return `${pathsOf(needed)}: neither the database nor --secrets has it.`;
  if (database.tables.get(resource.table)!.columns.size === 0) return `this schema has no table ${resource.table}.`;
  return inTheWay(entry, strangers);
};

const warnings = ({ record, missing }: Entry, lost: readonly string[]): string[] => {
  const ca = (record['driver_info'] as Values | undefined)?.['redfish_verify_ca'];
  return [
    ...(missing.length > 0 ? [`${pathsOf(missing)} is not known, and left out: a rebuild needs it again.`] : []),
    ...(lost.length > 0 ? [`this schema has no place for ${lost.join(', ')}.`] : []),
    ...(typeof ca === 'string' && /^(?:-----BEGIN|sha256:)/.test(ca)
      ? ['driver_info.redfish_verify_ca is no file of certificates, which is what Ironic takes there: set one.']
      : []),
  ];
};

/** Unique values that change are given up first: another row may get them before this one has its new ones. */
const releases = (sql: Sql, { record, resource }: Entry, database: Database): string[] => {
  const row = database.tables.get(resource.table)!.rows.get(record['uuid'] as string);
  const changed = uniqueColumns(resource).filter(
    (column) => (row?.[column] ?? null) !== null && row![column] !== record[column],
  );
  // Some must not be NULL, and an address is short.
  const given = changed.map(
    (column) => [column, resource.fields[column]!.required ? { sql: 'substr(uuid, 25)' } : null] as const,
  );
  return changed.length === 0 ? [] : [sql.update(resource.table, record['uuid'] as string, Object.fromEntries(given))];
};

const leftBehind = (strangers: Strangers): Problem[] =>
  exported.flatMap(([kind, { table }]) =>
    strangers.get(table)!.map(([uuid, row]) => ({
      is: 'left' as const,
      kind,
      uuid,
      name: nameOf(row),
      detail: 'the database has it, and the service has not: it stays there as it is.',
    })),
  );

/** Throws what reading throws. No secret is in a problem. */
export const exportAll = async (wanted: Wanted): Promise<Export> => {
  const { database, dialect } = wanted;
  const sql = createSql(dialect);
  const place = { sql, database, order: exported.map(([, { table }]) => table) };
  const entries = await readAll(wanted);
  const strangers = strangersOf(database, new Set(entries.map(({ record }) => record['uuid'] as string)));
  const problems: Problem[] = [];
  const refused = new Set<unknown>();
  const counts = new Map<ExportedName, number>(exported.map(([name]) => [name, 0]));
  const [first, body, last]: [string[], string[], string[]] = [[], [], []];
  for (const entry of entries) {
    const reason = refusal(entry, wanted, strangers, refused);
    if (reason !== undefined) {
      refused.add(entry.record['uuid']);
      problems.push(told('refused', entry, reason));
      continue;
    }
    const { statements, later, lost } = rowsOf(place, entry.resource, entry.record);
    first.push(...releases(sql, entry, database));
    body.push(...statements);
    last.push(...later);
    counts.set(entry.name, counts.get(entry.name)! + 1);
    problems.push(...warnings(entry, lost).map((detail) => told('warning', entry, detail)));
  }
  problems.push(...leftBehind(strangers));
  return { script: sql.script(wanted.about, database.revision, [...first, ...body, ...last]), counts, problems };
};
