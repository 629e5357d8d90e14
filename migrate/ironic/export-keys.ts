/**
 * What no two rows of a database may have alike, and what follows for a way back: who can not have what it has here, and
 * what has to be given up before another one gets it.
 */
import type { Fields } from '../../layers/domain/fields.ts';
import type { Values } from './api.ts';
import type { Database } from './export-database.ts';
import type { Cells, Sql } from './export-sql.ts';
import { columnOf, type IronicResource } from './fields.ts';

/** Fields in which, taken together, no two records have the same; UUIDs apart. The first is the one that is given up. */
export const keysOf = ({ fields }: IronicResource): (readonly string[])[] => {
  const rows: Fields = fields;
  return Object.entries(rows)
    .filter(([field, { unique }]) => unique !== undefined && field !== 'uuid')
    .map(([field, { within }]) => (within === undefined ? [field] : [field, within]));
};

/** A key that a record or a row has. */
export type Taken = { readonly fields: readonly string[]; readonly id: string };

/** What of the values is unique, as the database compares it; NULL is never alike. */
export const keysIn = (sql: Sql, resource: IronicResource, values: Values): Taken[] =>
  keysOf(resource).flatMap((fields) => {
    const parts = fields.map((field) => values[field] ?? null);
    if (parts.includes(null)) return [];
    return [{ fields, id: JSON.stringify([resource.table, fields, ...parts.map((part) => sql.same(String(part)))]) }];
  });

/** Unique values that change are given up first: another row may get them before this one has its new ones. */
export const releases = (sql: Sql, resource: IronicResource, record: Values, { tables }: Database): string[] => {
  const { table } = resource;
  const { shapes, rows } = tables.get(table)!;
  const uuid = record['uuid'] as string;
  const row = rows.get(uuid) ?? {};
  const changed = keysOf(resource).filter(
    (fields) =>
      fields.every((field) => (row[field] ?? null) !== null) && fields.some((field) => row[field] !== record[field]),
  );
  if (changed.length === 0) return [];
  const given: Cells = Object.fromEntries(
    changed.map(([field]) => {
      const column = columnOf(resource, field!);
      // Some must not be NULL, and an address is short.
      return [column, shapes.get(column)?.nullable === false ? { sql: 'substr(uuid, 25)' } : null];
    }),
  );
  return [sql.update(table, uuid, given)];
};

/** A row: two tables may have one of the same UUID. */
export type Place = `${string} ${string}`;
export const placeOf = (table: string, uuid: unknown): Place => `${table} ${String(uuid)}`;

/** A record that may go back. */
export type Candidate = {
  readonly place: Place;
  /** The node that it belongs to. */
  readonly home: Place | undefined;
  readonly keys: readonly Taken[];
  /** Why it can not, by itself. */
  readonly reason: string | undefined;
};

/** Who has which key in the database. */
const holdersOf = (sql: Sql, resources: readonly IronicResource[], { tables }: Database): Map<string, Place> => {
  const holders = new Map<string, Place>();
  for (const resource of resources) {
    for (const [uuid, row] of tables.get(resource.table)!.rows) {
      for (const { id } of keysIn(sql, resource, row)) holders.set(id, placeOf(resource.table, uuid));
    }
  }
  return holders;
};

/**
 * Why records are not in the script: by themselves, with their node, or because another one keeps what they have. One that
 * is left out keeps its row as it is, which may be in the way of others.
 */
export const refusalsOf = (
  sql: Sql,
  resources: readonly IronicResource[],
  database: Database,
  candidates: readonly Candidate[],
): ReadonlyMap<Place, string> => {
  const refused = new Map<Place, string>();
  for (const { place, reason } of candidates) if (reason !== undefined) refused.set(place, reason);
  const here = new Set(candidates.map(({ place }) => place));
  const holders = holdersOf(sql, resources, database);
  const claims = new Map<string, Place>();
  for (const { place, keys } of candidates) {
    if (!refused.has(place)) for (const { id } of keys) if (!claims.has(id)) claims.set(id, place);
  }

  const inTheWay = ({ place, keys }: Candidate): string | undefined => {
    for (const { fields, id } of keys) {
      const [holder = place, claim = place] = [holders.get(id), claims.get(id)];
      const told = (other: Place, rest: string): string =>
        `${other.split(' ').toReversed().join(' in ')} has this ${fields.join(' and ')} too, ${rest}`;
      if (holder !== place && !here.has(holder)) return told(holder, 'and is not here: delete it there first.');
      if (holder !== place && refused.has(holder)) return told(holder, 'and is not in the script either.');
      if (claim !== place) return told(claim, 'as this database compares them: change one of them here.');
    }
    return undefined;
  };
  const reasonOf = (one: Candidate): string | undefined =>
    one.home && refused.has(one.home) ? 'its node is not in the script.' : inTheWay(one);

  for (let before = -1; before < refused.size;) {
    before = refused.size;
    for (const one of candidates) {
      const reason = refused.has(one.place) ? undefined : reasonOf(one);
      if (reason !== undefined) refused.set(one.place, reason);
    }
  }
  return refused;
};
