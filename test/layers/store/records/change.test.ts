import { describe, expect, it } from 'vitest';

import { Invalid } from '../../../../layers/domain/fault.ts';
import { createCountedIds, countedUuid } from '../../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform, type MemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { absent, equals, type Item } from '../../../../layers/platform/table.ts';
import { entryPartition, placeIn, shardOf, uuidOfEntry } from '../../../../layers/store/entries.ts';
import { companions } from '../../../../layers/store/kinds/companions.ts';
import { newRecord } from '../../../../layers/store/kinds/form.ts';
import { guardKey, partition } from '../../../../layers/store/kinds/key.ts';
import { apartKey, keyOf } from '../../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { changeRecord, createRecord, removeRecord, type Decide } from '../../../../layers/store/records/change.ts';
import { findRecord, readRecord } from '../../../../layers/store/records/find.ts';
import { beside } from '../../../../layers/store/records/plan.ts';
import { aNode } from '../a-node.ts';
import { withoutNote } from '../due-entries.ts';

const [one, two] = [countedUuid(1), countedUuid(2)];

const store = async (...nodes: Partial<StoredNode>[]) => {
  const platform = createMemoryPlatform();
  for (const more of nodes) await createRecord(platform, kinds.node, aNode(more));
  return platform;
};
const find = async ({ table }: MemoryPlatform, ident: string) => findRecord(table, kinds.node, ident);
const read = async ({ table }: MemoryPlatform, uuid: string) => readRecord(table, kinds.node, uuid);
/** The node as the change leaves it. */
const change = async (platform: MemoryPlatform, uuid: string, decide: Decide<StoredNode, never>) =>
  (await changeRecord(platform, kinds.node, uuid, decide)).after;
/** Somebody else changes the node before the next write. */
const overtake = (platform: MemoryPlatform, set: Partial<StoredNode> = { extra: { theirs: true } }) => {
  platform.table.onWrite = async () => {
    platform.table.onWrite = undefined;
    await change(platform, one, () => ({ set }));
  };
};
/** The UUIDs of what lists find in a place, in the shard of the first node. */
const listed = async ({ table }: MemoryPlatform, place: string) =>
  (await table.query({ partition: entryPartition(kinds.node, place, shardOf(one)) })).map(uuidOfEntry);
const withPort = async (platform: MemoryPlatform, values: object = {}) => {
  const port = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01', ...values });
  await createRecord(platform, kinds.port, port);
  return port;
};

