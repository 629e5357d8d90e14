import { describe, expect, it } from 'vitest';

import { guardKey } from '../../../layers/store/guards.ts';
import { listPartition, shardOf } from '../../../layers/store/indexes.ts';
import {
  changeNode,
  createNode,
  deleteNode,
  findNode,
  instanceInfoKey,
  nodeKey,
  nodePartition,
  readNode,
} from '../../../layers/store/nodes.ts';
import { absent, type Item } from '../../../layers/platform/table.ts';
import { createCountedIds, countedUuid } from '../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { aNode } from './a-node.ts';

const [one, two] = [countedUuid(1), countedUuid(2)];

const store = async (...nodes: Parameters<typeof aNode>) => {
  const platform = createMemoryPlatform();
  for (const more of nodes) await createNode(platform, aNode(more));
  return platform;
};

describe('createNode', () => {
  it('stores the node, its instance_info apart, and its place in the lists', async () => {
    const node = aNode({ name: 'm1', instance_info: { image_source: 'x' }, resource_class: 'gold' });
    const platform = await store(node);
    expect(await readNode(platform.table, one)).toEqual(node);
    const item = await platform.table.get(nodeKey(one));
    expect(item).not.toHaveProperty('instance_info');
    expect(item).toMatchObject({ list: listPartition('node', shardOf(one)), by_resource_class: expect.any(String) });
    expect(item).not.toHaveProperty('by_owner');
    expect(await platform.table.get(instanceInfoKey(one))).toMatchObject({ values: { image_source: 'x' } });
  });

  it('refuses a taken uuid, name or instance_uuid and stores nothing', async () => {
    const platform = await store({ name: 'm1', instance_uuid: countedUuid(9) });
    const before = platform.table.items();
    await expect(createNode(platform, aNode())).rejects.toThrow(`A node with UUID ${one} already exists.`);
    await expect(createNode(platform, aNode({ uuid: two, name: 'm1' }))).rejects.toThrow(
      /node name "m1" already exists/,
    );
    await expect(createNode(platform, aNode({ uuid: two, instance_uuid: countedUuid(9) }))).rejects.toMatchObject({
      name: 'Conflict',
      code: 409,
    });
    expect(platform.table.items()).toEqual(before);
  });

  it('writes what belongs with it in the same transaction', async () => {
    const platform = await store();
    const also = [{ put: { pk: nodePartition(one), sk: 'secret' } }];
    await createNode(platform, aNode(), also);
    await expect(createNode(platform, aNode({ uuid: two }), [{ ...also[0]!, when: [absent] }])).rejects.toMatchObject({
      name: 'ConditionFailed',
    });
    expect(await readNode(platform.table, two)).toBeUndefined();
  });
});

describe('findNode', () => {
  it('finds by uuid in either case and by name', async () => {
    const platform = await store({ uuid: 'abcdef00-0000-4000-8000-000000000001', name: 'm1' });
    expect((await findNode(platform.table, 'ABCDEF00-0000-4000-8000-000000000001')).name).toBe('m1');
    expect((await findNode(platform.table, 'm1')).uuid).toBe('abcdef00-0000-4000-8000-000000000001');
    for (const ident of [two, 'm2']) {
      await expect(findNode(platform.table, ident)).rejects.toThrow(`Node ${ident} could not be found.`);
    }
  });
});

