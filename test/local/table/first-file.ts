/** Writes a table file as the first version of Ingot did. */
import { DatabaseSync } from 'node:sqlite';

import type { Item } from '../../../layers/platform/table.ts';

const schema = `
  CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pk TEXT NOT NULL, sk TEXT NOT NULL, expires_at REAL, body TEXT NOT NULL,
    UNIQUE (pk, sk)
  );
  CREATE INDEX expiring ON items (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE entries (
    name TEXT NOT NULL, partition TEXT NOT NULL, position TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL,
    expires_at REAL,
    PRIMARY KEY (name, partition, position, pk, sk)
  ) WITHOUT ROWID;
  PRAGMA user_version = 2;
`;

/** Attributes by which that version's indexes found an item. */
const places = (item: Item) => Object.entries(item).filter(([name]) => name === 'list' || name.startsWith('by_'));

/** `path` must not exist, its folder must. */
export const writeFirstFile = (path: string, items: readonly Item[]): void => {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${schema}`);
  const put = database.prepare('INSERT INTO items (pk, sk, body) VALUES (?, ?, ?)');
  const enter = database.prepare('INSERT INTO entries (name, partition, position, pk, sk) VALUES (?, ?, ?, ?, ?)');
  for (const item of items) {
    put.run(item.pk, item.sk, JSON.stringify(item));
    for (const [name, partition] of places(item)) {
      enter.run(name, partition as string, item['position'] as string, item.pk, item.sk);
    }
  }
  database.exec('COMMIT');
  database.close();
};
