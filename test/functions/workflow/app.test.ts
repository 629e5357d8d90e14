import { coreSteps } from '../../../layers/domain/deploy-plan.ts';
import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/workflow/app.ts';
import { Config } from '../../../functions/workflow/config.ts';
import { bmcFault } from '../../../layers/bmc/faults.ts';
import { setPlan } from '../../../workflows/owners/node/plan.ts';
import { waitKey } from '../../../workflows/owners/node/wait.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { createFakeProxy, pending } from '../../fakes/proxy.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';

const run = `${uuid}-1`;
const owned = { provision_state: 'deploying', reservation: run, run, run_workflow: 'deploy', generation: 1 } as const;

const withNode = async (more: Partial<StoredNode> = {}) => {
  const proxy = createFakeProxy();
  const platform = createMemoryPlatform({ handlers: { 'bmc-proxy': proxy.handler } });
  await createRecord(platform, kinds.node, aNode({ ...owned, ...more }));
  const app = create(platform, Config.parse(environmentWith()));
  const phase = async (name: string, extra: object = {}) =>
    app(
      { workflow: 'deploy', phase: name, node: uuid, run, ...extra },
      { request_id: '1', remaining_ms: () => 120_000 },
    );
  return { platform, proxy, phase, app, read: async () => (await readRecord(platform.table, kinds.node, uuid))! };
};

const failed = (phase: string, error: string, cause = '') => ({ failed: { phase, Error: error, Cause: cause } });

describe('a phase', () => {
  it('answers nothing but what the next Choice reads', async () => {
    const { phase } = await withNode();
    expect(await phase('Validate')).toEqual({ is: 'ramdisk' });
    expect(await phase('PowerOff')).toEqual({});
  });

  it('takes the lock back from the wait state with a new generation', async () => {
    const { phase, read, proxy } = await withNode({ provision_state: 'wait call-back', reservation: null });
    await phase('CollectSteps').catch(() => {});
    expect(await read()).toMatchObject({ provision_state: 'deploying', reservation: run, generation: 2 });
    expect(proxy.requests[0]).toMatchObject({ generation: 2 });
  });

  it('is refused when the node is another run’s, and then touches nothing', async () => {
    const { phase, read, proxy } = await withNode({ run: `${uuid}-2`, reservation: `${uuid}-2` });
    const before = await read();
    await expect(phase('PowerOff')).rejects.toMatchObject({ name: 'Superseded' });
    expect(await read()).toEqual(before);
    expect(proxy.requests).toEqual([]);
  });

  it('waits its turn while a power action holds the lock', async () => {
    const { phase } = await withNode({ provision_state: 'wait call-back', reservation: `${uuid}-2` });
    await expect(phase('CollectSteps')).rejects.toMatchObject({ name: 'NodeLocked' });
  });

  it('marks its start once, however often it is tried', async () => {
    const { phase, platform, proxy } = await withNode();
    proxy.answer('power.ensure', pending('still On'), pending('still On'));
    await expect(phase('PowerOff')).rejects.toMatchObject({ name: 'Pending', message: 'still On' });
    await expect(phase('PowerOff')).rejects.toMatchObject({ name: 'Pending' });
    await phase('PowerOff');
    const events = await platform.table.query({ partition: `node#${uuid}`, begins: 'event#' });
    expect(events.map(({ kind }) => kind)).toEqual(['phase start', 'phase end']);
  });

  it('tells how long it took', async () => {
    const { phase, platform, proxy } = await withNode();
    proxy.answer('power.ensure', pending());
    await phase('PowerOff').catch(() => {});
    platform.clock.advance(30_000);
    await phase('PowerOff');
    const events = await platform.table.query({ partition: `node#${uuid}`, begins: 'event#' });
    expect(events.at(-1)).toMatchObject({ kind: 'phase end', phase: 'PowerOff', run, duration_seconds: 30 });
  });

  it('may be repeated after its end: the machine is as it should be, so nothing is done to it', async () => {
    const { phase, proxy } = await withNode();
    proxy.machine(uuid).power = 'power on';
    await phase('PowerOff');
    await phase('PowerOff');
    expect(proxy.machine(uuid).switched).toBe(1);
    expect(new Set(proxy.requests.map(({ op_id }) => op_id)).size).toBe(1);
  });

  it('logs what is unexpected and lets it through', async () => {
    const { platform, phase } = await withNode();
    platform.functions.handlers['bmc-proxy'] = () => {
      throw new TypeError('oops');
    };
    await expect(phase('PowerOff')).rejects.toMatchObject({ name: 'TypeError' });
  });

  it.each([
    ['an unknown workflow', { workflow: 'bake' }],
    ['an unknown phase', { phase: 'Bake' }],
    ['a name that every object has', { phase: 'toString' }],
    ['a wait without a token', { phase: 'WaitForAgent' }],
  ])('refuses %s', async (_what, more) => {
    const { phase } = await withNode();
    await expect(phase('PowerOff', more)).rejects.toMatchObject({ name: 'PhaseUnknown' });
  });
});