describe('a new record', () => {
  it('is stored with its place in the lists, and what is kept apart of it in an item of its own', async () => {
    const node = aNode({ name: 'm1', instance_info: { image_source: 'x' }, resource_class: 'gold' });
    const platform = await store(node);
    const places = ['list#', 'resource_class#gold', 'maintenance#false'];
    expect(await read(platform, one)).toEqual(node);
    const item = await platform.table.get(keyOf(kinds.node, one));
    expect(item).not.toHaveProperty('instance_info');
    for (const place of places) expect(await listed(platform, place)).toEqual([one]);
    expect(item!['places']).not.toContainEqual(expect.stringMatching(/^owner/));
    expect(await platform.table.get(apartKey(kinds.node, one, 'instance_info'))).toMatchObject({
      values: { image_source: 'x' },
    });
  });

  it('is refused with a taken uuid, name or instance_uuid, and nothing is stored', async () => {
    const platform = await store({ name: 'm1', instance_uuid: countedUuid(9) });
    const before = platform.table.items();
    const refusals = [
      [aNode(), `A node with UUID ${one} already exists.`],
      [aNode({ uuid: two, name: 'm1' }), 'A node name "m1" already exists, choose another.'],
      [
        aNode({ uuid: two, instance_uuid: countedUuid(9) }),
        `A instance uuid "${countedUuid(9)}" already exists, choose another.`,
      ],
    ] as const;
    for (const [node, message] of refusals) {
      await expect(createRecord(platform, kinds.node, node)).rejects.toMatchObject({ name: 'Conflict', message });
    }
    expect(platform.table.items()).toEqual(before);
  });

  it('of a node is refused with a taken uuid, also where the other is of the same node', async () => {
    const platform = await store({});
    const { uuid } = await withPort(platform);
    const message = `A port with UUID ${uuid} already exists.`;
    await expect(withPort(platform, { uuid, address: '52:54:00:00:00:02' })).rejects.toMatchObject({ message });
    await expect(withPort(platform)).rejects.toThrow('A port with MAC address 52:54:00:00:00:01 already exists.');
    await expect(withPort(platform, { node_uuid: two })).rejects.toThrow(`Node ${two} could not be found.`);
  });

  it('takes along what belongs into the same transaction', async () => {
    const platform = await store();
    const also = [companions.secret.put(one, { values: {}, revision: 1 })];
    await createRecord(platform, kinds.node, aNode(), () => ({ also }));
    const again = () => ({ also: [{ ...also[0]!, when: [absent] }] });
    await expect(createRecord(platform, kinds.node, aNode({ uuid: two }), again)).rejects.toMatchObject({ code: 409 });
    expect(await read(platform, two)).toBeUndefined();
  });

  it('is refused by who may, asked again with what it belongs to as it is by then', async () => {
    const platform = await store({});
    const seen: string[] = [];
    overtake(platform, { provision_state: 'cleaning' });
    const port = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01' });
    const created = createRecord(platform, kinds.port, port, ({ provision_state: state }) => {
      seen.push(state);
      if (state === 'cleaning') throw Invalid('not while it is cleaned');
    });
    await expect(created).rejects.toThrow('not while it is cleaned');
    expect(seen).toEqual(['available', 'cleaning']);
  });
});

describe('finding a record', () => {
  it('goes by uuid in either case and by name', async () => {
    const platform = await store({ uuid: 'abcdef00-0000-4000-8000-000000000001', name: 'm1' });
    expect((await find(platform, 'ABCDEF00-0000-4000-8000-000000000001')).name).toBe('m1');
    expect((await find(platform, 'm1')).uuid).toBe('abcdef00-0000-4000-8000-000000000001');
    for (const ident of [two, 'm2']) {
      await expect(find(platform, ident)).rejects.toThrow(`Node ${ident} could not be found.`);
    }
  });
});

