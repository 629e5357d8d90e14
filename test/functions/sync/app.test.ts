import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/sync/app.ts';
import { bmcFault } from '../../../layers/bmc/faults.ts';
import { configdriveKey, configdriveReference } from '../../../layers/domain/configdrive.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { managementRequestWrite } from '../../../layers/store/management-requests.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { powerRequestWrite } from '../../../layers/store/power-requests.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { formsNow, reachedKey } from '../../../layers/store/reached.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';
import { createStage } from '../../workflows/stage.ts';

const run = `${uuid}-1`;
const idle = { looked: 0, started: 0, failed: 0, stuck: 0 };

const deploying = {
  provision_state: 'deploying',
  reservation: run,
  run,
  run_workflow: 'deploy',
  generation: 1,
} as const;

const withNode = async (more: Partial<StoredNode> = {}) => {
  const platform = createMemoryPlatform();
  await createRecord(platform, kinds.node, aNode(more));
  return { platform, sync: create(platform), read: async () => (await readRecord(platform.table, kinds.node, uuid))! };
};

describe('sync', () => {
  it('looks at no node that nothing works on', async () => {
    const { sync, platform } = await withNode();
    expect(await sync({})).toEqual(idle);
    expect(platform.workflows.started).toEqual([]);
  });

  it('brings a table into the form of this version first, when functions of the one before are gone', async () => {
    const { sync, platform } = await withNode(deploying);
    await platform.table.write([{ update: reachedKey, set: { forms: { ...formsNow(), node: '1.other' } } }]);
    expect(await sync({})).toEqual(idle);
    expect(platform.workflows.started).toEqual([]);
    platform.clock.advance(5 * 60_000);
    expect(await sync({})).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
    expect(await platform.table.get(reachedKey)).toMatchObject({ forms: formsNow() });
  });

  it('starts a run that was recorded but never started, once', async () => {
    const { sync, platform } = await withNode(deploying);
    expect(await sync({})).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
    expect(await sync({})).toEqual({ looked: 1, started: 0, failed: 0, stuck: 0 });
    expect(platform.workflows.started).toEqual([{ workflow: 'deploy', name: run, input: { node: uuid } }]);
  });

  it('leaves a run alone whose execution goes on', async () => {
    const { sync, platform, read } = await withNode(deploying);
    await platform.workflows.start('deploy', run, { node: uuid });
    const before = await read();
    expect(await sync({})).toEqual({ looked: 1, started: 0, failed: 0, stuck: 0 });
    expect(await read()).toEqual(before);
  });

  it('fails a node whose execution ended without it, and says what happened', async () => {
    const phase = { run, name: 'PowerOn', started_at: '2026-01-01T00:00:00.000+00:00' };
    const { sync, platform, read } = await withNode({ ...deploying, phase });
    await platform.workflows.start('deploy', run, { node: uuid });
    await platform.workflows.stop('deploy', run, 'Operator', 'Stopped by hand.');
    expect(await sync({})).toEqual({ looked: 1, started: 0, failed: 1, stuck: 0 });
    expect(await read()).toMatchObject({
      provision_state: 'deploy failed',
      reservation: null,
      run: null,
      last_error: `Deploy failed in PowerOn: The execution ${run} ended as ABORTED: Stopped by hand. Then set the provision state to active to try again, or to deleted to give the machine back.`,
    });
    expect(await sync({})).toEqual(idle);
  });

  it.each([
    ['verify', 'verifying', 'enroll'],
    ['clean', 'cleaning', 'clean failed'],
    ['clean', 'clean wait', 'clean failed'],
    ['deploy', 'wait call-back', 'deploy failed'],
    ['undeploy', 'deleting', 'error'],
  ] as const)('ends a lost %s of a node that is %s in %s', async (run_workflow, provision_state, after) => {
    const waits = provision_state.includes('wait');
    const { sync, platform, read } = await withNode({
      ...deploying,
      run_workflow,
      provision_state,
      reservation: waits ? null : run,
    });
    await platform.workflows.start(run_workflow, run, { node: uuid });
    await platform.workflows.stop(run_workflow, run, 'Gone', 'gone');
    await sync({});
    expect(await read()).toMatchObject({ provision_state: after, run: null, reservation: null });
  });

  it('tells in the log why a run was failed, under a name that is its own', async () => {
    const { sync, platform } = await withNode(deploying);
    await platform.workflows.start('deploy', run, { node: uuid });
    await platform.workflows.stop('deploy', run, 'Gone', 'The console stopped it.');
    await sync({});
    expect(platform.log.lines.at(-1)).toMatchObject({
      message: 'A run was failed because its execution is gone.',
      fields: { node: uuid, workflow: 'deploy', run, reason: expect.stringContaining('The console stopped it.') },
    });
  });

  it('removes the configdrive with the reference of an undeploy that is lost', async () => {
    const key = configdriveKey(uuid, '01J0');
    const { sync, platform, read } = await withNode({
      ...deploying,
      provision_state: 'deleting',
      run_workflow: 'undeploy',
      instance_info: { configdrive: configdriveReference(key) },
    });
    await platform.objects.put(key, Buffer.from('iso'));
    await platform.workflows.start('undeploy', run, {});
    await platform.workflows.stop('undeploy', run, 'Gone', 'gone');
    await sync({});
    expect([platform.objects.keys(), (await read()).instance_info]).toEqual([[], {}]);
  });

  it('keeps the configdrive of a node that went on while its run was looked up', async () => {
    const key = configdriveKey(uuid, '01J0');
    const instance_info = { configdrive: configdriveReference(key) };
    const undeploying = { ...deploying, provision_state: 'deleting', run_workflow: 'undeploy', instance_info } as const;
    const { platform, read } = await withNode(undeploying);
    await platform.objects.put(key, Buffer.from('iso'));
    await platform.workflows.start('undeploy', run, {});
    await platform.workflows.stop('undeploy', run, 'Gone', 'gone');
    const describe: typeof platform.workflows.describe = async (...asked) => {
      await changeRecord(platform, kinds.node, uuid, () => ({
        set: { ...deploying, run: `${uuid}-2`, reservation: `${uuid}-2` },
      }));
      return platform.workflows.describe(...asked);
    };
    expect(await create({ ...platform, workflows: { ...platform.workflows, describe } })({})).toMatchObject({
      failed: 0,
    });
    expect([platform.objects.keys(), (await read()).instance_info]).toEqual([[key], instance_info]);
  });

  it('looks at one node only when an execution of it ended', async () => {
    const { sync } = await withNode(deploying);
    const ended = (input: string) => ({
      'detail-type': 'Step Functions Execution Status Change',
      detail: { name: run, status: 'FAILED', input, inputDetails: { included: true } },
    });
    expect(await sync(ended(JSON.stringify({ node: uuid })))).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
    const other = JSON.stringify({ node: '11111111-2222-4333-8444-555555555555', target: 'power on' });
    expect(await sync(ended(other))).toEqual({ ...idle, looked: 1 });
  });

  it.each([
    {},
    null,
    { detail: { name: run } },
    { detail: { input: 'null' } },
    { detail: { input: '{"server":"1"}' } },
  ])('looks at all for any other event: %j', async (event) => {
    const { sync } = await withNode(deploying);
    expect(await sync(event)).toEqual({ looked: 1, started: 1, failed: 0, stuck: 0 });
  });

  it('tells of what it works on by the input only, whatever the name of the execution is', async () => {
    const { sync } = await withNode(deploying);
    const event = { detail: { name: run, input: JSON.stringify({ allocation: uuid }) } };
    expect(await sync(event)).toEqual({ ...idle, looked: 1 });
  });
});

