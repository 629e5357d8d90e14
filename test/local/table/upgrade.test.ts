/** The table file of the first version, which had rows of its own for what its indexes found. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, expect, it } from 'vitest';

import { openTable } from '../../../local/table/table.ts';
import { createWriter } from '../../../local/table/writer.ts';
import type { Item } from '../../../layers/platform/table.ts';
import { describeUpgrade } from '../../conformance/upgrade.ts';
import { writeFirstFile } from './first-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-upgrade-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

const make = (items: readonly Item[]): string => {
  const path = join(folder, `${(files += 1)}`, 'table.db');
  mkdirSync(join(path, '..'));
  writeFirstFile(path, items);
  return path;
};

describeUpgrade('on node:sqlite', async (items) => {
  const path = make(items);
  const writer = createWriter(path);
  const table = openTable({ path, writer });
  return {
    table,
    close: async () => {
      table.close();
      await writer.close();
    },
  };
});

it('loses the rows of indexes that it had when it is opened, and is a file of this version then', async () => {
  const path = make([{ pk: 'a', sk: 'b', list: 'a#1', position: '1' }]);
  await createWriter(path).close();
  await createWriter(path).close();
  const database = new DatabaseSync(path);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
  expect(tables.all().map(({ name }) => name)).toEqual(['items', 'changes', 'deliveries']);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
  database.close();
});
