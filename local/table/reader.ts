/** Reads of one thread: prepared statements on a connection of its own; each sees the last commit. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

import { rangeOf, type Range } from '../../layers/platform/range.ts';
import type { Item, Key, Query } from '../../layers/platform/table.ts';
import { createKept } from './kept.ts';

export type Reader = {
  get(key: Key): Item | undefined;
  query(query: Query): Item[];
};

/** Rows come as arrays: an object for each would be a tenth of the time of a list. */
type Body = [body: string];
type Id = [id: number];
type Whole = [id: number, body: string];
type From = { readonly sort: string; readonly from: string };

const items: From = { sort: 'sk', from: 'items WHERE pk = ?' };
const entries: From = { sort: 'position', from: 'entries JOIN items USING (pk, sk) WHERE name = ? AND partition = ?' };

const alive = (source: string) => `(${source}.expires_at IS NULL OR ${source}.expires_at > ?)`;

const sqlOf = (what: string, { sort, from }: From, { low, open, high }: Range, descending: boolean): string => {
  const [above, below] = [low === undefined ? '' : ` AND ${sort} ${open ? '>' : '>='} ?`, high && ` AND ${sort} < ?`];
  const source = from.slice(0, from.indexOf(' '));
  const order = `ORDER BY ${sort} ${descending ? 'DESC' : 'ASC'} LIMIT ?`;
  return `SELECT ${what} FROM ${from}${above}${below ?? ''} AND ${alive(source)} ${order}`;
};

const parse = ([body]: Body): Item => JSON.parse(body) as Item;

/**
 * `now` is milliseconds since the epoch; items past their `expires_at` are left out. Items out of an index are frozen,
 * and the same objects as long as nobody writes them: lists ask for the same ones again and again.
 */
export const createReader = (database: DatabaseSync, now: () => number): Reader => {
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
  const one = prepare(`SELECT body FROM items WHERE pk = ? AND sk = ? AND ${alive('items')}`);
  const kept = createKept();
  const toItem = ([id, body]: Whole): Item => kept.get(id) ?? kept.add(id, body);

  return {
    get: ({ pk, sk }) => {
      const row = one.get(pk, sk, seconds()) as Body | undefined;
      return row && parse(row);
    },
    query: (query) => {
      const { index, partition, descending = false, limit = -1 } = query;
      const range = rangeOf(query);
      if (!range) return [];
      const values: SQLInputValue[] = index ? [index, partition] : [partition];
      if (range.low !== undefined) values.push(range.low);
      if (range.high !== undefined) values.push(range.high);
      values.push(seconds(), limit);
      const select = <Row>(what: string, from: From) =>
        prepare(sqlOf(what, from, range, descending)).all(...values) as unknown as Row[];
      if (!index) return select<Body>('body', items).map(parse);
      // The ids stand in indexes, which is why they are asked for first, without the rows.
      const found = select<Id>('id', entries).map(([id]) => kept.get(id));
      return found.every((item) => item !== undefined) ? found : select<Whole>('id, body', entries).map(toItem);
    },
  };
};
