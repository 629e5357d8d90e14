import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import type { Write } from '../../../layers/platform/table.ts';
import {
  briefFields,
  entryPartition,
  indexesOf,
  placesOf,
  shardOf,
  shards,
  uuidOfEntry,
} from '../../../layers/store/entries.ts';
import { newRecord, toBrief, toItem, toRecord } from '../../../layers/store/kinds/form.ts';
import type { AnyKind } from '../../../layers/store/kinds/kind.ts';
import { kinds, type StoredAllocation, type StoredPort } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord, createRecord, removeRecord } from '../../../layers/store/records/change.ts';
import { aNode } from './a-node.ts';
import { entriesOf, entriesThatAreDue } from './due-entries.ts';

const [one, two] = [countedUuid(1), countedUuid(2)];
const rows: readonly AnyKind[] = Object.values(kinds);

describe('shards', () => {
  it('take about as many records each', () => {
    const counts = Array.from({ length: shards }, () => 0);
    for (let n = 0; n < 1600; n += 1) counts[shardOf(countedUuid(n))]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });

  it('of a record never change', () => {
    expect(shardOf(one)).toBe(shardOf(one));
  });
});

describe('the indexes of a kind', () => {
  it.each(rows)('($name) are that of everything, each field whose row says so, and its own', (kind) => {
    const fields = Object.keys(kind.fields).filter((name) => kind.fields[name]!.index);
    const others = Object.keys(kind.indexes ?? {});
    expect([...indexesOf(kind).keys()].toSorted()).toEqual(['list', ...fields, ...others].toSorted());
    for (const name of kind.briefIn ?? []) expect(fields).toContain(name);
    for (const name of briefFields(kind)) expect(kind.fields).toHaveProperty(name);
  });

  it('name the place of each value that a record has, false and empty ones too', () => {
    const record = aNode({ owner: 'p1', maintenance: false, conductor_group: '', lessee: null });
    const places = placesOf(kinds.node, record);
    expect(places).toEqual(expect.arrayContaining(['list#', 'owner#p1', 'maintenance#false', 'conductor_group#']));
    expect(places).not.toContainEqual(expect.stringMatching(/^lessee/));
  });

  it('hold a node as free under its class, its group, both and neither while somebody may get it', () => {
    const free = { provision_state: 'available', power_state: 'power off', resource_class: 'gold.2' } as const;
    const freePlaces = (more: Partial<StoredNode>) =>
      placesOf(kinds.node, aNode({ ...free, ...more })).filter((place) => place.startsWith('free'));
    expect(freePlaces({ conductor_group: 'west' })).toEqual([
      'free#*/*',
      'free#*/west',
      'free#CUSTOM_GOLD_2/*',
      'free#CUSTOM_GOLD_2/west',
    ]);
    expect(freePlaces({ resource_class: null })).toEqual(['free#*/*', 'free#*/']);
    const taken: Partial<StoredNode>[] = [{ instance_uuid: two }, { maintenance: true }, { provision_state: 'active' }];
    expect(taken.flatMap(freePlaces)).toEqual([]);
  });

  it('hold a node as busy while a run owns or locks it, and an allocation while it looks for one', () => {
    const isBusy = (more: Partial<StoredNode>) => placesOf(kinds.node, aNode(more)).includes('busy#');
    expect([isBusy({}), isBusy({ run: 'r' }), isBusy({ reservation: 'r' })]).toEqual([false, true, true]);
    const allocation = newRecord(createMemoryPlatform(), kinds.allocation, {});
    expect(placesOf(kinds.allocation, allocation)).toContain('busy#');
    expect(placesOf(kinds.allocation, { ...allocation, state: 'active' } as StoredAllocation)).not.toContain('busy#');
  });
});

const isEntry = ({ pk }: { pk: string }) => pk.startsWith('index#');

