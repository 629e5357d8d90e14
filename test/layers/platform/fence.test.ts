/** Behind the fence a table is the same; over it nobody gets, reading or writing. */
import { describe, expect, it } from 'vitest';

import { fenceTable } from '../../../layers/platform/fence.ts';
import { createMemoryTable } from '../../../layers/platform/memory/table.ts';

const open = () => {
  const table = createMemoryTable();
  return { table, fenced: fenceTable(table, { read: ['node#*', 'upgrade'], write: ['node#*'] }) };
};
const inside = { pk: 'node#1', sk: 'node' };

describe('a table behind a fence', () => {
  it('is read and written within it', async () => {
    const { fenced } = open();
    await fenced.write([{ put: { ...inside, name: 'm1' } }]);
    expect(await fenced.get(inside)).toMatchObject({ name: 'm1' });
    expect(await fenced.getMany([inside, { pk: 'upgrade', sk: 'upgrade' }])).toMatchObject([{ name: 'm1' }, undefined]);
    expect(await fenced.query({ partition: 'node#1' })).toHaveLength(1);
  });

  it.each([
    ['upgrades', { pk: 'upgrades', sk: 'upgrade' }],
    ['chassis#1', { pk: 'chassis#1', sk: 'chassis' }],
  ])('is not read beside it: %s', async (what, key) => {
    const { fenced } = open();
    const refusal = { name: 'AccessDenied', message: expect.stringContaining(what) };
    await expect(fenced.get(key)).rejects.toMatchObject(refusal);
    await expect(fenced.getMany([inside, key])).rejects.toMatchObject(refusal);
    await expect(fenced.query({ partition: key.pk })).rejects.toMatchObject(refusal);
    await expect(fenced.scan({ limit: 1 })).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  it('is not written beside it, also if only one write of several is there', async () => {
    const { table, fenced } = open();
    const writes = [{ put: inside }, { delete: { pk: 'upgrade', sk: 'upgrade' } }];
    await expect(fenced.write(writes)).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(table.items()).toEqual([]);
  });
});
