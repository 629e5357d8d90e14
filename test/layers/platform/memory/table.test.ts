import { describe, expect, it } from 'vitest';

import { describeTable } from '../../../conformance/table.ts';
import { createMemoryTable } from '../../../../layers/platform/memory/table.ts';

describeTable('the table in memory', async () => ({ table: createMemoryTable() }));

describe('the table in memory', () => {
  it('fails writes on demand, before anything is changed', async () => {
    const table = createMemoryTable();
    table.onWrite = () => {
      throw new Error('no connection');
    };
    await expect(table.write([{ put: { pk: 'a', sk: 'b' } }])).rejects.toThrow('no connection');
    table.onWrite = undefined;
    expect(table.items()).toEqual([]);
  });
});
