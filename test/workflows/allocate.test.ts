/** The search for a node as an execution: the states that it enters, and what is left when it breaks off. */
import { describe, expect, it } from 'vitest';

import { create } from '../../functions/sync/app.ts';
import { allocation as rows } from '../../layers/domain/allocation.ts';
import { defaults } from '../../layers/domain/fields.ts';
import { allocationRun } from '../../layers/store/allocations.ts';
import { type StoredAllocation, kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { removeRecord, createRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import type { Death } from './mortal.ts';
import { aNode, uuid as node } from './nodes.ts';
import { createStage } from './stage.ts';

const uuid = '22222222-2222-4333-8444-555555555555';

/** What EventBridge tells when an execution of the allocation has ended. */
const event = { detail: { status: 'ABORTED', input: JSON.stringify({ allocation: uuid }) } };

/** A node, and an allocation that was recorded and whose search was not started. */
const wanted = async (more: Partial<StoredNode> = {}, death?: Death) => {
  const stage = await createStage({
    node: aNode({ resource_class: 'gold', power_state: 'power off', ...more }),
    ...(death && { death }),
  });
  const record = {
    ...defaults(rows),
    uuid,
    resource_class: 'gold',
    created_at: '2026-01-01T00:00:00.000+00:00',
    position: '01000000000000000000000009',
    revision: 1,
  } as unknown as StoredAllocation;
  await createRecord(stage.world, kinds.allocation, record);
  const show = async () => readRecord(stage.world.table, kinds.allocation, uuid);
  return { ...stage, run: allocationRun(record), show };
};

describe('allocate', () => {
  it('is started by sync if nobody did, picks a node, and is done', async () => {
    const { sync, settle, entered, show, read, run, travelled } = await wanted();
    expect(await sync()).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
    await settle();
    expect(await entered('allocate', run)).toEqual(['PickNode', 'Found', 'Done']);
    expect(await show()).toMatchObject({ state: 'active', node_uuid: node });
    expect(await read()).toMatchObject({ allocation_uuid: uuid, instance_uuid: uuid });
    expect(travelled).toEqual([
      { payload: { workflow: 'allocate', phase: 'PickNode', allocation: uuid }, answer: { is: 'active' } },
    ]);
    expect(await sync()).toMatchObject({ looked: 0 });
  });

  it('leaves a line in the history of the node', async () => {
    const { sync, settle, history } = await wanted();
    await sync();
    await settle();
    expect(await history()).toEqual([`request: Allocated to allocation ${uuid}.`]);
  });

  it('ends well without a node: that is no failure of the system', async () => {
    const { sync, settle, entered, describe: tell, show, run } = await wanted({ maintenance: true });
    await sync();
    await settle(10);
    expect(await entered('allocate', run)).toEqual(['PickNode', 'Found', 'NoNode']);
    expect(await tell('allocate', run)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await show()).toMatchObject({
      state: 'error',
      last_error: expect.stringMatching(
        /^Failed to process allocation \S+: no available nodes match the resource class \S+\. 0 free nodes were looked at/,
      ),
    });
  });

  it('gives away no node of a driver that this version does not speak', async () => {
    const { sync, settle, show, change } = await wanted();
    await change({ driver: 'ipmi' });
    await sync();
    await settle();
    expect((await show())?.state).toBe('error');
  });

  it('waits for a node that is locked', async () => {
    const { sync, settle, change, show } = await wanted({ reservation: `${node}-1` });
    await sync(event);
    await settle(60);
    expect(await show()).toMatchObject({ state: 'allocating' });
    await change({ reservation: null });
    await settle(10);
    expect(await show()).toMatchObject({ state: 'active' });
  });

  it('gives up on a node that stays locked, and says why', async () => {
    const { sync, settle, entered, show, run } = await wanted({ reservation: `${node}-1` });
    await sync(event);
    await settle(7200);
    expect(await entered('allocate', run)).toEqual(['PickNode', 'Fail', 'Failed']);
    expect(await show()).toMatchObject({
      state: 'error',
      last_error: expect.stringMatching(/^Allocation failed in PickNode: Node .* is locked .* create it again\.$/),
    });
  });

  it('ends quietly for an allocation that was deleted', async () => {
    const { sync, settle, entered, run, world, change, read } = await wanted({ reservation: `${node}-1` });
    await sync(event);
    await settle(20);
    await removeRecord(world, kinds.allocation, uuid);
    await change({ reservation: null });
    await settle(20);
    expect(await entered('allocate', run)).toEqual(['PickNode', 'Superseded']);
    expect(await read()).toMatchObject({ allocation_uuid: null, instance_uuid: null });
  });
});

describe('sync and allocations', () => {
  it('leaves a search alone that goes on', async () => {
    const { sync, settle } = await wanted({ reservation: `${node}-1` });
    expect(await sync(event)).toMatchObject({ looked: 1, started: 1 });
    await settle(10);
    expect(await sync(event)).toEqual({ looked: 1, started: 0, failed: 0, stuck: 0 });
  });

  it('fails one whose execution ended without it, and says how', async () => {
    const { sync, settle, stop, run, show } = await wanted({ reservation: `${node}-1` });
    await sync(event);
    await settle(10);
    await stop('allocate', run);
    await settle();
    expect(await sync(event)).toEqual({ looked: 1, started: 0, failed: 1, stuck: 0 });
    expect(await show()).toMatchObject({
      state: 'error',
      last_error: expect.stringContaining(`The execution ${run} ended as ABORTED: a test`),
    });
    expect(await sync(event)).toEqual({ looked: 1, started: 0, failed: 0, stuck: 0 });
  });

  it('finds it with all others, and goes on with those when it makes trouble', async () => {
    const { world, show, run } = await wanted({ reservation: `${node}-1`, run: `${node}-1`, run_workflow: 'deploy' });
    const describeOne = world.workflows.describe;
    const workflows = {
      ...world.workflows,
      describe: async (workflow: string, name: string) => {
        if (name === run) throw new Error('throttled');
        return describeOne(workflow, name);
      },
    };
    expect(await create({ ...world, workflows })({})).toEqual({ looked: 2, started: 1, failed: 0, stuck: 1 });
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'Runs could not be looked after.', fields: { allocation: uuid } },
    ]);
    expect(await create(world)({})).toEqual({ looked: 2, started: 1, failed: 0, stuck: 0 });
    expect(await show()).toMatchObject({ state: 'allocating' });
  });

  it('starts a search anew for an allocation that was deleted and created again under its UUID', async () => {
    const { sync, settle, world, show } = await wanted();
    await sync();
    await settle();
    const first = (await show())!;
    await world.table.write([{ delete: { pk: `allocation#${uuid}`, sk: 'allocation' } }]);
    await createRecord(world, kinds.allocation, {
      ...first,
      state: 'allocating',
      node_uuid: null,
      position: '0100000000000000000000000A',
    });
    expect(await sync()).toMatchObject({ looked: 1, started: 1 });
  });
});

describe('a process that dies while it looks for a node', () => {
  const begin = async (death?: Death) => {
    const stage = await wanted({}, death);
    await stage.sync({ detail: { name: stage.run } });
    await stage.settle(10);
    return stage;
  };

  it('leaves an allocation that gets its node, at whatever moment it dies', async () => {
    const whole = await begin();
    expect(whole.effects()).toBeGreaterThan(10);
    for (let at = 1; at <= whole.effects(); at += 1) {
      for (const when of ['before', 'after'] as const) {
        const stage = await begin({ at, when });
        expect([at, when, stage.dead()]).toEqual([at, when, true]);
        await stage.restart();
        await stage.sync();
        await stage.settle(600);
        expect([at, when, await stage.show()]).toEqual([at, when, expect.objectContaining({ state: 'active' })]);
        expect(await stage.read()).toMatchObject({ allocation_uuid: uuid, instance_uuid: uuid });
      }
    }
  });
});
