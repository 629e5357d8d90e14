import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/sync/app.ts';
import { configdriveKey, configdriveReference, mediumKey, uploadKey } from '../../../layers/domain/configdrive.ts';
import { inventoryWrite, readInventory } from '../../../layers/store/inventories.ts';
import { createNode, instanceInfoKey } from '../../../layers/store/nodes.ts';
import { createFakePorts } from '../../fakes/ports.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

/** Minutes. */
const day = 24 * 60;
const [named, lost] = [configdriveKey(uuid, '01A'), configdriveKey(uuid, '01B')];
const nobodys = configdriveKey('ffffffff-2222-4333-8444-555555555555', '01C');

const withObjects = async (...keys: string[]) => {
  const ports = createFakePorts();
  await createNode(ports, aNode({ instance_info: { configdrive: configdriveReference(named) } }));
  for (const key of keys) await ports.objects.put(key, Buffer.from('iso'));
  const sync = create(ports);
  /** The schedule calls every five minutes. */
  const pass = async (minutes: number) => {
    for (let at = 0; at < minutes; at += 5) {
      ports.clock.advance(5 * 60 * 1000);
      await sync({});
    }
  };
  return { ports, pass };
};

describe('sync and stored objects', () => {
  it('removes those that no node refers to within two days, and no other', async () => {
    const { ports, pass } = await withObjects(named, lost, nobodys);
    await pass(2 * day);
    expect(ports.objects.keys()).toEqual([named]);
  });

  it('leaves alone what was made of the one that the node refers to, in either form', async () => {
    const made = [mediumKey(named), mediumKey(lost)];
    const { ports, pass } = await withObjects(named, ...made);
    await pass(2 * day);
    expect(ports.objects.keys()).toEqual([named, mediumKey(named)].toSorted());

    const old = `configdrives/${uuid}/01A`;
    await ports.table.write([
      { put: { ...instanceInfoKey(uuid), values: { configdrive: configdriveReference(old) } } },
    ]);
    await ports.objects.put(old, Buffer.from('iso'));
    await pass(2 * day);
    expect(ports.objects.keys()).toEqual([old, named, mediumKey(named)].toSorted());
  });

  it('leaves those alone that are younger than a day: they may be about to be named', async () => {
    const { ports, pass } = await withObjects(lost);
    await pass(day - 5);
    expect(ports.objects.keys()).toEqual([lost]);
  });

  it('removes an upload that nobody asked for', async () => {
    const { ports, pass } = await withObjects(named, uploadKey(uuid, '01D'));
    await pass(2 * day);
    expect(ports.objects.keys()).toEqual([named]);
  });

  it('removes inventories in whose place another came, and those of nodes that are gone', async () => {
    const { ports, pass } = await withObjects('inventories/ffffffff-2222-4333-8444-555555555555/01E');
    const large = { inventory: {}, plugin_data: { lldp_raw: 'x'.repeat(400 * 1024) } };
    for (const _ of [1, 2]) await ports.table.write([await inventoryWrite(ports, uuid, large)]);
    expect(ports.objects.keys()).toHaveLength(3);
    await pass(2 * day);
    expect(ports.objects.keys()).toHaveLength(1);
    expect(await readInventory(ports, uuid)).toEqual(large);
  });

  it('looks after the nodes all the same when the objects cannot be listed', async () => {
    const { ports } = await withObjects(named);
    const run = `${uuid}-1`;
    const other = '11111111-2222-4333-8444-555555555555';
    await createNode(ports, aNode({ uuid: other, provision_state: 'deploying', run, run_workflow: 'deploy' }));
    const objects = { ...ports.objects, list: async () => Promise.reject(new Error('no bucket')) };
    expect(await create({ ...ports, objects })({})).toMatchObject({ looked: 1, started: 1 });
    expect(ports.log.lines.at(-1)).toMatchObject({ level: 'error' });
  });
});
