import { beforeEach, describe, expect, it } from 'vitest';

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

  it('says of a run that it knows no workflow of that it is stuck', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    await stage.settle(60);
    await stage.change(uuid, { run: `${uuid}-01OLD`, run_workflow: 'server-migrate' });
    expect(await stage.sync()).toEqual({ looked: 1, started: 0, failed: 0, stuck: 1 });
  });
});
