import { beforeEach, describe, expect, it } from 'vitest';

import type { Page } from '../../../../layers/domain/page.ts';
import { countedUlid, countedUuid } from '../../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform, type MemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import type { Item, Key } from '../../../../layers/platform/table.ts';
import { newRecord } from '../../../../layers/store/kinds/form.ts';
import { keyOf } from '../../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import type { ListedNode, StoredNode } from '../../../../layers/store/nodes.ts';
import { changeRecord, createRecord, removeRecord } from '../../../../layers/store/records/change.ts';
import {
  eachRecord,
  isAny,
  listRecords,
  recordsIn,
  uuidsIn,
  type Choice,
} from '../../../../layers/store/records/list.ts';
import { aNode } from '../a-node.ts';

let platform: MemoryPlatform;
/** Keys of what lists have read besides entries. */
let read: Key[];

const uuid = (n: number) => countedUuid(n);
const create = async (n: number, more: Partial<StoredNode> = {}) =>
  createRecord(platform, kinds.node, aNode({ uuid: uuid(n), position: countedUlid(n), ...more }));
const all: Page = { limit: 1000, marker: undefined, sort_key: 'id', descending: false };
const list = async (choice: Choice<ListedNode> = {}, page: Partial<Page> = {}) =>
  listRecords<ListedNode>(platform.table, kinds.node, { ...all, ...page }, choice);
const numbers = (nodes: readonly { uuid: string }[]) => nodes.map((node) => Number(node.uuid.slice(-4)));

beforeEach(async () => {
  platform = createMemoryPlatform();
  for (let n = 1; n <= 30; n += 1) {
    await create(n, {
      name: `n${n}`,
      owner: n % 2 === 0 ? 'even' : 'odd',
      provision_state: n > 20 ? 'active' : 'available',
    });
  }
  read = [];
  const { getMany } = platform.table;
  Object.assign(platform.table, {
    getMany: async (keys: readonly Key[], ...options: []) => {
      read.push(...keys);
      return getMany(keys, ...options);
    },
  });
});

