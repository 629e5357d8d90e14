/** Reads of one thread: prepared statements on a connection of its own; each sees the last commit. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

import { isExpired } from '../../layers/platform/evaluate.ts';
import { rangeOf, type Range } from '../../layers/platform/range.ts';
import type { Item, Key, Query, Scanned } from '../../layers/platform/table.ts';
import { createKept } from './kept.ts';

export type Reader = {
  get(key: Key): Item | undefined;
  getMany(keys: readonly Key[]): (Item | undefined)[];
  query(query: Query): Item[];
  scan(after: Key | undefined, limit: number): Scanned;
};

/** Rows come as arrays: an object for each would be a tenth of the time of a list. */
type Id = [id: number | null];
type Whole = [id: number, body: string];

const alive = '(expires_at IS NULL OR expires_at > ?)';

const rangeSql = ({ low, open, high }: Range): string =>
  [
    ...(low === undefined ? [] : [` AND sk ${open ? '>' : '>='} ?`]),
    ...(high === undefined ? [] : [' AND sk < ?']),
  ].join('');

const sqlOf = (what: string, range: Range, and: string, descending: boolean): string =>
  `SELECT ${what} FROM items WHERE pk = ?${rangeSql(range)}${and} ORDER BY sk ${descending ? 'DESC' : 'ASC'} LIMIT ?`;

/** The keys go as one JSON text, which is faster than a statement for each from a few on. */
const idsOfKeys = `
  SELECT items.id FROM json_each(?) AS wanted LEFT JOIN items ON pk = wanted.value ->> 0 AND sk = wanted.value ->> 1
  ORDER BY wanted.key`;

const few = 4;

/**
 * `now` is milliseconds since the epoch; items past their `expires_at` are left out. Items are frozen, and the same
 * objects as long as nobody writes them: what is read is mostly what was read before. `keeps`: characters of JSON.
 */
export const createReader = (database: DatabaseSync, now: () => number, keeps: number): Reader => {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
    return statement;
  };
  const seconds = () => now() / 1000;
  const kept = createKept(keeps);
  const toItem = ([id, body]: Whole): Item => kept.get(id) ?? kept.add(id, body);
  const lives = (item: Item | undefined) => (item && !isExpired(item, now()) ? item : undefined);

  // The ids stand in the index of the keys, which is why they are asked for first, without the rows.
  const idOf = prepare('SELECT id FROM items WHERE pk = ? AND sk = ?');
  const wholeOf = prepare('SELECT id, body FROM items WHERE pk = ? AND sk = ?');
  const get = ({ pk, sk }: Key): Item | undefined => {
    const [id] = (idOf.get(pk, sk) as Id | undefined) ?? [];
    const known = typeof id === 'number' ? kept.get(id) : undefined;
    if (known || typeof id !== 'number') return lives(known);
    const row = wholeOf.get(pk, sk) as Whole | undefined;
    return lives(row && toItem(row));
  };

  return {
    get,
    getMany: (keys) => {
      if (keys.length <= few) return keys.map(get);
      const ids = prepare(idsOfKeys).all(JSON.stringify(keys.map(({ pk, sk }) => [pk, sk]))) as unknown as Id[];
      return ids.map(([id], at) => {
        const known = id === null ? undefined : kept.get(id);
        return known || id === null ? lives(known) : get(keys[at]!);
      });
    },
    query: (query) => {
      const { partition, descending = false, limit = -1 } = query;
      const range = rangeOf(query);
      if (!range) return [];
      const bounds: SQLInputValue[] = [partition];
      if (range.low !== undefined) bounds.push(range.low);
      if (range.high !== undefined) bounds.push(range.high);
      const ids = prepare(sqlOf('id', range, '', descending)).all(...bounds, limit) as unknown as [number][];
      const known = ids.map(([id]) => lives(kept.get(id)));
      if (known.every((item) => item !== undefined)) return known;
      const whole = prepare(sqlOf('id, body', range, ` AND ${alive}`, descending));
      return (whole.all(...bounds, seconds(), limit) as unknown as Whole[]).map(toItem);
    },
    scan: (after, limit) => {
      const rest = after ? 'WHERE (pk, sk) > (?, ?) AND' : 'WHERE';
      const sql = `SELECT id, body FROM items ${rest} ${alive} ORDER BY pk, sk LIMIT ?`;
      const rows = prepare(sql).all(...(after ? [after.pk, after.sk] : []), seconds(), limit) as unknown as Whole[];
      // They are not kept: nobody asks for the whole table again.
      const items = rows.map(([id, body]) => kept.get(id) ?? (JSON.parse(body) as Item));
      const last = rows.length === limit ? items.at(-1) : undefined;
      return { items, next: last && { pk: last.pk, sk: last.sk } };
    },
  };
};
