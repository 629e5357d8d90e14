/** Runs of nodes that have been here before, in the real interpreter with the real phases. */
import { describe, expect, it } from 'vitest';

import type { Item } from '../../../../layers/platform/table.ts';
import { aNode, uuid } from '../../../workflows/nodes.ts';
import { nameOf } from '../../../../layers/platform/memory/ids.ts';
import { createSystem, type System } from './system.ts';

describe('a node that is created again under its old UUID', () => {
  it('runs as it did the first time', async () => {
    const { stage, ask, provision } = await createSystem(aNode({ provision_state: 'manageable' }));
    await ask(`DELETE /v1/nodes/${uuid}`);
    for (const round of ['the first time', 'the second time', 'the third time']) {
      await ask('POST /v1/nodes', { uuid, driver: 'fake-hardware' });
      await provision('manage');
      expect([round, await stage.read()]).toMatchObject([round, { provision_state: 'manageable', last_error: null }]);
      await ask(`DELETE /v1/nodes/${uuid}`);
    }
  });
});

describe('a table that comes back from a backup', () => {
  const machine = aNode({ provision_state: 'manageable' });

  /** What a restore does: the items of then, and none of later. */
  const restore = async ({ world: { table } }: System['stage'], backup: Item[]) => {
    for (const { pk, sk } of table.items()) await table.write([{ delete: { pk, sk } }]);
    for (const item of backup) await table.write([{ put: item }]);
  };

  it('has nodes that run again, each BMC write with a ledger entry of its own', async () => {
    const { stage, power } = await createSystem(machine);
    const backup = structuredClone(stage.world.table.items());
    await power('power on');
    await restore(stage, backup);
    await power('power off');
    expect(await stage.read()).toMatchObject({ power_state: 'power off', reservation: null, last_error: null });
    const written = stage.proxy.requests.filter(({ op }) => op === 'power.ensure').map(({ op_id }) => op_id);
    expect(new Set(written).size).toBe(2);
  });

  it('has no node that waits for a run of then: sync fails it in words that say why', async () => {
    const { stage, front, provision } = await createSystem(aNode({ provision_state: 'enroll' }));
    const moment: { backup?: Item[] } = {};
    stage.proxy.answer('bmc.probe', async () => {
      moment.backup = structuredClone(stage.world.table.items());
      return undefined;
    });
    await provision('manage');
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable' });
    await restore(stage, moment.backup!);
    expect(await stage.read()).toMatchObject({ provision_state: 'verifying' });
    const { run } = await stage.read();
    expect(run).toMatch(nameOf(uuid));

    expect(await stage.workflows().start('verify', run!, { node: uuid })).toBe('ended');
    expect(await stage.sync()).toMatchObject({ failed: 1 });
    const { body } = await front.request(`GET /v1/nodes/${uuid}`);
    expect(body).toMatchObject({ provision_state: 'enroll', reservation: null });
    expect((body as { last_error: string }).last_error).toContain('was restored from before');
    await provision('manage');
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable' });
  });
});

describe('a node that an installation of version 0.1 left in a run', () => {
  it('ends that run under its name, and has the next one under one of now', async () => {
    const run = `${uuid}-1`;
    const old = { reservation: run, run, run_workflow: 'verify', generation: 1 };
    const { stage, ask, provision } = await createSystem(aNode({ provision_state: 'verifying', ...old }));
    expect(await stage.sync()).toMatchObject({ started: 1 });
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable', run: null });
    await ask('POST /v1/ports', { node_uuid: uuid, address: '52:54:00:00:00:01' });
    await provision('provide');
    expect((await stage.read()).run).toMatch(nameOf(uuid));
  });
});
