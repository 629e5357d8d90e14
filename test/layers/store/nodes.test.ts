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
import { absent, type Item } from '../../../layers/store/table.ts';
import { createFakeIds, fakeUuid } from '../../fakes/ids.ts';
import { createFakePorts } from '../../fakes/ports.ts';
import { aNode } from './a-node.ts';

const [one, two] = [fakeUuid(1), fakeUuid(2)];

const store = async (...nodes: Parameters<typeof aNode>) => {
  const ports = createFakePorts();
  for (const more of nodes) await createNode(ports, aNode(more));
  return ports;
};

describe('createNode', () => {
  it('stores the node, its instance_info apart, and its place in the lists', async () => {
    const node = aNode({ name: 'm1', instance_info: { image_source: 'x' }, resource_class: 'gold' });
    const ports = await store(node);
    expect(await readNode(ports.table, one)).toEqual(node);
    const item = await ports.table.get(nodeKey(one));
    expect(item).not.toHaveProperty('instance_info');
    expect(item).toMatchObject({ list: listPartition('node', shardOf(one)), by_resource_class: expect.any(String) });
    expect(item).not.toHaveProperty('by_owner');
    expect(await ports.table.get(instanceInfoKey(one))).toMatchObject({ values: { image_source: 'x' } });
  });

  it('refuses a taken uuid, name or instance_uuid and stores nothing', async () => {
    const ports = await store({ name: 'm1', instance_uuid: fakeUuid(9) });
    const before = ports.table.items();
    await expect(createNode(ports, aNode())).rejects.toThrow(`A node with UUID ${one} already exists.`);
    await expect(createNode(ports, aNode({ uuid: two, name: 'm1' }))).rejects.toThrow(/node name "m1" already exists/);
    await expect(createNode(ports, aNode({ uuid: two, instance_uuid: fakeUuid(9) }))).rejects.toMatchObject({
      name: 'Conflict',
      code: 409,
    });
    expect(ports.table.items()).toEqual(before);
  });

  it('writes what belongs with it in the same transaction', async () => {
    const ports = await store();
    const also = [{ put: { pk: nodePartition(one), sk: 'secret' } }];
    await createNode(ports, aNode(), also);
    await expect(createNode(ports, aNode({ uuid: two }), [{ ...also[0]!, when: [absent] }])).rejects.toMatchObject({
      name: 'ConditionFailed',
    });
    expect(await readNode(ports.table, two)).toBeUndefined();
  });
});

describe('findNode', () => {
  it('finds by uuid in either case and by name', async () => {
    const ports = await store({ uuid: 'abcdef00-0000-4000-8000-000000000001', name: 'm1' });
    expect((await findNode(ports.table, 'ABCDEF00-0000-4000-8000-000000000001')).name).toBe('m1');
    expect((await findNode(ports.table, 'm1')).uuid).toBe('abcdef00-0000-4000-8000-000000000001');
    for (const ident of [two, 'm2']) {
      await expect(findNode(ports.table, ident)).rejects.toThrow(`Node ${ident} could not be found.`);
    }
  });
});