describe('sync and power runs', () => {
  const locked = {
    provision_state: 'active',
    reservation: run,
    target_power_state: 'power on',
    generation: 1,
  } as const;

  it('starts one that was recorded but never started, with what was asked for', async () => {
    const { sync, platform } = await withNode(locked);
    await platform.table.write([powerRequestWrite(run, { node: uuid, target: 'soft rebooting', timeout: 30 })]);
    await sync({});
    expect(platform.workflows.started).toEqual([
      { workflow: 'power', name: run, input: { node: uuid, target: 'soft rebooting', timeout: 30 } },
    ]);
  });

  it('frees the lock of one whose execution is gone', async () => {
    const { sync, platform, read } = await withNode(locked);
    await platform.workflows.start('power', run, { node: uuid });
    await platform.workflows.stop('power', run, 'Gone', 'The machine room burns.');
    expect(await sync({})).toMatchObject({ failed: 1 });
    expect(await read()).toMatchObject({
      provision_state: 'active',
      reservation: null,
      target_power_state: null,
      last_error: expect.stringContaining('The machine room burns.') as string,
    });
  });

  it('frees the lock of one that nobody knows any more', async () => {
    const { sync, read } = await withNode(locked);
    expect(await sync({})).toMatchObject({ failed: 1 });
    expect(await read()).toMatchObject({ reservation: null, target_power_state: null });
  });

  it('starts a request to hardware that was recorded but never started', async () => {
    const { sync, platform, read } = await withNode({ ...locked, target_power_state: null });
    const request = { action: 'attach_media', slot: 'cd', image: 'https://images.test/x?signature=1' } as const;
    await platform.table.write([managementRequestWrite(uuid, run, request)]);
    expect(await sync({})).toMatchObject({ started: 1 });
    expect(platform.workflows.started).toEqual([
      { workflow: 'management', name: run, input: { node: uuid, action: 'attach_media' } },
    ]);
    await platform.workflows.stop('management', run, 'Gone', 'gone');
    expect(await sync({})).toMatchObject({ failed: 1 });
    expect(await read()).toMatchObject({ reservation: null, provision_state: 'active' });
  });

  it('looks at both when a power run is in the way of a waiting deploy', async () => {
    const power = `${uuid}-2`;
    const { sync, platform, read } = await withNode({
      ...deploying,
      provision_state: 'wait call-back',
      reservation: power,
    });
    await platform.workflows.start('deploy', run, { node: uuid });
    expect(await sync({})).toMatchObject({ looked: 1, failed: 1 });
    expect(await read()).toMatchObject({ provision_state: 'wait call-back', reservation: null, run });
  });
});