describe('a change', () => {
  it('answers both forms, counts the revision, sets updated_at, and moves provision_updated_at with the state only', async () => {
    const platform = await store({});
    const { before, after } = await changeRecord(platform, kinds.node, one, () => ({ set: { description: 'x' } }));
    expect(before).toEqual(aNode());
    expect(after).toMatchObject({ description: 'x', revision: 2, provision_updated_at: null });
    expect(after.updated_at).toBe('2026-01-01T00:00:00.000+00:00');
    platform.clock.advance(1000);
    const second = await change(platform, one, () => ({ set: { provision_state: 'deploying' } }));
    expect(second.provision_updated_at).toBe('2026-01-01T00:00:01.000+00:00');
    expect(await read(platform, one)).toEqual(second);
  });

  it('writes nothing when the decision is to leave the record, or refuses', async () => {
    const platform = await store({});
    const items = platform.table.items();
    const { before, after } = await changeRecord(platform, kinds.node, one, () => undefined);
    expect([before === after, after.revision]).toEqual([true, 1]);
    const refuse = () => {
      throw new Error('no');
    };
    await expect(change(platform, one, refuse)).rejects.toThrow('no');
    expect(platform.table.items()).toEqual(items);
    await expect(change(platform, two, () => ({}))).rejects.toMatchObject({ name: 'NotFound', code: 404 });
  });

  it('loses none of 100 concurrent ones', async () => {
    const platform = await store({});
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) =>
        change(platform, one, ({ extra }) => ({ set: { extra: { ...extra, [`k${n}`]: n } } })),
      ),
    );
    const node = await find(platform, one);
    expect(Object.keys(node.extra)).toHaveLength(100);
    expect(node.revision).toBe(101);
  });

  it('loses no change of what is kept apart that is made while it reads', async () => {
    const platform = await store({});
    const add = async (table: typeof platform.table, key: string) =>
      change({ ...platform, table }, one, ({ instance_info }) => ({
        set: { instance_info: { ...instance_info, [key]: true } },
      }));
    let others = 0;
    const meanwhile = async (): Promise<void> => {
      if ((others += 1) === 1) await add(platform.table, 'theirs');
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
    await add(torn, 'mine');
    expect((await find(platform, one)).instance_info).toEqual({ theirs: true, mine: true });
  });

  it('is refused only by what is there: a refusal of what is not any more is decided again', async () => {
    const platform = await store({ description: 'free' });
    const { after } = await changeRecord(platform, kinds.node, one, async ({ description }) => {
      if (description === 'free') {
        await change(platform, one, () => ({ set: { description: 'taken' } }));
        throw Invalid('decided on what is gone');
      }
      return { set: { extra: { description } } };
    });
    expect(after).toMatchObject({ description: 'taken', extra: { description: 'taken' }, revision: 3 });
  });

  it('replaces what is kept apart only when it is set', async () => {
    const platform = await store({ instance_info: { image_source: 'x' } });
    await change(platform, one, () => ({ set: { name: 'm1' } }));
    expect((await find(platform, one)).instance_info).toEqual({ image_source: 'x' });
    await change(platform, one, () => ({ set: { instance_info: {} } }));
    expect((await find(platform, one)).instance_info).toEqual({});
  });

  it('moves the guards of unique values, and frees the old ones', async () => {
    const platform = await store({ name: 'old' });
    await change(platform, one, () => ({ set: { name: 'new' } }));
    expect(await platform.table.get(guardKey('node_name', 'old'))).toBeUndefined();
    expect((await find(platform, 'new')).uuid).toBe(one);
    await createRecord(platform, kinds.node, aNode({ uuid: two, name: 'old' }));
    await expect(change(platform, two, () => ({ set: { name: 'new' } }))).rejects.toMatchObject({ code: 409 });
    expect((await find(platform, two)).name).toBe('old');
    await change(platform, one, () => ({ set: { name: null } }));
    await expect(find(platform, 'new')).rejects.toMatchObject({ code: 404 });
  });

  it('moves the record between the places of lists, and out of them', async () => {
    const platform = await store({ owner: 'a' });
    const owned = async (owner: string) => listed(platform, placeIn('owner', owner));
    expect(await owned('a')).toEqual([one]);
    await change(platform, one, () => ({ set: { owner: 'b' } }));
    expect([await owned('a'), await owned('b')]).toEqual([[], [one]]);
    await change(platform, one, () => ({ set: { owner: null } }));
    expect(await owned('b')).toEqual([]);
  });

  it('takes other writes along, all with the record or not at all, and is decided again if one is refused', async () => {
    const platform = await store({});
    const wait = (count: number) =>
      companions.wait.put(one, { token: `t${count}`, phase: 'p', run: 'r', since: '2026-01-01' });
    let asked = 0;
    await change(platform, one, () => ({ also: [{ ...wait(1), when: [absent] }] }));
    await change(platform, one, () => {
      asked += 1;
      const when = asked === 1 ? absent : equals('token', 't1');
      return { set: { description: `try ${asked}` }, also: [{ ...wait(2), when: [when] }] };
    });
    expect(asked).toBe(2);
    expect(await find(platform, one)).toMatchObject({ description: 'try 2', revision: 3 });
    expect(await companions.wait.read(platform.table, one)).toMatchObject({ token: 't2' });
  });

  it('gives up with 409 when others always come first', async () => {
    const platform = await store({});
    platform.table.onWrite = async () => {
      const item = (await platform.table.get(keyOf(kinds.node, one)))!;
      const hook = platform.table.onWrite;
      platform.table.onWrite = undefined;
      await platform.table.write([{ put: { ...item, revision: (item['revision'] as number) + 1 } }]);
      platform.table.onWrite = hook;
    };
    const refused = change(platform, one, () => ({ set: { description: 'x' } }));
    await expect(refused).rejects.toThrow(/is being changed by others all the time/);
  });

  it('of what belongs to a node depends on the node as it was decided on', async () => {
    const platform = await store({});
    const { uuid } = await withPort(platform);
    const seen: unknown[] = [];
    overtake(platform);
    await changeRecord(platform, kinds.port, uuid, (_port, node) => {
      seen.push(node.extra);
      return { set: { description: 'x' } };
    });
    expect(seen).toEqual([{}, { theirs: true }]);
  });

  it('moves what belongs to a node to another one, where its guards then lead', async () => {
    const platform = await store({}, { uuid: two });
    const { uuid } = await withPort(platform);
    await changeRecord(platform, kinds.port, uuid, () => ({ set: { node_uuid: two } }));
    expect(await platform.table.get(keyOf(kinds.port, uuid, one))).toBeUndefined();
    expect(await findRecord(platform.table, kinds.port, uuid)).toMatchObject({ node_uuid: two, revision: 2 });
    const guard = await platform.table.get(guardKey('port_address', '52:54:00:00:00:01'));
    expect(guard).toMatchObject({ node: two, port: uuid });
  });

  it('changes other records beside, in one transaction, again with all of them if one was changed meanwhile', async () => {
    const platform = await store({}, { uuid: two });
    let reads = 0;
    await changeRecord(platform, kinds.node, two, async () => {
      const other = (await read(platform, one))!;
      reads += 1;
      if (reads === 1) overtake(platform);
      const set = { extra: { ...other.extra, mine: true } };
      return { set: { description: 'both' }, beside: [beside(kinds.node, other, { set })] };
    });
    expect(reads).toBe(2);
    expect(await read(platform, one)).toMatchObject({ extra: { theirs: true, mine: true }, revision: 3 });
    expect(await read(platform, two)).toMatchObject({ description: 'both', revision: 2 });
  });
});