describe('changeNode', () => {
  it('counts the revision, sets updated_at, and moves provision_updated_at with the state only', async () => {
    const platform = await store({});
    const { before, after: first } = await changeNode(platform, one, () => ({ set: { description: 'x' } }));
    expect(before).toMatchObject({ description: null, revision: 1 });
    expect(first).toMatchObject({ description: 'x', revision: 2, provision_updated_at: null });
    expect(first.updated_at).toBe('2026-01-01T00:00:00.000+00:00');
    platform.clock.advance(1000);
    const { after: second } = await changeNode(platform, one, () => ({ set: { provision_state: 'deploying' } }));
    expect(second.provision_updated_at).toBe('2026-01-01T00:00:01.000+00:00');
    expect(await readNode(platform.table, one)).toEqual(second);
  });

  it('writes nothing when the decision is to leave the node, or refuses', async () => {
    const platform = await store({});
    const before = platform.table.items();
    const { before: left, after } = await changeNode(platform, one, () => undefined);
    expect([left.revision, after.revision]).toEqual([1, 1]);
    const refuse = () => {
      throw new Error('no');
    };
    await expect(changeNode(platform, one, refuse)).rejects.toThrow('no');
    expect(platform.table.items()).toEqual(before);
    await expect(changeNode(platform, two, () => ({}))).rejects.toMatchObject({ name: 'NotFound', code: 404 });
  });

  it('loses none of 100 concurrent changes', async () => {
    const platform = await store({});
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) =>
        changeNode(platform, one, ({ extra }) => ({ set: { extra: { ...extra, [`k${n}`]: n } } })),
      ),
    );
    const node = await findNode(platform.table, one);
    expect(Object.keys(node.extra)).toHaveLength(100);
    expect(node.revision).toBe(101);
  });

  it('loses no change of instance_info that is made while it reads', async () => {
    const platform = await store({});
    const change = async (table: typeof platform.table, key: string) =>
      changeNode({ ...platform, table }, one, ({ instance_info }) => ({
        set: { instance_info: { ...instance_info, [key]: true } },
      }));
    let others = 0;
    const meanwhile = async (): Promise<void> => {
      if ((others += 1) === 1) await change(platform.table, 'theirs');
    };
    // Somebody else writes between any two reads, and a read of many comes in the worst order.
    const torn: typeof platform.table = {
      ...platform.table,
      get: async (key) => {
        const item = await platform.table.get(key);
        await meanwhile();
        return item;
      },
      getMany: async (keys) => {
        const items: (Item | undefined)[] = [];
        for (const key of keys.toReversed()) {
          items.unshift(await platform.table.get(key));
          await meanwhile();
        }
        return items;
      },
    };
    await change(torn, 'mine');
    expect((await findNode(platform.table, one)).instance_info).toEqual({ theirs: true, mine: true });
  });

  it('replaces instance_info only when it is set', async () => {
    const platform = await store({ instance_info: { image_source: 'x' } });
    await changeNode(platform, one, () => ({ set: { name: 'm1' } }));
    expect((await findNode(platform.table, one)).instance_info).toEqual({ image_source: 'x' });
    await changeNode(platform, one, () => ({ set: { instance_info: {} } }));
    expect((await findNode(platform.table, one)).instance_info).toEqual({});
  });

  it('moves the guards when a node is renamed, and frees the old name', async () => {
    const platform = await store({ name: 'old' });
    await changeNode(platform, one, () => ({ set: { name: 'new' } }));
    expect(await platform.table.get(guardKey('node_name', 'old'))).toBeUndefined();
    expect((await findNode(platform.table, 'new')).uuid).toBe(one);
    await createNode(platform, aNode({ uuid: two, name: 'old' }));
    await expect(changeNode(platform, two, () => ({ set: { name: 'new' } }))).rejects.toMatchObject({ code: 409 });
    expect((await findNode(platform.table, two)).name).toBe('old');
    await changeNode(platform, one, () => ({ set: { name: null } }));
    await expect(findNode(platform.table, 'new')).rejects.toMatchObject({ code: 404 });
  });

  it('moves the node between index partitions, and out of them', async () => {
    const platform = await store({ owner: 'a' });
    const listed = async (owner: string) =>
      platform.table.query({ index: 'by_owner', partition: `node#owner#${owner}#${shardOf(one)}` });
    expect(await listed('a')).toHaveLength(1);
    await changeNode(platform, one, () => ({ set: { owner: 'b' } }));
    expect([await listed('a'), (await listed('b')).length]).toEqual([[], 1]);
    await changeNode(platform, one, () => ({ set: { owner: null } }));
    expect(await listed('b')).toEqual([]);
  });

  it('appends events and makes other writes, all with the node or not at all', async () => {
    const platform = await store({});
    const other = { pk: nodePartition(one), sk: 'wait' };
    const event = { kind: 'request', severity: 'INFO', event_type: 'deploying', message: 'asked' } as const;
    await changeNode(platform, one, () => ({ events: [event, event], also: [{ put: { ...other }, when: [absent] }] }));
    const again = changeNode(platform, one, () => ({ events: [event], also: [{ put: { ...other }, when: [absent] }] }));
    await expect(again).rejects.toMatchObject({ name: 'ConditionFailed' });
    const events = await platform.table.query({ partition: nodePartition(one), begins: 'event#' });
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ ...event, provision_state: 'available' });
    expect((await findNode(platform.table, one)).revision).toBe(2);
  });

  it('gives up with 409 when others always come first', async () => {
    const platform = await store({});
    const decide = () => ({ set: { description: 'x' }, also: [] });
    platform.table.onWrite = async () => {
      const item = (await platform.table.get(nodeKey(one)))!;
      const hook = platform.table.onWrite;
      platform.table.onWrite = undefined;
      await platform.table.write([{ put: { ...item, revision: (item['revision'] as number) + 1 } }]);
      platform.table.onWrite = hook;
    };
    await expect(changeNode(platform, one, decide)).rejects.toThrow(/is being changed by others all the time/);
  });
});

describe('deleteNode', () => {
  const guards = (n: number) => [guardKey('port_address', `mac-${n}`), guardKey('port', `port-${n}`)];
  const addPorts = async (platform: Awaited<ReturnType<typeof store>>, from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      const item = { pk: nodePartition(one), sk: `port#${n}`, guards: guards(n) };
      await platform.table.write([{ put: item }, ...guards(n).map((key) => ({ put: { ...key, node: one } }))]);
    }
  };

  it('leaves nothing: no item, no guard, however much there was', async () => {
    const platform = await store({ name: 'm1', instance_uuid: two });
    await addPorts(platform, 0, 120);
    const ids = createCountedIds();
    for (let n = 0; n < 150; n += 1) {
      await platform.table.write([{ put: { pk: nodePartition(one), sk: `event#${ids.ulid()}` } }]);
    }
    await deleteNode(platform, await findNode(platform.table, one));
    expect(platform.table.items()).toEqual([]);
  });

  it('takes along what came while it was at it', async () => {
    const platform = await store({});
    await addPorts(platform, 0, 1);
    const node = await findNode(platform.table, one);
    platform.table.onWrite = async () => {
      platform.table.onWrite = undefined;
      await addPorts(platform, 1, 2);
    };
    await deleteNode(platform, node);
    expect(platform.table.items()).toEqual([]);
  });

  it('frees unique values in the very write that removes the node', async () => {
    const platform = await store({ name: 'm1' });
    await addPorts(platform, 0, 3);
    let writes = 0;
    platform.table.onWrite = () => {
      if ((writes += 1) === 2) throw new Error('killed');
    };
    await expect(deleteNode(platform, await findNode(platform.table, one))).rejects.toThrow('killed');
    expect(platform.table.items().filter(({ pk }) => pk.startsWith('unique#'))).toEqual([]);
  });

  it('refuses when the node has changed since it was read', async () => {
    const platform = await store({ name: 'm1' });
    const seen = await findNode(platform.table, one);
    await changeNode(platform, one, () => ({ set: { reservation: 'run' } }));
    await expect(deleteNode(platform, seen)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
    expect((await findNode(platform.table, 'm1')).reservation).toBe('run');
  });
});
