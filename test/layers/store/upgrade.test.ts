/** Bringing a table into another form. What every table of the first version goes through: test/conformance/upgrade.ts. */
import { describe, expect, it } from 'vitest';

import type { Page } from '../../../layers/domain/page.ts';
import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform, type MemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { createMemoryTable } from '../../../layers/platform/memory/table.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { keyOf, type AnyKind, type Kept } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { formOf, formsNow, reachedKey } from '../../../layers/store/reached.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { listRecords } from '../../../layers/store/records/list.ts';
import { upgradeTable } from '../../../layers/store/upgrade.ts';
import { describeUpgrade } from '../../conformance/upgrade.ts';
import { aNode } from './a-node.ts';
import { entriesOf, entriesThatAreDue } from './due-entries.ts';

describeUpgrade('in memory', async (items) => {
  const table = createMemoryTable();
  for (const put of items) await table.write([{ put }]);
  return { table };
});

const page: Page = { limit: 10, descending: false, sort_key: 'id', marker: undefined };
const minute = 60_000;
const [one, two] = [countedUuid(1), countedUuid(2)];

/** A platform with two nodes and a port, and a second process's look at its table. */
const filled = async () => {
  const platform = createMemoryPlatform();
  for (const uuid of [one, two]) await createRecord(platform, kinds.node, aNode({ uuid, resource_class: 'gold' }));
  const port = newRecord(platform, kinds.port, { node_uuid: one, address: '52:54:00:00:00:01' });
  await createRecord(platform, kinds.port, port);
  return platform;
};
const anew = (platform: MemoryPlatform): Table => ({ ...platform.table });
const note = async (platform: MemoryPlatform, set: object) =>
  platform.table.write([{ update: reachedKey, set: { ...set } }]);
/** As if the entries of these kinds had been written by a version with other indexes. */
const older = async (platform: MemoryPlatform, ...names: string[]) =>
  note(platform, { forms: { ...formsNow(), ...Object.fromEntries(names.map((name) => [name, '1.other'])) } });
const listed = async (table: Table, kind: AnyKind) => (await listRecords<Kept>(table, kind, page)).length;
const dropEntries = async ({ table }: MemoryPlatform, kind: string) => {
  const entries = table.items().filter(({ pk }) => pk.startsWith(`index#${kind}#`));
  await table.write(entries.map(({ pk, sk }) => ({ delete: { pk, sk } })));
};

describe('a table in which nobody wrote yet', () => {
  it('is noted to be in the form of this version by whoever lists or creates first', async () => {
    const [lists, creates] = [createMemoryPlatform(), createMemoryPlatform()];
    expect(await listed(lists.table, kinds.node)).toBe(0);
    let wasNoted = false;
    creates.table.onWrite = async (writes) => {
      wasNoted ||= writes.length > 1 && (await creates.table.get(reachedKey)) !== undefined;
    };
    await createRecord(creates, kinds.node, aNode());
    expect(wasNoted).toBe(true);
    for (const { table } of [lists, creates]) {
      expect(await table.get(reachedKey)).toMatchObject({ forms: formsNow() });
      expect(await upgradeTable({ table, clock: lists.clock }, { grace: minute })).toBe(true);
    }
  });

  it('costs one more read once a process', async () => {
    const platform = await filled();
    let reads = 0;
    const table: Table = { ...platform.table };
    table.get = async (key) => {
      reads += 1;
      return platform.table.get(key);
    };
    for (let n = 0; n < 3; n += 1) await listed(table, kinds.node);
    expect(reads).toBe(1);
  });
});

