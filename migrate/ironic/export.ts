/**
 * The way back: what a Bare Metal API has by now, as a script that makes an Ironic's database have it too. Rows that are
 * there are changed, others are added, and no record is deleted.
 */
import { movedPassword } from '../../layers/bmc/conversion.ts';
import type { Ironic, Values } from './api.ts';
import { type Database, exported, type ExportedName } from './export-database.ts';
import { type Candidate, keysIn, type Place, placeOf, refusalsOf, releases } from './export-keys.ts';
import { type Rows, rowsOf } from './export-rows.ts';
import { createSpool } from './export-spool.ts';
import { createSql, type Dialect, type Sql } from './export-sql.ts';
import type { IronicResource } from './fields.ts';
import { isResting } from './judge.ts';
import { nameOf, type Read, readShown, type Replacement } from './record.ts';
import { neededOf, pathText, type Secrets } from './secrets.ts';

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
  /** Line by line, with passwords; may be read once. */
  readonly script: Iterable<string>;
  /** Records in it, by kind. */
  readonly counts: ReadonlyMap<ExportedName, number>;
  readonly problems: readonly Problem[];
};

/** What is kept in memory of a record: its statements are in the spool. */
type Entry = Candidate & {
  readonly kind: ExportedName;
  readonly uuid: string;
  readonly name: string | null;
  readonly warnings: readonly string[];
  readonly refers: Rows['refers'];
};

/** Of another instance than the node has by now nothing is known. */
const ofInstance = (shown: Values, clear: Values, row: Values | undefined): Values => {
  const { instance_info: _, ...rest } = clear;
  return row && row['instance_uuid'] !== shown['instance_uuid'] ? rest : clear;
};

type Found = { readonly clear: Values; readonly warnings: readonly string[] };

/** A node that was converted meanwhile has its password there under the name that its old driver has for it. */
const ofDriver = ({ driver }: Values, clear: Values, row: Values | undefined): Found => {
  const info = clear['driver_info'] as Values | undefined;
  const moved = row && row['driver'] !== driver ? movedPassword(row['driver'] as string, info ?? {}) : undefined;
  if (!moved) return { clear, warnings: [] };
  const detail = `driver_info.${moved.to} is what the database has as ${moved.from}: if another one was given when it was converted, give that in --secrets.`;
  return { clear: { ...clear, driver_info: { ...info, [moved.to]: moved.value } }, warnings: [detail] };
};

const reasonOf = (kind: ExportedName, { record, missing }: Read, { misfits }: Rows): string | undefined => {
  if (kind === 'node' && !isResting(record['provision_state'])) {
    return `provision_state is ${record['provision_state'] as string}: let it end, or abort it, and export again.`;
  }
  if (kind === 'allocation' && record['state'] === 'allocating')
    return 'it looks for a node: let that end, and export again.';
  const needed = neededOf(missing);
  if (needed.length > 0) return `${pathText(needed)}: neither the database nor --secrets has it.`;
  if (misfits.length > 0) return `${misfits.join(', ')}: change that here, and export again.`;
  return undefined;
};

const warningsOf = ({ record, missing }: Read, { lost, cut }: Rows): string[] => {
  const ca = (record['driver_info'] as Values | undefined)?.['redfish_verify_ca'];
  return [
    ...(missing.length > 0 ? [`${pathText(missing)} is not known, and left out: a rebuild needs it again.`] : []),
    ...(lost.length > 0 ? [`this schema has no place for ${lost.join(', ')}.`] : []),
    ...(cut.length > 0 ? [`${cut.join(', ')} is in the script as far as this database has a place for it.`] : []),
    ...(typeof ca === 'string' && /^(?:-----BEGIN|sha256:)/.test(ca)
      ? ['driver_info.redfish_verify_ca is no file of certificates, which is what Ironic takes there: set one.']
      : []),
  ];
};

