/** What the heartbeats of an agent leave that is at a long step: nothing (ironic-deploy.md 3.2). */
import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { createAgent } from './agent.ts';
import { aNode } from './nodes.ts';
import { createStage } from './stage.ts';

/** A stage whose agent has begun a step, with all that was seen of the node's state since. */
const inStep = async (workflow: 'clean' | 'deploy') => {
  const [from, event] =
    workflow === 'clean' ? (['manageable', 'provide'] as const) : (['available', 'deploy'] as const);
  const stage = await createStage({ node: aNode({ provision_state: from }) });
  const agent = createAgent(stage);
  const run = await stage.provision(workflow, event);
  await stage.settle();
  await agent.call();
  await stage.settle();
  const seen: string[] = [];
  stage.world.table.onChange = ({ sk }, _before, after) => {
    if (sk === 'node') seen.push(`${String(after?.['provision_state'])}${after?.['reservation'] ? ', locked' : ''}`);
  };
  const beat = async () => {
    await agent.heartbeat();
    await stage.settle();
  };
  return { stage, agent, run, seen, beat };
};

describe.each([
  ['clean', 'clean wait', 'RunStep'],
  ['deploy', 'wait call-back', 'WriteImage'],
] as const)('in a long step of %s', (workflow, state, phase) => {
  it('a heartbeat leaves no line, no lock and no other state', async () => {
    const { stage, seen, beat } = await inStep(workflow);
    const [before, generation] = [await stage.history(), (await stage.read()).generation];
    for (let count = 0; count < 3; count += 1) await beat();
    expect(await stage.history()).toEqual(before);
    expect(seen).toEqual([state, state, state]);
    expect(await stage.read()).toMatchObject({ provision_state: state, generation, phase: { name: phase } });
  });

  it('the heartbeat after it goes on', async () => {
    const { stage, agent, beat } = await inStep(workflow);
    await beat();
    const before = (await stage.history()).length;
    await agent.finish();
    await stage.settle();
    const lines = (await stage.history()).slice(before);
    expect(lines[0]).toContain(`transition: ${state} -> `);
    expect(lines[1]).toContain(`phase end: ${phase} done`);
  });

  it('an agent that cannot be asked is told of as before', async () => {
    const { stage, beat } = await inStep(workflow);
    const away = () => {
      throw bmcFault('AgentUnreachable', 'The agent does not answer.');
    };
    stage.proxy.answer('agent.progress', away);
    stage.proxy.answer('agent.execute', away);
    await beat();
    expect((await stage.history()).join('\n')).toContain('attempt: ');
  });

  it('a call that comes while the agent is asked is not lost', async () => {
    const { stage, agent } = await inStep(workflow);
    stage.proxy.answer('agent.progress', async () => {
      // What it answered before the step ended; then it ended, and the agent called.
      await agent.finish();
      return { status: 'done', observed: { running: true }, quirks: [] };
    });
    await agent.heartbeat();
    await stage.settle();
    expect((await stage.history()).join('\n')).toContain(`phase end: ${phase} done`);
  });
});
