/** The guest document in the life of an instance (layers/store/guest-documents.ts). */
import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { staleBy } from '../../layers/domain/baremetal/guest.ts';
import { Unavailable } from '../../layers/domain/fault.ts';
import { vifOf, withVif } from '../../layers/domain/vifs.ts';
import { toInstanceInfo } from '../../layers/guest/instance-info.ts';
import { guestDocumentKey } from '../../layers/store/guest-documents.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { createRecord } from '../../layers/store/records/change.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
import { instance, metadataOfCase } from '../layers/guest/golden.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const seed = metadataOfCase('many_ips_seed');
const [vif] = seed.ports.map((port) => port.uuid!);
const instance_info = toInstanceInfo(seed, { host: 'ingot', local_gb: 100, ephemeral_format: null });
const given = { driver: 'fake-hardware', network_interface: 'flat', instance_uuid: instance, instance_info } as const;

const stageWith = async (more: Partial<StoredNode> = {}): Promise<Stage> => {
  const stage = await createStage({ node: aNode({ ...given, ...more }) });
  const card = newRecord(stage.world, kinds.port, { node_uuid: uuid, address: '52:54:00:00:00:01' });
  await createRecord(stage.world, kinds.port, { ...card, ...withVif(card, vif) });
  return stage;
};

const documentIn = async ({ world }: Stage) => {
  const bytes = await world.objects.get(guestDocumentKey(uuid));
  return bytes && Buffer.from(bytes).toString();
};
const isStale = async (stage: Stage) => staleBy(await stage.read()) !== undefined;
const vifsIn = async ({ world }: Stage) =>
  (await recordsOf(world.table, kinds.port, uuid)).flatMap((p) => vifOf(p) ?? []);

const go = async (stage: Stage, ...[workflow, event]: Parameters<Stage['provision']>) => {
  await stage.provision(workflow, event);
  await stage.settle(600);
};

const deployed = async (more: Partial<StoredNode> = {}): Promise<Stage> => {
  const stage = await stageWith(more);
  await go(stage, 'deploy', 'deploy');
  return stage;
};

/** Guest documents can be neither written nor removed any more; what is answered mends that. */
const breakStore = async ({ world, restart }: Stage) => {
  const { put, remove } = world.objects;
  const unlessOurs =
    <A extends unknown[]>(call: (key: string, ...more: A) => Promise<void>) =>
    async (key: string, ...more: A) => {
      if (key.startsWith('guest-metadata/')) throw Unavailable('The bucket could not be reached, try again.');
      return call(key, ...more);
    };
  Object.assign(world.objects, { put: unlessOurs(put), remove: unlessOurs(remove) });
  await restart();
  return () => Object.assign(world.objects, { put, remove });
};

/** An instance on a machine with a BMC, and its document. */
const onRedfish = async (): Promise<Stage> => {
  const stage = await stageWith({ driver: 'redfish', provision_state: 'active' });
  await stage.world.objects.put(guestDocumentKey(uuid), Buffer.from('<a/>'));
  return stage;
};

describe('a guest document', () => {
  it('is written by the deploy, of the ports that are attached', async () => {
    const stage = await deployed();
    expect(await stage.read()).toMatchObject({ provision_state: 'active' });
    const text = await documentIn(stage);
    expect(text).toContain('<nova:name>sample-instance-name</nova:name>');
    expect([...text!.matchAll(/nova:port uuid="([^"]+)"/g)].map(([, port]) => port)).toEqual([vif]);
    expect(await isStale(stage)).toBe(false);
  });

  it('is there while the deploy goes on, and stays with one that failed', async () => {
    const stage = await stageWith({ driver: 'redfish' });
    stage.proxy.answer('vmedia.insert', bmcFault('BmcRejected', 'The BMC refused the image.'));
    await go(stage, 'deploy', 'deploy');
    expect(await stage.read()).toMatchObject({ provision_state: 'deploy failed' });
    expect(await documentIn(stage)).toContain('sample-instance-name');
  });

  it('is written anew by a rebuild, whatever became of it', async () => {
    const stage = await deployed();
    await stage.world.objects.remove(guestDocumentKey(uuid));
    await go(stage, 'deploy', 'rebuild');
    expect(await stage.read()).toMatchObject({ provision_state: 'active' });
    expect(await documentIn(stage)).toContain('sample-instance-name');
  });

  it('is written for a machine that is adopted', async () => {
    const stage = await stageWith({ provision_state: 'manageable' });
    await go(stage, 'adopt', 'adopt');
    expect(await stage.read()).toMatchObject({ provision_state: 'active' });
    expect(await documentIn(stage)).toContain('sample-instance-name');
    expect(await isStale(stage)).toBe(false);
  });

  it('goes with the instance, which leaves nothing of it, though cleaning fails', async () => {
    const stage = await onRedfish();
    stage.proxy.answer('vmedia.insert', bmcFault('BmcRejected', 'The BMC refused the image.'));
    await go(stage, 'undeploy', 'delete');
    expect(await stage.read()).toMatchObject({
      provision_state: 'clean failed',
      instance_info: {},
      instance_uuid: null,
    });
    expect(await documentIn(stage)).toBeUndefined();
    expect(await isStale(stage)).toBe(false);
    expect(await vifsIn(stage)).toEqual([]);
  });

  it('goes also if the machine cannot be given back', async () => {
    const stage = await onRedfish();
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'The BMC refused to switch the machine off.'));
    await go(stage, 'undeploy', 'delete');
    expect(await stage.read()).toMatchObject({ provision_state: 'error', instance_info: {} });
    expect(await documentIn(stage)).toBeUndefined();
    expect(await vifsIn(stage)).toEqual([]);
  });

  it('that cannot be written fails no deploy, and sync writes it as soon as nobody else may', async () => {
    const stage = await stageWith();
    const mend = await breakStore(stage);
    await go(stage, 'deploy', 'deploy');
    expect(await stage.read()).toMatchObject({ provision_state: 'active', last_error: null });
    expect(await isStale(stage)).toBe(true);
    await stage.sync();
    expect(await isStale(stage)).toBe(true);
    mend();
    await stage.sync();
    expect(await documentIn(stage)).toContain('sample-instance-name');
    expect(await isStale(stage)).toBe(false);
  });

  it('that cannot be removed fails no undeploy, and sync removes it', async () => {
    const stage = await deployed({ automated_clean: false });
    const mend = await breakStore(stage);
    await go(stage, 'undeploy', 'delete');
    expect(await stage.read()).toMatchObject({ provision_state: 'available', instance_info: {} });
    expect(await documentIn(stage)).toBeDefined();
    mend();
    await stage.settle(600);
    await stage.sync();
    expect(await documentIn(stage)).toBeUndefined();
    expect(await isStale(stage)).toBe(false);
  });

  it('is left to those who may be about to write it', async () => {
    const stage = await deployed();
    await stage.world.objects.remove(guestDocumentKey(uuid));
    await stage.change({ instance_info: { display_name: 'db' } });
    await stage.sync();
    expect(await documentIn(stage)).toBeUndefined();
    await stage.settle(150);
    await stage.sync();
    expect(await documentIn(stage)).toContain('<nova:name>db</nova:name>');
  });
});