describe('a phase that waits', () => {
  it('lets the lock go and stores the token in one write', async () => {
    const { phase, platform, read } = await withNode();
    expect(await phase('WaitForAgent', { token: 'token-1' })).toEqual({});
    expect(await read()).toMatchObject({ provision_state: 'wait call-back', reservation: null, run });
    expect(await platform.table.get(waitKey(uuid))).toMatchObject({ token: 'token-1', phase: 'WaitForAgent', run });
    expect(platform.workflows.delivered).toEqual([]);
  });

  it('goes on by itself when the agent has called already', async () => {
    const { phase, platform, read } = await withNode({ driver_internal_info: { agent_url: 'https://10.0.0.9:9999' } });
    await phase('WaitForAgent', { token: 'token-1' });
    expect(platform.workflows.delivered).toEqual([{ token: 'token-1', output: { is: 'heartbeat' } }]);
    expect(await read()).toMatchObject({ provision_state: 'deploying', reservation: run });
  });

  it('tells its own token when there is nothing left to wait for', async () => {
    const called = { driver_internal_info: { agent_url: 'https://10.0.0.9:9999' } };
    const { phase, platform, proxy } = await withNode(setPlan(called, 'deploy', coreSteps.direct.slice(1)));
    proxy.machine(uuid).power = 'power on';
    await phase('WriteImage', { token: 'token-1' });
    proxy.finish(uuid);
    expect(await phase('WriteImage', { token: 'token-2' })).toEqual({ is: 'prepare_instance_boot' });
    expect(platform.workflows.delivered).toEqual([{ token: 'token-2', output: { is: 'prepare_instance_boot' } }]);
  });
});

describe('handing over', () => {
  const deleting = { provision_state: 'deleting', run_workflow: 'undeploy' } as const;

  it('starts the successor, also when the run died right after its write', async () => {
    const { app, platform, read } = await withNode(deleting);
    const call = { workflow: 'undeploy', phase: 'StartCleaning', node: uuid, run };
    const invocation = { request_id: '1', remaining_ms: () => 120_000 };
    const broken = {
      ...platform,
      workflows: { ...platform.workflows, start: async () => Promise.reject(new Error('killed')) },
    };
    await expect(create(broken, Config.parse(environmentWith()))(call, invocation)).rejects.toThrow('killed');
    expect(platform.workflows.started).toEqual([]);
    await expect(app(call, invocation)).rejects.toMatchObject({ name: 'Superseded' });
    const { run: name } = await read();
    expect(name).not.toBe(run);
    expect(platform.workflows.started).toEqual([{ workflow: 'clean', name, input: { node: uuid } }]);
  });
});

describe('Fail', () => {
  it('shows in the console what last_error says', async () => {
    const { phase, read } = await withNode();
    const cause = JSON.stringify({ errorType: 'BmcRejected', errorMessage: 'The BMC refused.', trace: ['x'] });
    const answer = await phase('Fail', failed('SetDiskBoot', 'BmcRejected', cause));
    expect(answer).toEqual({ error: 'BmcRejected', cause: (await read()).last_error });
    expect((await read()).last_error).toMatch(/^Deploy failed in SetDiskBoot: The BMC refused\. Then /);
  });

  it('understands a cause that is no JSON, and none at all', async () => {
    const plain = await withNode();
    await plain.phase('Fail', failed('PowerOn', 'States.Runtime', 'An expression is wrong'));
    expect((await plain.read()).last_error).toContain('in PowerOn: An expression is wrong. Then');
    const none = await withNode();
    await none.phase('Fail', failed('PowerOn', 'Odd'));
    expect((await none.read()).last_error).toContain('in PowerOn: Odd. Then');
  });

  it('never asks a BMC again that refused the credentials', async () => {
    const { phase, proxy } = await withNode();
    await phase('Fail', failed('PowerOff', 'BmcAuthFailed'));
    expect(proxy.requests).toEqual([]);
  });

  it('removes the token that nobody will wait for', async () => {
    const { phase, platform } = await withNode();
    await phase('WaitForAgent', { token: 'token-1' });
    await phase('Fail', failed('WaitForAgent', 'States.Timeout'));
    expect(await platform.table.get(waitKey(uuid))).toBeUndefined();
  });

  it('waits while a power action holds the node, and is quiet when the node is lost', async () => {
    const locked = await withNode({ provision_state: 'wait call-back', reservation: `${uuid}-2` });
    await expect(locked.phase('Fail', failed('WaitForAgent', 'States.Timeout'))).rejects.toMatchObject({
      name: 'NodeLocked',
    });
    const lost = await withNode({ run: `${uuid}-2`, reservation: null });
    await expect(lost.phase('Fail', failed('WaitForAgent', 'States.Timeout'))).rejects.toMatchObject({
      name: 'Superseded',
    });
  });

  it('may be repeated at any point', async () => {
    const { phase, read, proxy } = await withNode();
    proxy.answer('power.ensure', bmcFault('BmcUnreachable', 'No answer.'));
    await phase('Fail', failed('PowerOn', 'BmcRejected'));
    await expect(phase('Fail', failed('PowerOn', 'BmcRejected'))).rejects.toMatchObject({ name: 'Superseded' });
    expect(await read()).toMatchObject({ provision_state: 'deploy failed' });
  });
});
