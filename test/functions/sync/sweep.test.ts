import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/sync/app.ts';
import { configdriveKey, configdriveReference, mediumKey, uploadKey } from '../../../layers/domain/configdrive.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { guestDocumentKey } from '../../../layers/store/guest-documents.ts';
import { inventoryWrite, readInventory } from '../../../layers/store/inventories.ts';
import { apartKey } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

/** Minutes. */
const day = 24 * 60;
const [named, lost] = [configdriveKey(uuid, '01A'), configdriveKey(uuid, '01B')];
const nobodys = configdriveKey('ffffffff-2222-4333-8444-555555555555', '01C');

const withObjects = async (...keys: string[]) => {
  const platform = createMemoryPlatform();
  await createRecord(platform, kinds.node, aNode({ instance_info: { configdrive: configdriveReference(named) } }));
  for (const key of keys) await platform.objects.put(key, Buffer.from('iso'));
  const sync = create(platform);
  /** The schedule calls every five minutes. */
  const pass = async (minutes: number) => {
    for (let at = 0; at < minutes; at += 5) {
      platform.clock.advance(5 * 60 * 1000);
      await sync({});
    }
  };
  return { platform, pass };
};

describe('sync and stored objects', () => {
  it('removes those that no node refers to within two days, and no other', async () => {
    const { platform, pass } = await withObjects(named, lost, nobodys);
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named]);
  });

  it('leaves alone what was made of the one that the node refers to, in either form', async () => {
    const made = [mediumKey(named), mediumKey(lost)];
    const { platform, pass } = await withObjects(named, ...made);
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named, mediumKey(named)].toSorted());

    const old = `configdrives/${uuid}/01A`;
    await platform.table.write([
      { put: { ...apartKey(kinds.node, uuid, 'instance_info'), values: { configdrive: configdriveReference(old) } } },
    ]);
    await platform.objects.put(old, Buffer.from('iso'));
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([old, named, mediumKey(named)].toSorted());
  });

  it('leaves those alone that are younger than a day: they may be about to be named', async () => {
    const { platform, pass } = await withObjects(lost);
    await pass(day - 5);
    expect(platform.objects.keys()).toEqual([lost]);
  });

  it('removes an upload that nobody asked for', async () => {
    const { platform, pass } = await withObjects(named, uploadKey(uuid, '01D'));
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named]);
  });

  it('removes guest documents of machines that nobody has, and of nodes that are gone', async () => {
    const documents = [guestDocumentKey(uuid), guestDocumentKey('ffffffff-2222-4333-8444-555555555555')];
    const free = await withObjects(named, ...documents);
    await free.pass(2 * day);
    expect(free.platform.objects.keys()).toEqual([named]);

    const { platform, pass } = await withObjects(named, ...documents);
    await changeRecord(platform, kinds.node, uuid, () => ({ set: { provision_state: 'active' } }));
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named, documents[0]]);
  });

  it('removes inventories in whose place another came, and those of nodes that are gone', async () => {
    const { platform, pass } = await withObjects('inventories/ffffffff-2222-4333-8444-555555555555/01E');
    const large = { inventory: {}, plugin_data: { lldp_raw: 'x'.repeat(400 * 1024) } };
    for (const _ of [1, 2]) await platform.table.write([await inventoryWrite(platform, uuid, large)]);
    expect(platform.objects.keys()).toHaveLength(3);
    await pass(2 * day);
    expect(platform.objects.keys()).toHaveLength(1);
    expect(await readInventory(platform, uuid)).toEqual(large);
  });

  it('looks after the nodes all the same when the objects cannot be listed', async () => {
    const { platform } = await withObjects(named);
    const run = `${uuid}-1`;
    const other = '11111111-2222-4333-8444-555555555555';
    await createRecord(
      platform,
      kinds.node,
      aNode({ uuid: other, provision_state: 'deploying', run, run_workflow: 'deploy' }),
    );
    const objects = { ...platform.objects, list: async () => Promise.reject(new Error('no bucket')) };
    expect(await create({ ...platform, objects })({})).toMatchObject({ looked: 1, started: 1 });
    expect(platform.log.lines.at(-1)).toMatchObject({ level: 'error' });
  });
});
