import { beforeEach, describe, expect, it } from 'vitest';

import { create } from '../../../functions/server-sync/app.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { tellChange } from '../../../layers/store/address-changes.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { networkKinds } from '../../../layers/store/kinds/networks.ts';
import { tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { changePort } from '../../../layers/store/network-ports.ts';
import { formsNow, reachedKey } from '../../../layers/store/reached.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { createStage, type Stage } from '../../workflows/servers/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});

const idle = { looked: 0, started: 0, failed: 0, stuck: 0 };

describe('server-sync', () => {
  it('looks at no server that nothing works on', async () => {
    await stage.addNode();
    await stage.boots();
    await stage.settle(60);
    expect(await stage.sync()).toEqual(idle);
  });

  it('starts a run that was recorded but never started', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    await stage.settle(60);
    await stage.change(uuid, { run: `${uuid}-01NEVER`, run_workflow: 'server-delete', task_state: 'deleting' });
    expect(await stage.sync()).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
    await stage.settle(60);
    expect(await stage.readServer(uuid)).toBeUndefined();
  });

  it('fails a server whose execution was stopped by hand; what it has of a machine goes with its deletion', async () => {
    const node = await stage.addNode();
    stage.meddling.phase = ({ phase }) => {
      if (phase === 'PlugPorts') throw Object.assign(new Error('Wait.'), { name: 'Pending' });
    };
    const uuid = await stage.boots();
    await stage.settle(10);
    const { run } = (await stage.readServer(uuid))!;
    await stage.stop('server-create', run!);
    stage.meddling.phase = undefined;
    expect(await stage.sync()).toEqual({ looked: 1, started: 0, failed: 1, stuck: 0 });
    expect(await stage.show(uuid)).toMatchObject({ status: 'ERROR', 'OS-EXT-STS:task_state': null });
    expect((await stage.readNode(node)).instance_uuid).toBe(uuid);
    await stage.request(`DELETE /v2.1/servers/${uuid}`);
    await stage.settle(60);
    expect([await stage.readServer(uuid), (await stage.readNode(node)).instance_uuid]).toEqual([undefined, null]);
  });

  it("brings the tenants' table into the form of this version first, when functions of the one before are gone", async () => {
    const platform = createMemoryPlatform();
    const key_pair = newRecord(platform, tenantKinds.key_pair, { name: 'laptop', user_id: 'ann' });
    await createRecord(platform, tenantKinds.key_pair, key_pair);
    await platform.table.write([{ update: reachedKey, set: { forms: { ...formsNow(), key_pair: '1.other' } } }]);
    const sync = create(platform);
    expect(await sync({})).toEqual(idle);
    expect(await platform.table.get(reachedKey)).toMatchObject({ forms: { key_pair: '1.other' } });
    platform.clock.advance(5 * 60_000);
    await sync({});
    expect(await platform.table.get(reachedKey)).toMatchObject({ forms: formsNow() });
  });

  it('says of a run that it knows no workflow of that it is stuck', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    await stage.settle(60);
    await stage.change(uuid, { run: `${uuid}-01OLD`, run_workflow: 'server-migrate' });
    expect(await stage.sync()).toEqual({ looked: 1, started: 0, failed: 0, stuck: 1 });
  });
});

describe('changes of addresses', () => {
  const aServer = async () => {
    await stage.addNode();
    const uuid = await stage.boots({ networks: [{ uuid: network }] });
    await stage.settle(60);
    return uuid;
  };

  let network: string;
  beforeEach(async () => {
    network = await stage.addNetwork();
  });

  it('of a server that is busy keep those of no other waiting, however many there are', async () => {
    const { table, ids } = stage.tenants;
    const [busy, idle] = [await aServer(), await aServer()];
    await stage.change(busy, { run: `${busy}-01BUSY`, run_workflow: 'server-migrate' });
    const [port] = (await stage.ports()).filter(({ device_id: device }) => device === busy);
    for (let at = 0; at < 300; at += 1) {
      const one = { ...port!, uuid: `00000000-0000-3000-8000-${String(at).padStart(12, '0')}`, fixed_ips: [] };
      await createRecord(stage.tenants, networkKinds.network_port, one);
      await table.write([tellChange(one.uuid, ids)]);
    }
    const [mine] = (await stage.ports()).filter(({ device_id: device }) => device === idle);
    await changePort(stage.tenants, mine!.uuid, () => ({ fixed_ips: [{ ip_address: '10.0.0.99' }] }));
    await stage.sync();
    expect((await stage.readServer(idle))!.run_workflow).toBe('server-metadata');
  });

  it('that cannot be looked up keep nothing else from being done', async () => {
    const { table } = stage.tenants;
    const { query } = table;
    const failing = {
      ...table,
      query: async (asked: Parameters<typeof query>[0]) => {
        if (asked.partition === 'address_change') throw new Error('Not now.');
        return query(asked);
      },
    };
    const { workflows } = stage.tenants;
    const sync = create({ ...stage.tenants, workflows, table: failing });
    expect(await sync({})).toEqual(idle);
    const told = stage.tenants.log.lines.flatMap(({ level, message }) => (level === 'info' ? [] : [message]));
    expect(told).toEqual(['Changes of addresses could not be looked up; the next round tries again.']);
  });
});