/** Reads all of it once: what is known of each record, and its statements aside. */
const readAll = async (wanted: Wanted, sql: Sql, spool: ReturnType<typeof createSpool>): Promise<Entry[]> => {
  const { ironic, secrets, database, replacements } = wanted;
  const into = { sql, database, order: exported.map(([, { table }]) => table) };
  const entryOf = (kind: ExportedName, resource: IronicResource, shown: Values, known: Values): Entry => {
    const { table } = resource;
    const uuid = shown['uuid'] as string;
    const { rows, shapes } = database.tables.get(table)!;
    const { clear, warnings } = ofDriver(shown, ofInstance(shown, known, rows.get(uuid)), rows.get(uuid));
    const read = readShown(kind, shown, clear, replacements);
    const { record } = read;
    const written = rowsOf(into, resource, record);
    const reason = shapes.size === 0 ? `this schema has no table ${table}.` : reasonOf(kind, read, written);
    const staged = { first: releases(sql, resource, record, database), body: written.statements, last: written.later };
    const place = placeOf(table, uuid);
    if (reason === undefined) spool.add(place, staged);
    return {
      ...{ kind, uuid, place, reason, name: nameOf(record), refers: written.refers },
      home: record['node_uuid'] === undefined ? undefined : placeOf('nodes', record['node_uuid']),
      keys: keysIn(sql, resource, record),
      warnings: [...warnings, ...warningsOf(read, written)],
    };
  };
  const entries: Entry[] = [];
  for (const [kind, resource] of exported) {
    const there = database.tables.get(resource.table)!.shapes.size > 0;
    for await (const { records } of ironic.pages(kind)) {
      const clear = there ? await secrets.of(kind, records) : new Map<string, Values>();
      for (const shown of records)
        entries.push(entryOf(kind, resource, shown, clear.get(shown['uuid'] as string) ?? {}));
    }
  }
  return entries;
};

const leftBehind = ({ tables }: Database, here: ReadonlySet<Place>): Problem[] =>
  exported.flatMap(([kind, { table }]) =>
    [...tables.get(table)!.rows]
      .filter(([uuid]) => !here.has(placeOf(table, uuid)))
      .map(([uuid, row]) => ({
        is: 'left' as const,
        kind,
        uuid,
        name: nameOf(row),
        detail: 'the database has it, and the service has not: it stays there as it is.',
      })),
  );

/** What it names and what neither the script nor the database has. */
const unnamed = ({ refers }: Entry, refused: ReadonlyMap<Place, string>, { tables }: Database): string[] =>
  refers
    .filter(({ table, uuid }) => refused.has(placeOf(table, uuid)) && !tables.get(table)?.rows.has(uuid))
    .map(({ field, uuid }) => `${field} is left out: ${uuid} is not in the script.`);

/** Throws what reading throws. No secret is in a problem. */
export const exportAll = async (wanted: Wanted): Promise<Export> => {
  const { database, dialect, about } = wanted;
  const sql = createSql(dialect);
  const spool = createSpool();
  const entries = await readAll(wanted, sql, spool);
  const resources = exported.map(([, resource]) => resource);
  const refused = refusalsOf(sql, resources, database, entries);
  const counts = new Map<ExportedName, number>(exported.map(([name]) => [name, 0]));
  const problems = entries.flatMap((entry): Problem[] => {
    const { kind, uuid, name, warnings } = entry;
    const told = (is: Problem['is'], detail: string): Problem => ({ is, kind, uuid, name, detail });
    const reason = refused.get(entry.place);
    if (reason !== undefined) return [told('refused', reason)];
    counts.set(kind, counts.get(kind)! + 1);
    return [...warnings, ...unnamed(entry, refused, database)].map((detail) => told('warning', detail));
  });
  const statements = spool.statements((place) => !refused.has(place));
  return {
    script: sql.script(about, database.revision, statements),
    counts,
    problems: [...problems, ...leftBehind(database, new Set(entries.map(({ place }) => place)))],
  };
};