describe('changeNode', () => {
  it('counts the revision, sets updated_at, and moves provision_updated_at with the state only', async () => {
    const ports = await store({});
    const { before, after: first } = await changeNode(ports, one, () => ({ set: { description: 'x' } }));
    expect(before).toMatchObject({ description: null, revision: 1 });
    expect(first).toMatchObject({ description: 'x', revision: 2, provision_updated_at: null });
    expect(first.updated_at).toBe('2026-01-01T00:00:00.000+00:00');
    ports.clock.advance(1000);
    const { after: second } = await changeNode(ports, one, () => ({ set: { provision_state: 'deploying' } }));
    expect(second.provision_updated_at).toBe('2026-01-01T00:00:01.000+00:00');
    expect(await readNode(ports.table, one)).toEqual(second);
  });

  it('writes nothing when the decision is to leave the node, or refuses', async () => {
    const ports = await store({});
    const before = ports.table.items();
    const { before: left, after } = await changeNode(ports, one, () => undefined);
    expect([left.revision, after.revision]).toEqual([1, 1]);
    const refuse = () => {
      throw new Error('no');
    };
    await expect(changeNode(ports, one, refuse)).rejects.toThrow('no');
    expect(ports.table.items()).toEqual(before);
    await expect(changeNode(ports, two, () => ({}))).rejects.toMatchObject({ name: 'NotFound', code: 404 });
  });

  it('loses none of 100 concurrent changes', async () => {
    const ports = await store({});
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) =>
        changeNode(ports, one, ({ extra }) => ({ set: { extra: { ...extra, [`k${n}`]: n } } })),
      ),
    );
    const node = await findNode(ports.table, one);
    expect(Object.keys(node.extra)).toHaveLength(100);
    expect(node.revision).toBe(101);
  });

  it('loses no change of instance_info that is made while it reads', async () => {
    const ports = await store({});
    const change = async (table: typeof ports.table, key: string) =>
      changeNode({ ...ports, table }, one, ({ instance_info }) => ({
        set: { instance_info: { ...instance_info, [key]: true } },
      }));
    let others = 0;
    const meanwhile = async (): Promise<void> => {
      if ((others += 1) === 1) await change(ports.table, 'theirs');
    };
    // Somebody else writes between any two reads, and a read of many comes in the worst order.
    const torn: typeof ports.table = {
      ...ports.table,
      get: async (key) => {
        const item = await ports.table.get(key);
        await meanwhile();
        return item;
      },
      getMany: async (keys) => {
        const items: (Item | undefined)[] = [];
        for (const key of keys.toReversed()) {
          items.unshift(await ports.table.get(key));
          await meanwhile();
        }
        return items;
      },
    };
    await change(torn, 'mine');
    expect((await findNode(ports.table, one)).instance_info).toEqual({ theirs: true, mine: true });
  });

  it('replaces instance_info only when it is set', async () => {
    const ports = await store({ instance_info: { image_source: 'x' } });
    await changeNode(ports, one, () => ({ set: { name: 'm1' } }));
    expect((await findNode(ports.table, one)).instance_info).toEqual({ image_source: 'x' });
    await changeNode(ports, one, () => ({ set: { instance_info: {} } }));
    expect((await findNode(ports.table, one)).instance_info).toEqual({});
  });

  it('moves the guards when a node is renamed, and frees the old name', async () => {
    const ports = await store({ name: 'old' });
    await changeNode(ports, one, () => ({ set: { name: 'new' } }));
    expect(await ports.table.get(guardKey('node_name', 'old'))).toBeUndefined();
    expect((await findNode(ports.table, 'new')).uuid).toBe(one);
    await createNode(ports, aNode({ uuid: two, name: 'old' }));
    await expect(changeNode(ports, two, () => ({ set: { name: 'new' } }))).rejects.toMatchObject({ code: 409 });
    expect((await findNode(ports.table, two)).name).toBe('old');
    await changeNode(ports, one, () => ({ set: { name: null } }));
    await expect(findNode(ports.table, 'new')).rejects.toMatchObject({ code: 404 });
  });

  it('moves the node between index partitions, and out of them', async () => {
    const ports = await store({ owner: 'a' });
    const listed = async (owner: string) =>
      ports.table.query({ index: 'by_owner', partition: `node#owner#${owner}#${shardOf(one)}` });
    expect(await listed('a')).toHaveLength(1);
    await changeNode(ports, one, () => ({ set: { owner: 'b' } }));
    expect([await listed('a'), (await listed('b')).length]).toEqual([[], 1]);
    await changeNode(ports, one, () => ({ set: { owner: null } }));
    expect(await listed('b')).toEqual([]);
  });

  it('appends events and makes other writes, all with the node or not at all', async () => {
    const ports = await store({});
    const other = { pk: nodePartition(one), sk: 'wait' };
    const event = { kind: 'request', severity: 'INFO', event_type: 'deploying', message: 'asked' } as const;
    await changeNode(ports, one, () => ({ events: [event, event], also: [{ put: { ...other }, when: [absent] }] }));
    const again = changeNode(ports, one, () => ({ events: [event], also: [{ put: { ...other }, when: [absent] }] }));
    await expect(again).rejects.toMatchObject({ name: 'ConditionFailed' });
    const events = await ports.table.query({ partition: nodePartition(one), begins: 'event#' });
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ ...event, provision_state: 'available' });
    expect((await findNode(ports.table, one)).revision).toBe(2);
  });

  it('gives up with 409 when others always come first', async () => {
    const ports = await store({});
    const decide = () => ({ set: { description: 'x' }, also: [] });
    ports.table.onWrite = async () => {
      const item = (await ports.table.get(nodeKey(one)))!;
      const hook = ports.table.onWrite;
      ports.table.onWrite = undefined;
      await ports.table.write([{ put: { ...item, revision: (item['revision'] as number) + 1 } }]);
      ports.table.onWrite = hook;
    };
    await expect(changeNode(ports, one, decide)).rejects.toThrow(/is being changed by others all the time/);
  });
});

describe('deleteNode', () => {
  const guards = (n: number) => [guardKey('port_address', `mac-${n}`), guardKey('port', `port-${n}`)];
  const addPorts = async (ports: Awaited<ReturnType<typeof store>>, from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      const item = { pk: nodePartition(one), sk: `port#${n}`, guards: guards(n) };
      await ports.table.write([{ put: item }, ...guards(n).map((key) => ({ put: { ...key, node: one } }))]);
    }
  };

  it('leaves nothing: no item, no guard, however much there was', async () => {
    const ports = await store({ name: 'm1', instance_uuid: two });
    await addPorts(ports, 0, 120);
    const ids = createFakeIds();
    for (let n = 0; n < 150; n += 1) {
      await ports.table.write([{ put: { pk: nodePartition(one), sk: `event#${ids.ulid()}` } }]);
    }
    await deleteNode(ports, await findNode(ports.table, one));
    expect(ports.table.items()).toEqual([]);
  });

  it('takes along what came while it was at it', async () => {
    const ports = await store({});
    await addPorts(ports, 0, 1);
    const node = await findNode(ports.table, one);
    ports.table.onWrite = async () => {
      ports.table.onWrite = undefined;
      await addPorts(ports, 1, 2);
    };
    await deleteNode(ports, node);
    expect(ports.table.items()).toEqual([]);
  });

  it('frees unique values in the very write that removes the node', async () => {
    const ports = await store({ name: 'm1' });
    await addPorts(ports, 0, 3);
    let writes = 0;
    ports.table.onWrite = () => {
      if ((writes += 1) === 2) throw new Error('killed');
    };
    await expect(deleteNode(ports, await findNode(ports.table, one))).rejects.toThrow('killed');
    expect(ports.table.items().filter(({ pk }) => pk.startsWith('unique#'))).toEqual([]);
  });

  it('refuses when the node has changed since it was read', async () => {
    const ports = await store({ name: 'm1' });
    const seen = await findNode(ports.table, one);
    await changeNode(ports, one, () => ({ set: { reservation: 'run' } }));
    await expect(deleteNode(ports, seen)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
    expect((await findNode(ports.table, 'm1')).reservation).toBe('run');
  });
});
