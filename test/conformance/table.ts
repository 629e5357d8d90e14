/** What every table does alike: in memory, on node:sqlite, on DynamoDB. */
import { afterAll, beforeAll, describe } from 'vitest';

import type { Table } from '../../layers/platform/table.ts';
import { describeConditions, describeRaces } from './table-conditions.ts';
import { describeLimits } from './table-limits.ts';
import { describeExpiry, describeQueries, describeScans } from './table-queries.ts';
import { describeItems, describeTransactions, describeUpdates } from './table-writes.ts';

export type TableUnderTest = { readonly table: Table; readonly close?: () => Promise<void> };

/** `make` opens an empty table, once; the cases use partitions of their own. */
export const describeTable = (name: string, make: () => Promise<TableUnderTest>): void => {
  let opened: TableUnderTest;
  const table: Table = {
    get: async (key) => opened.table.get(key),
    getMany: async (keys, options) => opened.table.getMany(keys, options),
    query: async (query) => opened.table.query(query),
    scan: async (options) => opened.table.scan(options),
    write: async (writes) => opened.table.write(writes),
  };
  beforeAll(async () => {
    opened = await make();
  });
  afterAll(async () => opened?.close?.());

  describe(name, () => {
    describeItems(table);
    describeUpdates(table);
    describeConditions(table);
    describeTransactions(table);
    describeQueries(table);
    describeScans(table);
    describeExpiry(table);
    describeLimits(table);
    describeRaces(table);
  });
};