describe('a page', () => {
  it('has everything in the order of creation, and goes on after its marker', async () => {
    expect(numbers(await list({}, { limit: 3 }))).toEqual([1, 2, 3]);
    expect(numbers(await list({}, { limit: 3, marker: uuid(3) }))).toEqual([4, 5, 6]);
    expect(numbers(await list({}, { limit: 3, marker: uuid(3), descending: true }))).toEqual([2, 1]);
    expect(numbers(await list({}, { limit: 2, sort_key: 'name', descending: true }))).toEqual([9, 8]);
  });

  it('reads the records of the page and no other, by an index too', async () => {
    const lookups = [{ index: 'owner', value: 'even' }];
    expect(numbers(await list({ lookups }, { limit: 4 }))).toEqual([2, 4, 6, 8]);
    expect(read).toEqual([2, 4, 6, 8].map((n) => keyOf(kinds.node, uuid(n))));
  });

  it('reads no record where entries tell enough', async () => {
    const reads = ['uuid', 'name', 'provision_state', 'owner'];
    expect(await list({ reads, keep: ({ owner }) => owner === 'odd' }, { limit: 2 })).toEqual([
      expect.objectContaining({ uuid: uuid(1), name: 'n1', provision_state: 'available', maintenance: false }),
      expect.objectContaining({ uuid: uuid(3), name: 'n3', instance_uuid: null }),
    ]);
    const lookups = [{ index: 'provision_state', value: 'active' }];
    expect(numbers(await list({ reads, lookups }))).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    expect(
      numbers(await list({ reads: ['uuid'], lookups: [{ index: 'driver', value: 'fake-hardware' }] })),
    ).toHaveLength(30);
    expect(read).toEqual([]);
  });

  it('reads them where one of what is asked for is not in the entries', async () => {
    const lookups = [{ index: 'provision_state', value: 'active' }];
    await list({ lookups, reads: ['uuid', 'driver'] });
    expect(read).toHaveLength(10);
    await list({ reads: ['name'] }, { sort_key: 'driver' });
    expect(read).toHaveLength(40);
    await list({ lookups: [{ index: 'owner', value: 'odd' }], reads: ['uuid', 'name'] });
    expect(read).toHaveLength(55);
  });

  it('shows no record that has left its place, or is gone, when what its entry leads to is read', async () => {
    const { query } = platform.table;
    const meanwhile = async () => {
      Object.assign(platform.table, { query });
      await changeRecord(platform, kinds.node, uuid(2), () => ({ set: { owner: 'odd' } }));
      await removeRecord(platform, kinds.node, uuid(4));
    };
    let queries = 0;
    Object.assign(platform.table, {
      query: async (...options: Parameters<typeof query>) => {
        const found = await query(...options);
        if ((queries += 1) === 16) await meanwhile();
        return found;
      },
    });
    expect(numbers(await list({ lookups: [{ index: 'owner', value: 'even' }] }, { limit: 3 }))).toEqual([6, 8, 10]);
  });

  it('is right when what may be old is', async () => {
    const { getMany } = platform.table;
    const old = (await platform.table.get(keyOf(kinds.node, uuid(2))))!;
    await changeRecord(platform, kinds.node, uuid(2), () => ({ set: { owner: 'new' } }));
    await create(31, { owner: 'new' });
    const isOld = ({ pk }: Key) => pk === old.pk;
    Object.assign(platform.table, {
      getMany: async (keys: readonly Key[], options: { stale?: boolean } = {}): Promise<(Item | undefined)[]> =>
        options.stale ? keys.map((key) => (isOld(key) ? old : undefined)) : getMany(keys, options),
    });
    const lookups = [{ index: 'owner', value: 'new' }];
    expect(await list({ lookups })).toMatchObject([{ uuid: uuid(2), owner: 'new' }, { uuid: uuid(31) }]);
  });

  it('knows no marker that is not there, or that the caller may not see', async () => {
    await expect(list({}, { marker: uuid(99) })).rejects.toMatchObject({ code: 404 });
    const sees = ({ owner }: ListedNode) => owner === 'odd';
    await expect(list({ sees, keep: sees }, { marker: uuid(2) })).rejects.toMatchObject({ code: 404 });
    // One that filters leave out is one all the same.
    expect(numbers(await list({ keep: sees }, { marker: uuid(2), limit: 2 }))).toEqual([3, 5]);
  });

  it('of what belongs to nodes is one of all nodes', async () => {
    const port = (n: number) =>
      newRecord(platform, kinds.port, { node_uuid: uuid(n), address: `52:54:00:00:00:0${n}`, description: `of ${n}` });
    for (const n of [3, 1, 2]) await createRecord(platform, kinds.port, port(n));
    read = [];
    const ports = await listRecords(platform.table, kinds.port, all, { reads: ['address', 'node_uuid'] });
    expect(ports.map(({ node_uuid: node }) => node)).toEqual([uuid(3), uuid(1), uuid(2)]);
    expect(read).toEqual([]);
    const whole = await listRecords(platform.table, kinds.port, { ...all, marker: ports[0]!.uuid });
    expect(whole).toMatchObject([{ description: 'of 1' }, { description: 'of 2' }]);
  });
});

describe('what is found under a value', () => {
  const lookup = { index: 'owner', value: 'even' };

  it('is each once, also under two', async () => {
    const seen: string[] = [];
    const lookups = [lookup, { index: 'provision_state', value: 'active' }];
    await eachRecord(platform.table, kinds.node, { lookups }, ({ uuid: found }) => seen.push(found));
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen).toHaveLength(20);
  });

  it('are the UUIDs without any record read', async () => {
    expect(await uuidsIn(platform.table, kinds.node, [lookup])).toHaveLength(15);
    expect(await isAny(platform.table, kinds.node, lookup)).toBe(true);
    expect(await isAny(platform.table, kinds.node, { index: 'owner', value: 'nobody' })).toBe(false);
    expect(read).toEqual([]);
  });

  it('comes in parts, a shard after the other', async () => {
    const parts: number[][] = [];
    const arrange = <T>(shards: readonly T[]) => shards;
    const reader = recordsIn<ListedNode>(platform.table, kinds.node, lookup, { chunk: 2, arrange });
    for await (const part of reader) parts.push(numbers(part));
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(2);
    expect(parts.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, at) => 2 * at + 2));
  });
});