describe('sync reports as stuck', () => {
  it('a node whose run is of a workflow that nobody knows, and says so', async () => {
    const { sync, platform } = await withNode({ ...deploying, reservation: null, run_workflow: 'levitate' });
    expect(await sync({})).toEqual({ ...idle, looked: 1, stuck: 1 });
    expect(platform.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { node: uuid } });
  });

  it('a lost run that a power action has kept from being failed for an hour, and fails it when that ends', async () => {
    const power = `${uuid}-2`;
    const updated_at = isoTime(createMemoryPlatform().clock.now());
    const lost = { ...deploying, provision_state: 'wait call-back', reservation: power, updated_at } as const;
    const { sync, platform, read } = await withNode(lost);
    await platform.workflows.start('deploy', run, {});
    await platform.workflows.stop('deploy', run, 'Gone', 'gone');
    await platform.workflows.start('power', power, { node: uuid });
    expect(await sync({})).toEqual({ ...idle, looked: 1 });
    platform.clock.advance(60 * 60 * 1000 + 1);
    expect(await sync({})).toEqual({ ...idle, looked: 1, stuck: 1 });
    await platform.workflows.stop('power', power, 'Gone', 'gone');
    await sync({});
    expect(await sync({})).toEqual({ ...idle, looked: 1, failed: 1 });
    expect(await read()).toMatchObject({ provision_state: 'deploy failed', run: null });
  });
});

describe('sync among others', () => {
  it('goes on with the others when one node makes trouble', async () => {
    const { platform, sync, read } = await withNode(deploying);
    const other = '11111111-2222-4333-8444-555555555555';
    await createRecord(
      platform,
      kinds.node,
      aNode({ ...deploying, uuid: other, run: `${other}-1`, reservation: `${other}-1` }),
    );
    const describeOne = platform.workflows.describe;
    const broken = {
      ...platform,
      workflows: {
        ...platform.workflows,
        describe: async (workflow: string, name: string) => {
          if (name === run) throw new Error('throttled');
          return describeOne(workflow, name);
        },
      },
    };
    expect(await create(broken)({})).toEqual({ looked: 2, started: 1, failed: 0, stuck: 1 });
    expect(platform.log.lines.map(({ message }) => message)).toContain('Runs could not be looked after.');
    expect(await sync({})).toMatchObject({ started: 1 });
    expect((await read()).run).toBe(run);
  });

  it('does not touch a node that moved on while it looked', async () => {
    const { platform, read } = await withNode(deploying);
    await platform.workflows.start('deploy', run, {});
    await platform.workflows.stop('deploy', run, 'Gone', 'gone');
    const describeOne = platform.workflows.describe;
    const workflows = {
      ...platform.workflows,
      describe: async (workflow: string, name: string) => {
        const found = await describeOne(workflow, name);
        await changeRecord(platform, kinds.node, uuid, () => ({
          set: { provision_state: 'active', run: null, reservation: null },
        }));
        return found;
      },
    };
    expect(await create({ ...platform, workflows })({})).toMatchObject({ failed: 0 });
    expect(await read()).toMatchObject({ provision_state: 'active', last_error: null });
  });

  it('fails a run whose Fail phase could not be run', async () => {
    const stage = await createStage({ node: aNode() });
    stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'No.'));
    const name = await stage.provision('deploy', 'deploy');
    await stage.stop('deploy', name);
    await stage.settle();
    await stage.sync();
    expect((await stage.read()).provision_state).toBe('deploy failed');
  });
});