describe('the history of a node', () => {
  const lines = async ({ table }: MemoryPlatform) =>
    (await table.query(companions.event.all(one))).map(companions.event.of);
  const event = { severity: 'INFO', event_type: 'deploying', message: 'told' } as const;

  it('has the events of a change, with the node or not at all', async () => {
    const platform = await store({});
    const asked = { kind: 'request', ...event } as const;
    await change(platform, one, () => ({ events: [asked, asked] }));
    const refused = change(platform, one, () => ({
      events: [asked],
      also: [{ check: keyOf(kinds.node, two), when: [equals('revision', 1)] }],
    }));
    await expect(refused).rejects.toMatchObject({ code: 409 });
    expect(await lines(platform)).toEqual([
      expect.objectContaining({ ...asked, provision_state: 'available' }),
      expect.objectContaining(asked),
    ]);
  });

  it('tells of each transition by itself, after what led to it and before what begins with it', async () => {
    const platform = await store({});
    const messages = async () => (await lines(platform)).map(({ kind, message, run }) => [kind, message, run]);
    await change(platform, one, () => ({
      set: { provision_state: 'deploying', run: 'run-1' },
      events: [{ kind: 'phase start', ...event }],
    }));
    await change(platform, one, () => ({
      set: { provision_state: 'active', run: null },
      events: [{ kind: 'phase end', ...event }],
    }));
    await change(platform, one, () => ({ set: { description: 'no transition' } }));
    expect(await messages()).toEqual([
      ['transition', 'available -> deploying', 'run-1'],
      ['phase start', 'told', undefined],
      ['phase end', 'told', undefined],
      ['transition', 'deploying -> active', 'run-1'],
    ]);
  });

  it('tells it in other words if the change does', async () => {
    const platform = await store({});
    await change(platform, one, () => ({
      set: { provision_state: 'deploying' },
      told: (before, after) => ({
        kind: 'request',
        ...event,
        message: `${before.provision_state} became ${after.provision_state}`,
      }),
    }));
    expect(await lines(platform)).toMatchObject([{ kind: 'request', message: 'available became deploying' }]);
  });
});