describe('the entries of records', () => {
  it('are always those of what is stored, with briefs that tell it', async () => {
    const state = fc.constantFrom('available', 'active', 'deploying');
    const value = fc.constantFrom(null, 'a', 'b#c', 'ä');
    const set = fc.record(
      {
        provision_state: state,
        owner: value,
        lessee: value,
        resource_class: value,
        name: value,
        maintenance: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(set, { maxLength: 6 }), fc.boolean(), async (changes, ends) => {
        const platform = createMemoryPlatform();
        await createRecord(platform, kinds.node, aNode());
        const port = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01' });
        await createRecord(platform, kinds.port, port);
        for (const each of changes) {
          await changeRecord(platform, kinds.node, one, () => ({ set: each as Partial<StoredNode> }));
        }
        if (ends) await removeRecord(platform, kinds.node, one);
        const items = platform.table.items();
        expect(entriesOf(items)).toEqual(entriesThatAreDue(items));
        const node = items.find(({ sk }) => sk === 'node');
        for (const entry of items.filter(({ pk, brief }) => pk.startsWith('index#node') && brief)) {
          expect(toRecord(kinds.node, node!)).toMatchObject(toBrief<StoredNode>(kinds.node, entry));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('lead from their keys to the record', async () => {
    const platform = createMemoryPlatform();
    await createRecord(platform, kinds.node, aNode());
    const port = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01' });
    await createRecord(platform, kinds.port, port);
    const place = { partition: entryPartition(kinds.port, 'list#', shardOf(port.uuid)) };
    const [entry] = await platform.table.query(place);
    expect([uuidOfEntry(entry!), entry!['home']]).toEqual([port.uuid, one]);
  });

  const writesOf = async (set: Partial<StoredNode>) => {
    const platform = createMemoryPlatform();
    await createRecord(platform, kinds.node, aNode());
    const written: Write[] = [];
    platform.table.onWrite = (writes) => void written.push(...writes);
    await changeRecord(platform, kinds.node, one, () => ({ set }));
    const key = (write: Write) => ('put' in write ? write.put : 'delete' in write ? write.delete : { pk: '', sk: '' });
    return written
      .map(key)
      .filter(isEntry)
      .map(({ pk }) => pk.split('#')[2]);
  };

  it('cost nothing where a change touches nothing of them', async () => {
    expect(await writesOf({ extra: { a: 1 }, last_error: 'x', properties: { y: 1 } })).toEqual([]);
  });

  it('are written where a value moved, and where a brief tells another one', async () => {
    expect(await writesOf({ power_state: 'power on' })).toEqual(['list', 'provision_state']);
    expect(await writesOf({ chassis_uuid: null, fault: 'power failure' })).toEqual(['fault']);
    const moved = ['list', 'provision_state', 'busy', 'provision_state'];
    // Of any class, in any group and in its own, it is not free any more.
    expect(await writesOf({ provision_state: 'deploying', run: 'r' })).toEqual([...moved, 'free', 'free']);
  });

  it('are not lost when what belongs to a node moves to another one', async () => {
    const platform = createMemoryPlatform();
    for (const uuid of [one, two]) await createRecord(platform, kinds.node, aNode({ uuid }));
    const port: StoredPort = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01' });
    await createRecord(platform, kinds.port, port);
    await changeRecord(platform, kinds.port, port.uuid, () => ({ set: { node_uuid: two } }));
    const [entry] = await platform.table.query({ partition: entryPartition(kinds.port, 'list#', shardOf(port.uuid)) });
    expect(entry).toMatchObject({ home: two, brief: { address: '52:54:00:00:00:01', node_uuid: two } });
  });
});

describe('an item', () => {
  it('does not hold what is the default of its field, and is read as if it did', () => {
    const record = aNode({ extra: { a: {} }, maintenance: true });
    const item = toItem(kinds.node, record);
    for (const name of ['description', 'retired', 'properties', 'traits', 'run']) expect(item).not.toHaveProperty(name);
    expect(item).toMatchObject({ extra: { a: {} }, maintenance: true, generation: 0, schema: 2 });
    expect(toRecord(kinds.node, item, [undefined])).toEqual(record);
  });
});
