/** Reads of one thread: prepared statements on a connection of its own; each sees the last commit. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

import { rangeOf, type Range } from '../../layers/store/range.ts';
import type { Item, Key, Query } from '../../layers/store/table.ts';

export type Reader = {
  get(key: Key): Item | undefined;
  query(query: Query): Item[];
};

const selects = {
  table: { sort: 'sk', from: 'SELECT body FROM items WHERE pk = ?' },
  index: {
    sort: 'position',
    from: 'SELECT body FROM entries JOIN items USING (pk, sk) WHERE name = ? AND partition = ?',
  },
} as const;

const alive = '(expires_at IS NULL OR expires_at > ?)';

const sqlOf = (kind: keyof typeof selects, { low, open, high }: Range, descending: boolean): string => {
  const { sort, from } = selects[kind];
  const [above, below] = [low === undefined ? '' : ` AND ${sort} ${open ? '>' : '>='} ?`, high && ` AND ${sort} < ?`];
  return `${from}${above}${below ?? ''} AND ${alive} ORDER BY ${sort} ${descending ? 'DESC' : 'ASC'} LIMIT ?`;
};

const parse = (row: Record<string, unknown> | undefined): Item | undefined =>
  row && (JSON.parse(row['body'] as string) as Item);

/** `now` is milliseconds since the epoch; items past their `expires_at` are left out. */
export const createReader = (database: DatabaseSync, now: () => number): Reader => {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const seconds = () => now() / 1000;
  const one = prepare(`SELECT body FROM items WHERE pk = ? AND sk = ? AND ${alive}`);

  return {
    get: ({ pk, sk }) => parse(one.get(pk, sk, seconds())),
    query: (query) => {
      const { index, partition, descending = false, limit = -1 } = query;
      const range = rangeOf(query);
      if (!range) return [];
      const values: SQLInputValue[] = index ? [index, partition] : [partition];
      if (range.low !== undefined) values.push(range.low);
      if (range.high !== undefined) values.push(range.high);
      const statement = prepare(sqlOf(index ? 'index' : 'table', range, descending));
      return statement.all(...values, seconds(), limit).map((row) => parse(row)!);
    },
  };
};