describe('a removal', () => {
  const address = (n: number) => `52:54:00:00:00:${n.toString(16).padStart(2, '0')}`;
  const addPorts = async (platform: MemoryPlatform, from: number, to: number) => {
    for (let n = from; n < to; n += 1) await withPort(platform, { address: address(n) });
  };
  const remove = async (platform: MemoryPlatform) => removeRecord(platform, kinds.node, one);

  it('leaves nothing: no item, no guard, however much there was', async () => {
    const platform = await store({ name: 'm1', instance_uuid: two });
    await addPorts(platform, 0, 120);
    const ids = createCountedIds();
    for (let n = 0; n < 150; n += 1) {
      await platform.table.write([{ put: { pk: partition('node', one), sk: `event#${ids.ulid()}` } }]);
    }
    expect(await remove(platform)).toMatchObject({ uuid: one, name: 'm1' });
    expect(withoutNote(platform.table.items())).toEqual([]);
  });

  it('takes along what came while it was at it', async () => {
    const platform = await store({});
    await addPorts(platform, 0, 1);
    platform.table.onWrite = async () => {
      platform.table.onWrite = undefined;
      await platform.table.write([{ put: { pk: partition('node', one), sk: 'event#late' } }]);
    };
    await remove(platform);
    expect(withoutNote(platform.table.items())).toEqual([]);
  });

  it('frees unique values in the very write that removes the record', async () => {
    const platform = await store({ name: 'm1' });
    await addPorts(platform, 0, 3);
    await platform.table.write([{ put: { pk: partition('node', one), sk: 'event#1' } }]);
    let writes = 0;
    platform.table.onWrite = () => {
      if ((writes += 1) === 2) throw new Error('killed');
    };
    await expect(remove(platform)).rejects.toThrow('killed');
    expect(platform.table.items().filter(({ pk }) => pk.startsWith('unique#'))).toEqual([]);
  });

  it('is decided again when the record has changed since it was read', async () => {
    const platform = await store({ name: 'm1' });
    overtake(platform, { reservation: 'run' });
    const removed = removeRecord(platform, kinds.node, one, ({ reservation }) => {
      if (reservation) throw Invalid('it is locked');
    });
    await expect(removed).rejects.toThrow('it is locked');
    expect((await find(platform, 'm1')).reservation).toBe('run');
  });

  it('is refused while somebody begins to refer to the record', async () => {
    const platform = await store({});
    const chassis = newRecord(platform, kinds.chassis, {});
    await createRecord(platform, kinds.chassis, chassis);
    let asked = 0;
    const removed = removeRecord(platform, kinds.chassis, chassis.uuid, async () => {
      asked += 1;
      if (asked > 1) throw Invalid('it has a node');
      await change(platform, one, () => ({ set: { chassis_uuid: chassis.uuid } }));
    });
    await expect(removed).rejects.toThrow('it has a node');
    const gone = countedUuid(99);
    const into = change(platform, one, () => ({ set: { chassis_uuid: gone } }));
    await expect(into).rejects.toThrow('The chassis could not be found, it was deleted meanwhile.');
  });

  it('of a node takes its allocation along', async () => {
    const platform = await store({ allocation_uuid: two });
    await createRecord(
      platform,
      kinds.allocation,
      newRecord(platform, kinds.allocation, { uuid: two, node_uuid: one }),
    );
    await remove(platform);
    expect(withoutNote(platform.table.items())).toEqual([]);
  });
});