describe('a version with another schema or other indexes of a kind', () => {
  it('refuses lists of that kind only, until they are made anew', async () => {
    const platform = await filled();
    await older(platform, 'port');
    await dropEntries(platform, 'port');
    expect(await listed(anew(platform), kinds.node)).toBe(2);
    await expect(listed(anew(platform), kinds.port)).rejects.toMatchObject({ code: 503 });
    expect(await upgradeTable(platform, { grace: 0 })).toBe(true);
    expect(await listed(anew(platform), kinds.port)).toBe(1);
  });

  it('is told by the schema, the indexes, and what their entries tell', () => {
    const changed: AnyKind[] = [
      { ...kinds.node, schema: kinds.node.schema + 1 },
      { ...kinds.node, brief: ['owner'] },
      { ...kinds.node, briefIn: [] },
      { ...kinds.node, indexes: {} },
      {
        ...kinds.node,
        fields: { ...kinds.node.fields, description: { ...kinds.node.fields['description']!, index: true } },
      },
    ];
    const forms = changed.map(formOf);
    expect(new Set([...forms, formOf(kinds.node)]).size).toBe(6);
    expect(formOf({ ...kinds.node, title: 'Another' })).toBe(formOf(kinds.node));
  });

  it('notes a kind that is new before its first record is there', async () => {
    const platform = await filled();
    const { chassis: _chassis, ...forms } = formsNow();
    await note(platform, { forms });
    const other = { ...platform, table: anew(platform) };
    expect(await listed(other.table, kinds.chassis)).toBe(0);
    await createRecord(other, kinds.chassis, newRecord(platform, kinds.chassis, {}));
    expect(await platform.table.get(reachedKey)).toMatchObject({ forms: formsNow() });
    expect(await upgradeTable(platform, { grace: minute })).toBe(true);
  });

  it('waits until no function of the version before writes any more, from when it first looked', async () => {
    const platform = await filled();
    await older(platform, 'node');
    const patience = { grace: 4 * minute };
    expect(await upgradeTable(platform, patience)).toBe(false);
    platform.clock.advance(4 * minute - 1);
    expect(await upgradeTable(platform, patience)).toBe(false);
    platform.clock.advance(1);
    expect(await upgradeTable(platform, patience)).toBe(true);
  });

  it('leaves the rest to the next call when its time is over, and begins again for another version', async () => {
    const platform = await filled();
    await older(platform, 'node');
    const slow: Table = { ...platform.table };
    slow.scan = async (options) => {
      platform.clock.advance(minute);
      return platform.table.scan(options);
    };
    const patience = { grace: 0, turn: minute, page: 5 };
    expect(await upgradeTable({ ...platform, table: slow }, patience)).toBe(false);
    const { after, step } = (await platform.table.get(reachedKey))!;
    expect(after).toBeDefined();
    await note(platform, { toward: { node: '9.next' }, step: Number(step) + 1 });
    expect(await upgradeTable({ ...platform, table: slow }, patience)).toBe(false);
    expect((await platform.table.get(reachedKey))!['after']).toEqual(after);
    expect(await upgradeTable(platform, { grace: 0, page: 5 })).toBe(true);
  });

  it('changes nothing of a record but its form, and tells no history', async () => {
    const platform = await filled();
    const node = async () => (await readRecord(platform.table, kinds.node, one))!;
    const before = await node();
    const count = platform.table.items().length;
    await older(platform, 'node');
    await upgradeTable(platform, { grace: 0 });
    expect(await node()).toEqual({ ...before, revision: before.revision + 1 });
    expect(platform.table.items()).toHaveLength(count);
  });
});

describe('functions of the version before that still write', () => {
  it('leave records that are renewed even if they say otherwise', async () => {
    const platform = await filled();
    const item = (await platform.table.get(keyOf(kinds.node, one)))!;
    // It keeps what it does not know, and writes what it knows: attributes of its own indexes.
    const written = { ...item, provision_state: 'active', list: 'node#1', by_provision_state: 'node#x#1', revision: 9 };
    await platform.table.write([{ put: written }]);
    await older(platform, 'node');
    await upgradeTable(platform, { grace: 0 });
    const items = platform.table.items();
    expect(entriesOf(items)).toEqual(entriesThatAreDue(items));
    expect(items.find(({ pk, sk }) => pk === item.pk && sk === 'node')).not.toHaveProperty('by_provision_state');
  });

  it('leave entries of records that they removed, which go', async () => {
    const platform = await filled();
    await platform.table.write([{ delete: keyOf(kinds.node, two) }]);
    expect(await listed(anew(platform), kinds.node)).toBe(1);
    const briefs = await listRecords(platform.table, kinds.node, page, { reads: ['uuid'] });
    expect(briefs).toHaveLength(2);
    await older(platform, 'node');
    await upgradeTable(platform, { grace: 0 });
    const items = platform.table.items();
    expect(entriesOf(items)).toEqual(entriesThatAreDue(items));
  });
});
